"""What a tuning has seen so far, and what it decided: all that its answer is made of."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from benchsuite.core.specs.objective import margin
from benchsuite.core.units import counted, format_bytes, format_number
from benchsuite.stats.levels import Crossing, Point, crossing, shifted
from benchsuite.tuning.trial import Candidate, Level, Observation, Phase, Probe, Question, Trial

OVERHEAD_S = 2.5  #: Of a start beside its load, where none went to its end.
COUNTED = tuple(one for one in Phase if one not in (Phase.DIAGNOSE, Phase.FLAME, Phase.STRAIN))
RISING = (Phase.LADDER, Phase.RACE, Phase.BISECT)  #: Starts that look for the rate that just holds.
NEAR = 0.15  #: So far from that rate, in its logarithm, a start says how it differs from others.
FAILED_STARTS = 2  #: So many of one candidate are too many.
STAYS_DOWN = 0.5  #: Of a goal's share: with less at half of what it holds it has not come back.
USUAL = 0.04
"""Standard deviation of the logarithm of the rate that a start holds, as windows of a few seconds
show it; less is chance, where starts are few."""
NORMAL = 1.4826  #: Standard deviation of a normal distribution, in medians of its deviations.


class State(StrEnum):
    """What became of a candidate, nearest to the answer first."""

    RECOMMENDED = "recommended"
    MEASURED = "measured"  #: On one of several numbers of CPUs.
    NOT_TOLD_APART = "not told apart"
    WORTH_TRYING = "worth trying"  #: A variant of the pick that looked better in a few starts.
    NO_DIFFERENCE = "no difference shown"  #: By a variant of it.
    RACING = "racing"
    OVER = "over a limit"  #: It needs more memory or connections than the objective allows.
    DROPPED = "dropped"  #: To save time, which is no claim.
    BEHIND = "behind"  #: As intervals over its starts or fresh starts show.
    NO_STATEMENT = "no statement"  #: All its starts were spoiled.
    DISCARDED = "discarded"  #: Several of its starts failed.
    REFUSED = "refused"  #: By arithmetic, or it can't run here.
    BOUNDED_OUT = "bounded out"  #: It can't be among the best.
    NOT_TRIED = "not tried"  #: No time was left for it.


class End(StrEnum):
    """How a search ends by itself."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not confirmed"
    NOTHING_HOLDS = "nothing holds it"
    UNSTABLE = "unstable"  #: As many are late at any rate as the objective allows.
    NOTHING_RAN = "nothing could be measured"
    REFUSED = "refused"  #: All that was asked for, before any start.


@dataclass(frozen=True, slots=True)
class Entry:
    trial: Trial
    seen: Observation

    @property
    def is_whole(self) -> bool:
        """Whether its load went to its end, and not less far because it was overloaded."""
        return len(self.seen.levels) == max(1, len(self.trial.load.rates))


@dataclass
class Notebook:
    """Written by the search alone."""

    question: Question
    entries: list[Entry] = field(default_factory=list)
    states: dict[Candidate, tuple[State, str]] = field(default_factory=dict)
    probe: Probe | None = None
    end: End | None = None  #: Why the search ended; None while it goes on.
    said: str = ""  #: What that end rests on: "one user alone takes 230 ms".
    unable: dict[str, str] = field(default_factory=dict)
    """What was never started, such as a server that isn't installed → why."""

    def note(self, trial: Trial, seen: Observation) -> None:
        self.entries.append(Entry(trial, seen))
        mine = self.of(trial.candidate)
        failed = sum(bool(one.seen.failure) for one in mine)
        is_answer = self.end is not None and self.state(trial.candidate) is State.RECOMMENDED
        if seen.failure and failed >= FAILED_STARTS and not is_answer:
            why = f"{failed} of its {len(mine)} runs failed: {seen.cause}"
            self.states[trial.candidate] = (State.DISCARDED, why)

    def decide(self, candidate: Candidate, state: State, why: str = "") -> None:
        """Whoever is discarded stays so."""
        if self.state(candidate) is not State.DISCARDED:
            self.states[candidate] = (state, why)

    def drop(self, candidate: Candidate, best: Candidate) -> None:
        """Spends no more time on it, which says nothing of what it holds."""
        if starts := self.of(candidate, *RISING):
            after = counted(len(starts), "run")
        else:
            own, most = (format_number(self.screened(one) or 0.0) for one in (candidate, best))
            after = f"the screening: {own}/s under a full load, the best {most}/s"
        self.decide(candidate, State.DROPPED, f"dropped after {after}")

    def state(self, candidate: Candidate) -> State | None:
        return self.states[candidate][0] if candidate in self.states else None

    def decided(self, *states: State) -> dict[Candidate, str]:
        """Those of which this was decided, each with why."""
        return {one: why for one, (state, why) in self.states.items() if state in states}

    def going(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those about which nothing else was decided."""
        return [one for one in candidates if self.state(one) in (None, State.RACING)]

    @property
    def spent_s(self) -> float:
        return sum(one.seen.took_s for one in self.entries)

    @property
    def overhead_s(self) -> float:
        """What a start takes besides its load; the lower of two, as the first one makes data."""
        whole = [(entry.trial, entry.seen) for entry in self.entries if entry.is_whole]
        took = [seen.took_s - trial.load.duration_s - trial.wait_s for trial, seen in whole]
        return max(0.5, statistics.median_low(took)) if took else OVERHEAD_S

    def of(self, candidate: Candidate, *phases: Phase) -> list[Entry]:
        """Its starts in these phases, else all that count: diagnostic ones never do."""
        entries = [one for one in self.entries if one.trial.phase in (phases or COUNTED)]
        return [entry for entry in entries if entry.trial.candidate == candidate]

    def screened(self, candidate: Candidate) -> float | None:
        """Its goodput with users who ask at once; None where nothing got through."""
        starts = [entry for entry in self.of(candidate, Phase.SCREEN) if entry.trial.load.users]
        return next((level.goodput for start in starts for level in start.seen.levels), 0) or None

    def memory_bytes(self, candidate: Candidate) -> float | None:
        """Median over its starts; those that confirm count alone where there are any."""
        entries = self.of(candidate, Phase.CONFIRM) or self.of(candidate)
        starts = [entry.seen for entry in entries if entry.trial.phase is not Phase.PROBE]
        return _middle(seen.memory_bytes for seen in starts)

    def cpu_s(self, candidate: Candidate) -> float | None:
        """CPU time of a request, the median over its starts."""
        return _middle(entry.seen.cpu_s for entry in self.of(candidate))

    def excess(self, candidate: Candidate) -> str:
        """Which limit of the objective its starts exceeded. Connections count at the rate in
        question: above it a server that answers as many at once as come opens as many.
        """
        objective, allows = self.question.objective, "and the objective allows"
        memory, limit = self.memory_bytes(candidate) or 0.0, objective.memory_bytes
        if limit is not None and memory > limit:
            return f"it takes {format_bytes(memory)}, {allows} {format_bytes(limit)}"
        tried = [entry for entry in self.of(candidate, Phase.SCREEN) if entry.trial.load.rates]
        entries, allowed = self.of(candidate, Phase.CONFIRM) or tried, objective.connections
        opened = max((entry.seen.connections or 0 for entry in entries), default=0)
        if allowed is not None and opened > allowed:
            return f"it opened {opened} database connections, {allows} {allowed}"
        return ""

    def points(self, entries: Iterable[Entry]) -> list[Point]:
        """Of all rates as they came, which chance moves by some percent in a window of seconds;
        where the load generator was the limit, of those that held.
        """
        goals = self.question.objective.goals
        return [
            Point(level.offered or level.rate, met, level.planned)
            for entry in entries
            for level in entry.seen.levels
            if level.planned and level.rate
            if (met := margin(goals, level.planned, level.met)) >= 0 or not entry.seen.limit
        ]

    def reached(self, levels: Sequence[Level]) -> str:
        """ "90.6 % in time", "a mean of 43 ms": by the goal missed by most, else the first one."""
        planned = sum(level.planned for level in levels)
        met = [sum(counts) for counts in zip(*(level.met for level in levels), strict=True)]
        goals = zip(self.question.objective.goals, met, strict=True)
        goal, count = min(goals, key=lambda pair: min(0.0, margin(pair[:1], planned, pair[1:])))
        return goal.reached(count / planned)

    def pick(self) -> Candidate | None:
        """What is recommended, or leads so far."""
        if recommended := self.decided(State.RECOMMENDED):
            return next(iter(recommended))
        going = self.decided(State.RACING)
        if self.question.rate is not None:
            return min(going, key=lambda size: self.memory_bytes(size) or math.inf, default=None)
        rates = {size: (self.estimate(size) or 0.0, self.screened(size) or 0.0) for size in going}
        known = (size for size in rates if any(rates[size]))
        return max(known, key=rates.__getitem__, default=None)

    def crossing(self, candidate: Candidate, *phases: Phase) -> Crossing | None:
        """The rate that it just holds, by its starts in these phases, else by those of `RISING`."""
        points = self.points(self.of(candidate, *(phases or RISING)))
        return _crossing(tuple(points)) if points else None

    def estimate(self, candidate: Candidate) -> float | None:
        """That rate; None without any start that says something."""
        return whole.rate if (whole := self.crossing(candidate)) else None

    def blocks(self, candidate: Candidate) -> dict[int, float]:
        """Seed of each start near that rate → the logarithm of the rate that this start holds."""
        whole, starts = self.crossing(candidate), self.of(candidate, Phase.RACE, Phase.BISECT)
        return dict(self.limits(starts, whole, near=NEAR)) if whole else {}

    def limits(
        self, entries: Iterable[Entry], whole: Crossing, *, near: float = math.inf
    ) -> list[tuple[int, float]]:
        """Seed of each start with a rate so `near` that, and the logarithm of what it holds."""
        return [
            (entry.trial.seed, shifted(points, whole))
            for entry in entries
            if (points := self.points([entry]))
            and any(abs(math.log(point.rate / whole.rate)) <= near for point in points)
        ]

    def spread(self) -> float:
        """Standard deviation of the logarithm of what starts of one size hold; by the median of all
        sizes, as one whose rates were far off must not count for all.
        """
        deviations = []
        for candidate in self.states:
            rates = self.blocks(candidate).values()
            if (count := len(rates)) > 1:
                mean, lost = statistics.fmean(rates), math.sqrt(count / (count - 1))
                deviations += [lost * abs(rate - mean) for rate in rates]
        return max(USUAL, NORMAL * statistics.median(deviations or [0.0]))

    def is_limited(self, candidate: Candidate) -> bool:
        """Whether the load generator gave out before the candidate did."""
        whole = self.crossing(candidate)
        limited = any(one.seen.limit for one in self.of(candidate, *RISING))
        return limited and whole is not None and whole.beyond == "above"

    def recovers(self, candidate: Candidate) -> bool | None:
        """Whether it is in time again seconds after more came than it holds; None if not asked."""
        for entry in self.of(candidate, Phase.STRAIN):
            levels = entry.seen.levels
            if entry.is_whole and len(levels) > 1 and (last := levels[-1]).planned:
                goals = zip(self.question.objective.goals, last.met, strict=True)
                return all(met >= STAYS_DOWN * goal.share * last.planned for goal, met in goals)
        return None


_crossing = lru_cache(maxsize=1024)(crossing)
"""It is asked for again and again."""


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median_high(known) if known else None
