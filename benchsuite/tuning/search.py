"""The search: which trial is next. Each phase is a function that yields trials and is sent what was
seen; the order of trials follows from the question and the observations alone.
"""

import math
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from benchsuite.stats import racing
from benchsuite.tuning import bounds, confirming
from benchsuite.tuning.bounds import Probe
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

Steps = Generator[Trial, Observation, None]
Narrowed = Generator[Trial, Observation, list[Candidate]]  #: Steps that leave some in the race.
Grid = Callable[[Probe], Sequence[Candidate]]

SLOW = 20.0  #: Below this goodput windows are longer, or a p95 had no sample.
LONGER = 4.0
FULL = 0.6  #: Of the time allowed: so long do answers take under the load of the screening.
AGAIN = 0.88  #: Of the best: those are screened a second time.
MOST_AGAIN = 10
KEPT = 0.92  #: Of the best, after both.
MOST_KEPT = 4
RUNGS = (0.72, 0.82, 0.90, 0.97)
LEVELS = (0.93, 1.0, 1.06)
BLOCKS = 6
TIED = 0.03  #: Ends of the race: all those left are within this.
CONFIRMED = (0.80, 0.88, 0.95)
STARTS = 6  #: To confirm.
LOWER = 0.85  #: What is confirmed the second time, of the first.


class Search:
    """One tuning, on its notebook."""

    def __init__(self, book: Notebook, grid: Grid, first: Candidate) -> None:
        """`first` is probed; `grid` gives the candidates when the probe has been seen."""
        self.book, self.grid, self.first = book, grid, first
        self.question = book.question
        self.random = random.Random(self.question.seed)
        self.longer = self.question.window_factor

    def steps(self) -> Steps:
        """All trials in their order; `book.end` then says how it ended."""
        yield from self._probe()
        probe = self.book.probe
        if probe is None:
            self.book.end = self.book.end or End.NOTHING_RAN
            return
        alive = yield from self._screen(self._worthwhile(probe))
        alive = yield from self._ladder(alive)
        alive = yield from self._race(alive)
        if not alive:
            self.book.end = End.NOTHING_RAN
            return
        pick = self._choose(alive)
        yield from self._confirm(pick)
        confirmed = confirming.held(self.book, pick) is not None
        self.book.end = End.CONFIRMED if confirmed else End.NOT_CONFIRMED

    def _trial(
        self, candidate: Candidate, phase: Phase, load: Load, reason: str, **more: bool
    ) -> Generator[Trial, Observation, Observation]:
        seed = len(self.book.entries) if phase is not Phase.RACE else self._block
        trial = Trial(
            candidate=candidate,
            phase=phase,
            load=load,
            seed=1000 * self.question.seed + seed,
            reason=reason,
            **more,
        )
        seen = yield trial
        self.book.note(trial, seen)
        if not seen.says_nothing:
            return seen
        again = replace(trial, reason=f"{reason}; once more, because of {', '.join(seen.codes)}")
        seen = yield again
        self.book.note(again, seen)
        return seen

    def _load(
        self, warmup_s: float, window_s: float, *, users: int = 0, rates: Sequence[float] = ()
    ) -> Load:
        return Load(
            users=users,
            rates=tuple(rates),
            warmup_s=warmup_s,
            window_s=window_s * self.longer,
        )

    def _probe(self) -> Steps:
        """What one user sees, what a request costs, and how much a full load gets through."""
        one = yield from self._trial(
            self.first, Phase.PROBE, self._load(1, 3, users=1), "one user alone"
        )
        if not one.levels or not one.response_s or not one.cpu_s:
            return
        if not self._met(one):
            load = self._load(1, 8, users=1)
            one = yield from self._trial(self.first, Phase.PROBE, load, "too slow for one user?")
            if not self._met(one):
                self.book.end = End.NOTHING_HOLDS
                return
        assert one.response_s
        assert one.cpu_s
        users = max(4, math.ceil(FULL * self._limit_s * self.question.cpus / one.cpu_s))
        full = yield from self._trial(
            self.first, Phase.PROBE, self._load(1, 3, users=users), "as many users as it takes"
        )
        if not full.levels or not full.levels[0].goodput:
            return
        goodput = full.levels[0].goodput
        if goodput < SLOW:
            self.longer *= LONGER
        memory = full.memory_bytes
        self.book.probe = Probe(
            response_s=one.response_s,
            cpu_s=full.cpu_s or one.cpu_s,
            goodput=goodput,
            memory_bytes=memory / self.first.processes if memory else None,
        )

    def _met(self, seen: Observation) -> bool:
        """Whether users who were alone were served as the objective says."""
        goals = self.question.objective.goals
        return all(
            count >= goal.share * level.planned
            for level in seen.levels
            for goal, count in zip(goals, level.met, strict=True)
        )

    @property
    def _limit_s(self) -> float:
        return self.question.objective.limit_s

    def _worthwhile(self, probe: Probe) -> list[Candidate]:
        candidates = list(self.grid(probe))
        out = bounds.hopeless(candidates, probe, self.question.cpus)
        for candidate, why in out.items():
            self.book.decide(candidate, State.BOUNDED_OUT, why)
        return [one for one in candidates if one not in out]

    def _screen(self, candidates: list[Candidate]) -> Narrowed:
        probe = self.book.probe
        assert probe is not None
        highest = max(bounds.bound(one, probe, self.question.cpus).rate for one in candidates)
        users = max(4, math.ceil(FULL * self._limit_s * highest))
        load = self._load(1, 3, users=users)
        for one in self._shuffled(candidates):
            yield from self._trial(one, Phase.SCREEN, load, "each candidate once")
        best = self._ranked(candidates)
        if not best:
            return []
        most = self.book.screened(best[0]) or 0.0
        near = [one for one in best if (self.book.screened(one) or 0.0) >= AGAIN * most]
        for one in self._shuffled(near[:MOST_AGAIN]):
            yield from self._trial(one, Phase.SCREEN, load, "near the best: once more")
        return self._kept(candidates)

    def _kept(self, candidates: list[Candidate]) -> list[Candidate]:
        ranked = self._ranked(candidates)
        most = self.book.screened(ranked[0]) or 0.0
        kept = [one for one in ranked if (self.book.screened(one) or 0.0) >= KEPT * most]
        kept = kept[:MOST_KEPT]
        for one in candidates:
            found = self.book.screened(one)
            if one in kept:
                self.book.decide(one, State.RACING)
            else:
                short = f"{100 * (1 - found / most):.0f} % behind" if found else "no right answer"
                self.book.decide(one, State.BEHIND, f"{short} in the screening")
        current = self.question.current
        if current is not None and current not in kept:
            kept.append(current)
        return kept

    def _ladder(self, alive: list[Candidate]) -> Narrowed:
        probe = self.book.probe
        assert probe is not None
        for one in self._shuffled(alive):
            limit = 1.1 * bounds.bound(one, probe, self.question.cpus).rate
            top = min(self.book.screened(one) or limit, limit)
            load = self._load(1, 5, rates=[rung * top for rung in RUNGS])
            yield from self._trial(one, Phase.LADDER, load, "rising rates", ends_early=True)
        return [one for one in alive if self.book.crossing(one) is not None]

    def _race(self, alive: list[Candidate]) -> Narrowed:
        for self._block in range(BLOCKS):
            if len(alive) == 1 or not self._affords(alive):
                break
            for one in self._shuffled(alive):
                crossing = self.book.crossing(one)
                assert crossing is not None
                load = self._load(1, 5, rates=[level * crossing.rate for level in LEVELS])
                yield from self._trial(
                    one, Phase.RACE, load, f"block {self._block + 1} of the race", ends_early=True
                )
            blocks = {one.name: self.book.blocks(one) for one in alive}
            out = racing.given_up(blocks, looks=BLOCKS - racing.FIRST_LOOK + 1)
            for one in [one for one in alive if one.name in out]:
                behind = 100 * (1 - math.exp(out[one.name]))
                self.book.decide(
                    one, State.DROPPED, f"{behind:.0f} % behind after {self._block + 1} starts"
                )
            alive = [one for one in alive if one.name not in out]
            if self._told_enough(alive):
                break
        return alive

    def _told_enough(self, alive: list[Candidate]) -> bool:
        """Whether those left are so close that more starts would not matter."""
        rates = [self.book.crossing(one) for one in alive]
        found = [one.rate for one in rates if one]
        return self._block + 1 >= racing.FIRST_LOOK + 1 and max(found) <= (1 + TIED) * min(found)

    def _choose(self, alive: list[Candidate]) -> Candidate:
        """The least memory, then the fewest connections and slots, of those that are tied."""
        rates = {one: crossing.rate for one in alive if (crossing := self.book.crossing(one))}
        most = max(rates.values())
        tied = [one for one in alive if rates[one] >= (1 - TIED) * most]
        for one in tied:
            self.book.decide(one, State.NOT_TOLD_APART)
        pick = min(
            tied,
            key=lambda one: (
                self.book.memory_bytes(one) or math.inf,
                one.connections or math.inf,
                one.slots or math.inf,
            ),
        )
        self.book.decide(pick, State.RECOMMENDED)
        return pick

    def _confirm(self, pick: Candidate) -> Steps:
        """Fresh starts, of which alone the figures come that are told."""
        crossing = self.book.crossing(pick)
        assert crossing is not None
        yield from self._fresh(pick, crossing.rate, "fresh starts of the pick")
        if confirming.held(self.book, pick) is None and self._affords_confirming():
            yield from self._fresh(pick, LOWER * crossing.rate, "fresh starts at lower rates")
        current = self.question.current
        if current is None or current == pick:
            return
        if (now := self.book.crossing(current)) and self._affords_confirming():
            yield from self._fresh(current, now.rate, "fresh starts of what runs now")

    def _fresh(self, candidate: Candidate, rate: float, reason: str) -> Steps:
        load = self._load(2, 10, rates=[level * rate for level in CONFIRMED])
        for _ in range(STARTS):
            yield from self._trial(candidate, Phase.CONFIRM, load, reason)

    def _affords_confirming(self) -> bool:
        return self.book.spent_s + self._confirming_s() <= self.question.budget_s

    def _confirming_s(self) -> float:
        each = self.book.overhead_s + len(CONFIRMED) * (2 + 10 * self.longer)
        return STARTS * each

    def _affords(self, alive: Sequence[Candidate]) -> bool:
        """Whether another block leaves enough time to confirm."""
        overhead, longer = self.book.overhead_s, self.longer
        block = len(alive) * (overhead + len(LEVELS) * (1 + 5 * longer))
        return self.book.spent_s + block + self._confirming_s() <= self.question.budget_s

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        found = [(rate, one) for one in candidates if (rate := self.book.screened(one))]
        return [one for _, one in sorted(found, key=lambda pair: -pair[0])]

    def _shuffled(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        order = list(candidates)
        self.random.shuffle(order)
        return order


def resumed(search: Search, seen: Sequence[Observation]) -> tuple[Steps, Trial | None]:
    """The search as it stands after these observations, and its next trial; None at its end."""
    steps = search.steps()
    try:
        trial = next(steps)
        for one in seen:
            trial = steps.send(one)
    except StopIteration:
        return steps, None
    return steps, replace(trial)
