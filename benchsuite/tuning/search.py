"""The search: which trial is next. Each step is a function that yields trials and is sent what was
seen; the order of trials follows from the question and the observations alone.

Screening under a full load takes seconds where a rate takes several starts, and ranks by what gets
through, which isn't what holds an objective: bisecting the best corrects it, one rate a start,
nearer each time to what it just holds. Each start is a fresh one, so no overload is carried on.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Self

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import plain
from benchsuite.core.specs.objective import margin
from benchsuite.core.units import format_number, gathered, some_of
from benchsuite.tuning.candidates import HOPELESS, Resize, beside, bound, hopeless, refusal
from benchsuite.tuning.confirming import FEWEST_STARTS, choose, confirm, held_by, hold, unsteady
from benchsuite.tuning.diagnosing import Variants, diagnose, overload, vary
from benchsuite.tuning.notebook import RISING, End, Entry, Notebook, State
from benchsuite.tuning.planning import Making, Steps, full_load, judge, least_s, probe
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Probe, Trial

Grid = Callable[[Probe], Sequence[Candidate]]  #: The candidates for such a page.

ASSUMED = Probe(response_s=0.03, cpu_s=0.01, goodput=80.0, memory_bytes=60e6)
"""A page, before one was seen: what is refused in all its sizes is never started."""
MOST_NAMED = 3  #: Refusals that the end quotes.
SCREENING = 0.40  #: Of the budget at most goes into screening.
CONFIRMING = 0.33  #: So much of it is left for fresh starts of the pick,
CURRENT = 0.15  #: and so much for those of what runs now, where that is another one.
FEWEST = 4  #: Are screened, however short the budget is.
FIELD = 5  #: So many of those that were screened are bisected at most,
FEWEST_ROUNDS = 3  #: and fewer where there is no time for so many starts of each.
LEFT = (5, 4, 3, 3, 3, 2, 2, 2)  #: Are left at most after each round, of one start each.
ALONE = 4  #: Starts of a candidate that has no rival left.
ON_SEVERAL_CPUS = 6  #: The same, where its rate is compared with that on other CPUs.
WINDOW_S, LONG_S = 6.0, 16.0
LONG_FROM = 4  #: The round from which on windows are long, as short ones flatter.
FIRST = 0.93  #: Of what a full load got through: the rate of a first start.
HIGHER = 1.08  #: Of the highest rate, where all were held.
LOWER = 0.8  #: Of the lowest, where none was by far.


class Search(Making):
    """One tuning, on its notebook. It is told what each trial showed, and says which is next."""

    def __init__(
        self,
        notebook: Notebook,
        grid: Grid,
        resize: Resize = lambda like, processes, threads: None,
        variants: Variants = lambda pick, against: (),
    ) -> None:
        super().__init__(notebook)
        self.grid, self.resize, self.variants = grid, resize, variants
        self.full = Load(warmup_s=1, window_s=3)  #: With as many users as screening finds right.
        self.page = ASSUMED  #: Its probe, once there is one.
        self._trials = self._steps()
        self.next: Trial | None = next(self._trials, None)  #: None at its end.

    def after(self, entries: Sequence[Entry]) -> Self:
        """The same after these; raises UsageError where it would not have made their trials."""
        for entry in entries:
            if self.next is None or plain(self.next) != plain(entry.trial):
                raise UsageError(
                    f"Trial {len(self.notebook.entries) + 1} would be another one today: leave "
                    "--resume out, or go on with the benchsuite that began it."
                )
            self.tell(entry.seen)
        return self

    def tell(self, seen: Observation) -> None:
        """What the next trial showed."""
        try:
            self.next = self._trials.send(seen)
        except StopIteration:
            self.next = None

    def _steps(self) -> Steps[None]:
        """All trials in their order; `notebook.end` then says how it ended."""
        question = self.question
        if question.scaling:
            yield from self._scale()
            return
        if not (firsts := self._startable()):
            return
        if (page := (yield from probe(self, firsts))) is None:
            if self.notebook.end is None:
                self._ended(confirmed=False)
            return
        self.page = page
        candidates = self._admitted(self._candidates())
        if question.rate is not None:
            candidates = self._bounded(candidates)
        if not candidates:
            self._refused()
        elif question.rate is None:
            self._ended(confirmed=(yield from self._highest(candidates)))
        else:
            self._ended(confirmed=(yield from hold(self, candidates, question.rate)))
        pick = self.notebook.pick()
        if self.notebook.end is End.CONFIRMED and pick and (held := held_by(self.notebook, pick)):
            yield from diagnose(self, pick, held)
            yield from vary(self, pick, held, self.variants)

    def _scale(self) -> Steps[None]:
        """All of them in random order, so that a machine that slows down is not taken for CPUs that
        don't help, each in a search of its own. What one left of its time is for those after it.
        """
        notebook, question, parts = self.notebook, self.question, list[Notebook]()
        order = list(question.scaling)
        self.random.shuffle(order)
        for place, candidate in enumerate(order):
            assert candidate.cpus is not None
            left_s = max(least_s(question.window_factor), self.unspent_s / (len(order) - place))
            alone = replace(question, only=candidate, cpus=candidate.cpus, scaling=())
            part = Notebook(replace(alone, budget_s=left_s))
            search = Search(part, self.grid)
            while (trial := search.next) is not None:
                seen = yield trial
                notebook.note(trial, seen)
                search.tell(seen)
                notebook.probe = part.probe or notebook.probe
                if candidate in part.states:
                    notebook.decide(candidate, *_measured(part, candidate))
            notebook.decide(candidate, *_measured(part, candidate))
            unable = {f"{what} of {candidate.name}": why for what, why in part.unable.items()}
            notebook.unable.update(unable)
            parts.append(part)
        ends = {part.end for part in parts}
        notebook.end = ends.pop() if len(ends) == 1 else End.NOT_CONFIRMED
        notebook.said = "; ".join(dict.fromkeys(part.said for part in parts if part.said))

    def _startable(self) -> list[Candidate]:
        """What may be probed; none, and the end in the notebook, where nothing may be started."""
        question, notebook = self.question, self.notebook
        notebook.unable.update(question.unable)
        sizes = sorted(self._candidates(), key=lambda size: size != question.current)
        allowed = gathered((size.server, size) for size in sizes if not refusal(question, size))
        if not allowed:
            self._admitted(sizes)  # none of them, and the notebook says why
            self._refused()
        return [first for first, *_ in allowed.values()]

    def _candidates(self) -> list[Candidate]:
        """With what runs now, and without servers that can't run."""
        question = self.question
        asked = [question.only] if question.only is not None else self.grid(self.page)
        possible = [one for one in asked if one.server not in question.unable]
        return list(dict.fromkeys([*possible, *filter(None, [question.current])]))

    def _admitted(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that are not refused; the others are noted so."""
        whys = {one: refusal(self.question, one) for one in candidates}
        for candidate in filter(whys.get, candidates):
            self.notebook.decide(candidate, State.REFUSED, whys[candidate])
        return [one for one, why in whys.items() if not why]

    def _hopeless(self, candidates: Sequence[Candidate]) -> dict[Candidate, str]:
        """Those for which arithmetic sees no hope, beside each other and those that are still in:
        who exceeds a limit is no measure. What runs now is measured even where it can't win.
        """
        kept = self.question.current, self.question.only
        racing = self.notebook.decided(State.RACING)
        through = filter(None, map(self.notebook.screened, racing))
        out = hopeless([*candidates, *racing], self.page, self.question, [*through])
        return {size: out[size] for size in candidates if size in out and size not in kept}

    def _bounded(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """All but the hopeless ones, which are noted so."""
        out = self._hopeless(candidates)
        for candidate, why in out.items():
            self.notebook.decide(candidate, State.BOUNDED_OUT, why)
        return [one for one in candidates if one not in out]

    def _refused(self) -> None:
        notebook = self.notebook
        if out := notebook.decided(State.BOUNDED_OUT):
            nearest = max(out, key=lambda size: bound(size, self.page, self.question).rate)
            notebook.end = End.NOTHING_HOLDS
            notebook.said = f"{nearest.name} comes nearest: {out[nearest]}"
            return
        whys = [f"{one.name}: {why}" for one, (_, why) in notebook.states.items() if why]
        whys += [f"{what}: {why}" for what, why in notebook.unable.items()]
        notebook.end, notebook.said = End.REFUSED, some_of(whys, MOST_NAMED, "; ")

    def _highest(self, candidates: list[Candidate]) -> Steps[bool]:
        """Whether the highest rate that one of them holds is confirmed."""
        notebook, now, only = self.notebook, self.question.current, self.question.only
        ranked = [only] if only is not None else (yield from self._screen(candidates))
        yield from self._bisect(ranked)
        confirmed = False
        while (pick := self._choose()) is not None:
            notebook.decide(pick, State.RECOMMENDED)
            if now not in (None, pick) and notebook.estimate(now):
                self.kept_s = self.cost_s(self.confirming(), 1 + FEWEST_STARTS)
            confirmed = yield from confirm(self, pick, "the pick")
            self.kept_s = 0.0
            if over := notebook.excess(pick):
                notebook.decide(pick, State.OVER, over)
            if notebook.state(pick) is State.RECOMMENDED:
                break
            confirmed = False
        if now is not None and now != notebook.pick():
            yield from confirm(self, now, "what runs now")
        if confirmed and pick is not None:
            yield from overload(self, pick)
        return confirmed

    def _choose(self) -> Candidate | None:
        """The best that is left; where fresh starts rule all out, of those given up for them."""
        notebook = self.notebook
        if (pick := choose(notebook)) is not None:
            return pick
        for candidate in notebook.decided(State.DROPPED, State.NOT_TOLD_APART, State.BEHIND):
            if notebook.estimate(candidate):
                notebook.decide(candidate, State.RACING)
        return choose(notebook)

    def _screen(self, candidates: list[Candidate]) -> Steps[list[Candidate]]:
        """Those that got something through a full load, the best first."""
        notebook, question, now = self.notebook, self.question, self.question.current
        most = max(bound(one, self.page, question).rate for one in candidates)
        self.full = self.load(1, 3, users=full_load(question.objective, most))
        room = max(FEWEST, int(SCREENING * question.budget_s / self.cost_s(self.full)))
        in_order = sorted(candidates, key=lambda size: (size.slots or 0, size.processes))
        sizes = gathered((size.server, size) for size in in_order)
        middling = [some[len(some) // 2] for some in sizes.values()]
        through: dict[str, float] = dict.fromkeys(sizes, 0.0)  #: By the best size of each server.
        waiting, tried = self.shuffled(candidates), list[Candidate]()
        while len(tried) < room:
            waiting.sort(
                key=lambda size: (size != now, size not in middling, -through[size.server])
            )
            out = self._hopeless(waiting)
            if (candidate := next((one for one in waiting if one not in out), None)) is None:
                break
            waiting.remove(candidate)
            tried.append(candidate)
            reason = "each server once, then sizes of the better ones"
            rate = yield from self._through(candidate, reason)
            through[candidate.server] = max(rate, through[candidate.server])
        for candidate in self._bounded(waiting):
            notebook.decide(candidate, State.NOT_TRIED, "the budget left no time for it")
        known = [one for one in notebook.going(tried) if notebook.screened(one)]
        return sorted(known, key=lambda size: notebook.screened(size) or 0.0, reverse=True)

    def _through(self, candidate: Candidate, reason: str) -> Steps[float]:
        """What it gets through under a full load; 0 where it shows nothing."""
        seen = yield from self.start(candidate, Phase.SCREEN, self.full, reason)
        rate = self.notebook.screened(candidate) or 0.0
        judge(self.notebook, candidate, seen, is_known=rate > 0)
        return rate

    def _kept(self, ranked: Sequence[Candidate], most: int) -> list[Candidate]:
        """The first few, and what runs now whatever it shows; the others are dropped."""
        dropped = [size for size in ranked[most:] if size != self.question.current]
        for candidate in dropped:
            self.notebook.drop(candidate, ranked[0])
        return [size for size in ranked if size not in dropped]

    def _bisect(self, ranked: Sequence[Candidate]) -> Steps[None]:
        """Those that are left, `ranked` by what a full load got through."""
        notebook, cost_s = self.notebook, self.cost_s(self.load(1, WINDOW_S))
        field = self._kept(ranked, max(2, min(FIELD, int(self._spare_s / cost_s / FEWEST_ROUNDS))))
        alone = ON_SEVERAL_CPUS if any(one.cpus for one in field) else ALONE
        for place, left in enumerate(LEFT):
            window_s = WINDOW_S if place < LONG_FROM else LONG_S
            order = self.shuffled(field)
            if self.cost_s(self.load(1, window_s), len(field)) > self._spare_s:
                order = field  # not all have their turn, so the best have it first
            for candidate in order:
                load = self.load(1, window_s, rates=[self._rate(candidate)])
                if self.cost_s(load) > self._spare_s and any(map(notebook.estimate, field)):
                    return
                how = ", nearer to what it just holds" if place else " below a full load"
                seen = yield from self.start(candidate, Phase.BISECT, load, f"one rate{how}", place)
                is_known = bool(notebook.points(notebook.of(candidate, *RISING)))
                judge(notebook, candidate, seen, is_known=is_known or bool(seen.limit))
            field = notebook.going(field)
            field.sort(key=lambda size: -(notebook.estimate(size) or math.inf))
            field = self._kept(field, left)
            new = (yield from self._walk(field)) if place else []
            is_settled = len(field) <= 1 and place + 1 >= alone
            if not field or any(map(notebook.is_limited, field)) or (is_settled and not new):
                return
            field += new

    @property
    def _spare_s(self) -> float:
        """What may be spent before fresh starts of the pick, and of what runs now."""
        share = CONFIRMING + CURRENT * (self.question.current is not None)
        return self.left_s - share * self.question.budget_s

    def _rate(self, candidate: Candidate) -> float:
        """That of its next start: what it just holds, as far as is known."""
        notebook, starts = self.notebook, self.notebook.of(candidate, *RISING)
        if (crossing := notebook.crossing(candidate)) is not None:
            rates = [point.rate for point in notebook.points(starts)]
            if crossing.beyond == "above":
                return max(crossing.rate, HIGHER * max(rates))
            if crossing.beyond == "below" and crossing.is_far:
                return LOWER * min(rates)
            return crossing.rate
        if starts:
            return LOWER * min(entry.trial.load.rates[0] for entry in starts)
        known = ((notebook.estimate(one), notebook.screened(one)) for one in notebook.states)
        shares = [rate / through for rate, through in known if rate and through]
        share = statistics.median(shares) if shares else FIRST
        return share * (notebook.screened(candidate) or self.page.goodput)

    def _walk(self, field: Sequence[Candidate]) -> Steps[list[Candidate]]:
        """Sizes next to the best that nobody has tried yet, as far as they stand a full load."""
        notebook = self.notebook
        if self.question.only is not None or not field:
            return []
        best = max(field, key=lambda size: notebook.estimate(size) or 0.0)
        new = [size for size in beside(best, self.resize) if size not in notebook.states]
        for candidate in self._bounded(self._admitted(new)):
            if self.cost_s(self.full) > self._spare_s:
                break
            rate = yield from self._through(candidate, "one step beside the best")
            is_racing = notebook.state(candidate) is State.RACING
            if is_racing and rate < HOPELESS * (notebook.screened(best) or 0.0):
                notebook.drop(candidate, best)
        return [size for size in notebook.going(new) if size in notebook.states]

    def _ended(self, *, confirmed: bool) -> None:
        notebook, pick = self.notebook, self.notebook.pick()
        lost = notebook.decided(State.OVER, State.BEHIND, State.DISCARDED) if pick is None else {}
        out = {one: f"{one.name}: {why}" for one, why in lost.items() if why}
        tried = [
            (margin(self.question.objective.goals, level.planned, level.met), level.rate, entry)
            for entry in notebook.entries
            for level in entry.seen.levels
            if level.planned and level.rate
        ]
        reached, rate, entry = max(tried, key=lambda level: level[:2], default=(0.0, 0.0, None))
        least_missed = 1 / self.page.response_s if len(tried) == 1 else math.inf
        if confirmed:
            notebook.end = End.CONFIRMED
        elif pick is not None and (why := unsteady(notebook, pick)):
            notebook.end, notebook.said = End.UNSTABLE, why
            notebook.decide(pick, State.BEHIND, f"unstable: {why}")
        elif out and all(notebook.state(one) is State.OVER for one in out):
            least = min(out, key=lambda size: notebook.memory_bytes(size) or math.inf)
            notebook.end, notebook.said = End.NOTHING_HOLDS, out[least]
        elif entry is None:
            whys = dict.fromkeys(notebook.decided(State.NO_STATEMENT, State.DISCARDED).values())
            disturbed = notebook.probe and notebook.decided(State.NO_STATEMENT)
            notebook.end = End.NOT_CONFIRMED if disturbed else End.NOTHING_RAN
            notebook.said = "; ".join(whys)
        elif (
            reached >= 0
            or rate > (self.question.rate or least_missed)  # which says nothing of less
            or any(entry.seen.limit for entry in notebook.entries)
        ):
            notebook.end, notebook.said = End.NOT_CONFIRMED, "; ".join([*out.values()][:MOST_NAMED])
        else:
            notebook.end = End.NOTHING_HOLDS
            if pick is not None:
                notebook.decide(pick, State.BEHIND, "it held no rate")
            nearest = [level for level in entry.seen.levels if level.rate == rate]
            wrong = f"; wrong answers said: {entry.seen.wrong}" * bool(entry.seen.wrong)
            at = f"{notebook.reached(nearest)} at {format_number(rate)}/s"
            notebook.said = f"{entry.trial.candidate.name} came nearest: {at}{wrong}"


def _measured(part: Notebook, candidate: Candidate) -> tuple[State, str]:
    """What became of one on its CPUs: none is recommended, as each is what was asked for."""
    state, why = part.states.get(candidate, (State.NOT_TRIED, part.said))
    if part.end is End.NOTHING_HOLDS and state is not State.OVER:
        return State.MEASURED, part.said
    if state in (State.RECOMMENDED, State.RACING):
        return State.MEASURED, "" if part.end is End.CONFIRMED else "not confirmed"
    return state, why
