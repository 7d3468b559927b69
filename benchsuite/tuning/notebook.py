"""What a tuning has seen so far, and what it decided: all that its answer is made of."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from benchsuite.core.specs.objective import margin
from benchsuite.stats.capacity import Crossing, Point, crossing, shifted
from benchsuite.tuning.bounds import Probe
from benchsuite.tuning.question import Question
from benchsuite.tuning.trial import Candidate, Level, Observation, Phase, Trial


class State(StrEnum):
    """How far a candidate came."""

    REFUSED = "refused"  #: By arithmetic, or it can't run here.
    BOUNDED_OUT = "bounded out"  #: It can't be among the best.
    NOT_TRIED = "not tried"  #: No time was left for it.
    NO_STATEMENT = "no statement"  #: All its starts were spoiled, or it did not start.
    OVER = "over a limit"  #: It needs more memory or connections than the objective allows.
    BEHIND = "behind"
    DROPPED = "dropped"  #: In the race.
    RACING = "racing"
    NOT_TOLD_APART = "not told apart"
    RECOMMENDED = "recommended"


class End(StrEnum):
    """How a search ends by itself."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not confirmed"
    NOTHING_HOLDS = "nothing holds it"
    NOTHING_RAN = "nothing could be measured"
    REFUSED = "refused"  #: All that was asked for, before any start.


@dataclass(frozen=True, slots=True)
class Entry:
    trial: Trial
    seen: Observation


@dataclass(slots=True)
class Notebook:
    """Written by the search alone."""

    question: Question
    entries: list[Entry] = field(default_factory=list)
    states: dict[Candidate, tuple[State, str]] = field(default_factory=dict)
    probe: Probe | None = None
    end: End | None = None  #: Why the search ended; None while it goes on.
    said: str = ""  #: What that end rests on: "one user alone takes 230 ms".
    unable: dict[str, str] = field(default_factory=dict)
    """What was never a candidate, such as a server that isn't installed → why."""

    def note(self, trial: Trial, seen: Observation) -> None:
        self.entries.append(Entry(trial, seen))

    def decide(self, candidate: Candidate, state: State, why: str = "") -> None:
        self.states[candidate] = (state, why)

    @property
    def spent_s(self) -> float:
        return sum(one.seen.took_s for one in self.entries)

    @property
    def overhead_s(self) -> float:
        """What a start takes besides its load, as those before did; 4 s before the first."""
        took = [one.seen.took_s - one.trial.load.duration_s for one in self.entries]
        return max(0.5, sorted(took)[len(took) // 2]) if took else 4.0

    def of(self, candidate: Candidate, *phases: Phase) -> list[Entry]:
        return [
            one
            for one in self.entries
            if one.trial.candidate == candidate and (not phases or one.trial.phase in phases)
        ]

    def screened(self, candidate: Candidate) -> float | None:
        """Geometric mean of its goodput with users who ask at once."""
        found = [
            level.goodput for one in self.of(candidate, Phase.SCREEN) for level in one.seen.levels
        ]
        if not found or min(found) <= 0:
            return None
        return math.exp(sum(map(math.log, found)) / len(found))

    def memory_bytes(self, candidate: Candidate) -> float | None:
        found = [
            one.seen.memory_bytes
            for one in self.of(candidate)
            if one.seen.memory_bytes is not None and one.trial.phase is not Phase.PROBE
        ]
        return sorted(found)[len(found) // 2] if found else None

    def points(self, entries: Iterable[Entry]) -> list[Point]:
        return [self.point(level) for one in entries for level in one.seen.levels if level.planned]

    def point(self, level: Level) -> Point:
        goals = self.question.objective.goals
        return Point(level.rate, margin(goals, level.planned, level.met), level.planned)

    def pick(self) -> Candidate | None:
        """What is recommended, or leads so far."""
        for candidate, (state, _) in self.states.items():
            if state is State.RECOMMENDED:
                return candidate
        rates = {
            one: found.rate
            for one, (state, _) in self.states.items()
            if state is State.RACING and (found := self.crossing(one))
        }
        if rates:
            return max(rates, key=lambda one: rates[one])
        screened = {one: rate for one in self.states if (rate := self.screened(one))}
        return max(screened, key=lambda one: screened[one]) if screened else None

    def crossing(self, candidate: Candidate) -> Crossing | None:
        """The rate at which it just holds the objective, from all its starts so far."""
        points = self.points(self.of(candidate, Phase.LADDER, Phase.RACE))
        return crossing(points) if points else None

    def blocks(self, candidate: Candidate) -> list[float]:
        """The logarithm of that rate, start by start of the race."""
        whole = self.crossing(candidate)
        assert whole is not None
        starts = [self.points([one]) for one in self.of(candidate, Phase.RACE)]
        return [shifted(points, whole) for points in starts if points]
