"""The search: which trial is next. Each step is a function that yields trials and is sent what was
seen; the order of trials follows from the question and the observations alone."""

from collections.abc import Callable, Container, Sequence

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import plain
from benchsuite.core.units import format_number, format_period
from benchsuite.tuning import choosing
from benchsuite.tuning.bisecting import bisect
from benchsuite.tuning.bounds import Probe, bound
from benchsuite.tuning.candidates import Resize, excess, refusal
from benchsuite.tuning.choosing import choose
from benchsuite.tuning.confirming import FEWEST_STARTS
from benchsuite.tuning.diagnosing import diagnose
from benchsuite.tuning.fresh import confirm, strain
from benchsuite.tuning.notebook import End, Entry, Notebook, State
from benchsuite.tuning.planning import Making, Narrowed, Steps, least_s
from benchsuite.tuning.probing import probe
from benchsuite.tuning.scaling import scale
from benchsuite.tuning.screening import screen, startable
from benchsuite.tuning.trial import Candidate, Observation, Phase, Trial
from benchsuite.tuning.variants import Variants, vary

Grid = Callable[[Probe], Sequence[Candidate]]

ASSUMED = Probe(response_s=0.05, cpu_s=0.01, goodput=100.0, memory_bytes=None)
"""A page, before one was seen: what is refused in all its sizes is never started."""
SPOILED = (State.NO_STATEMENT, State.DISCARDED)
UNSTEADY = 2  #: Servers that are so: then the page is.
MOST_NAMED = 3  #: Refusals that the end quotes.


class Search:
    """One tuning, on its notebook."""

    def __init__(
        self,
        notebook: Notebook,
        grid: Grid,
        first: Candidate,
        spare: Sequence[Candidate] = (),
        resize: Resize | None = None,
        variants: Variants | None = None,
    ) -> None:
        """`first` is probed, or the first of `spare` that runs where it doesn't; `grid` gives the
        candidates when the probe has been seen, `resize` the size next to one at its edge, and
        `variants` other settings of the pick.
        """
        self.notebook, self.question = notebook, notebook.question
        self.variants = variants
        self.grid, self.firsts, self.resize = grid, (first, *spare), resize
        self.making = Making(notebook)

    def steps(self) -> Steps:
        """All trials in their order; `notebook.end` then says how it ended."""
        if self.question.scaling:
            yield from scale(
                self.notebook, lambda part, candidate: Search(part, self.grid, candidate).steps()
            )
            return
        firsts = self._startable()
        probed = (yield from probe(self.making, firsts)) if firsts else None
        if probed is None:
            return
        candidates = startable(self.making, self._candidates(probed))
        if not candidates:
            self._refused()
        elif self.question.rate is not None:
            pick = yield from choosing.hold(self.making, candidates, self.question.rate)
            self._ended(candidates, confirmed=pick is not None)
        else:
            yield from self._highest(candidates)
        yield from diagnose(self.making)
        if self.variants is not None:
            yield from vary(self.making, self.variants)

    def _startable(self) -> list[Candidate]:
        """What may be probed; none, and the end in the notebook, where nothing may be started."""
        question, notebook = self.question, self.notebook
        notebook.unable.update(question.unable)
        least = least_s(question.window_factor)
        if question.budget_s < least:
            short = format_period(question.budget_s)
            notebook.end = End.REFUSED
            notebook.said = (
                f"a budget of {short} shows nothing: give {format_period(least)} or more"
            )
            return []
        sizes = self._candidates(ASSUMED)
        whys = {size: why for size in sizes if (why := refusal(question, size))}
        if len(whys) == len(sizes) or question.only in whys:
            for refused, reason in whys.items():
                notebook.decide(refused, State.REFUSED, reason)
            self._refused()
            return []
        if question.only is not None:
            return [question.only]
        each: dict[str, Candidate] = {}
        for candidate in (*self.firsts, *sizes):
            if not refusal(question, candidate):
                each.setdefault(candidate.server, candidate)
        return list(each.values())

    def _candidates(self, probe: Probe) -> list[Candidate]:
        """With what runs now, and without servers that can't run."""
        question = self.question
        asked = [question.only] if question.only is not None else self.grid(probe)
        possible = [one for one in asked if one.server not in question.unable]
        if question.current is not None:
            possible.append(question.current)
        return list(dict.fromkeys(possible))

    def _refused(self) -> None:
        notebook, question = self.notebook, self.question
        if question.rate is not None and notebook.probe is not None and notebook.states:
            rates = {
                one: bound(one, notebook.probe, question.cpus, gil=question.gil).rate
                for one, (state, _) in notebook.states.items()
                if state is State.BOUNDED_OUT
            }
            if nearest := max(rates, key=lambda one: rates[one], default=None):
                notebook.end = End.NOTHING_HOLDS
                notebook.said = f"{nearest.name} comes nearest: {notebook.states[nearest][1]}"
                return
        whys = [f"{one.name}: {why}" for one, (_, why) in notebook.states.items() if why]
        whys += [f"{what}: {why}" for what, why in notebook.unable.items()]
        more = len(whys) - MOST_NAMED
        notebook.end = End.REFUSED
        notebook.said = "; ".join(whys[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")

    def _highest(self, candidates: list[Candidate]) -> Steps:
        """The highest rate that one of them holds."""
        notebook, making, only = self.notebook, self.making, self.question.only
        ranked = candidates
        if only is None:
            ranked = yield from screen(making, candidates, self.resize)
        alive = yield from bisect(making, ranked, self.resize)
        confirmed, unsteady = False, dict[str, str]()
        while not confirmed and len(unsteady) < UNSTEADY:
            pick = choose(notebook, alive)
            if pick is None:
                alive = yield from self._given_up(ranked, unsteady)
                if not alive:
                    break
                continue
            if not (yield from strain(making, pick)):
                unsteady[pick.server] = self._late(pick)
                for one in notebook.going([pick, *notebook.states]):
                    if one.server == pick.server:
                        notebook.decide(one, State.BEHIND, f"unstable: {self._late(pick)}")
                continue
            if notebook.recovers(pick) is False:
                pick = choose(notebook, alive) or pick
            notebook.decide(pick, State.RECOMMENDED)
            confirmed = yield from confirm(making, pick, "the pick", self._kept_s(pick))
            if over := excess(notebook, pick):
                notebook.decide(pick, State.OVER, over)
            if notebook.state(pick) is not State.RECOMMENDED:
                confirmed = False
            elif not confirmed:
                break
        now = self.question.current
        if now is not None and self._waits(now, notebook.pick()):
            yield from confirm(making, now, "what runs now")
        if unsteady and notebook.pick() is None:
            notebook.end, notebook.said = End.UNSTABLE, next(iter(unsteady.values()))
            return
        self._ended(candidates, confirmed=confirmed)

    def _late(self, candidate: Candidate) -> str:
        """ "5.1 % are late even at 40/s", by the lowest rate that it was asked for."""
        entries = [*self.notebook.of(candidate), *self.notebook.of(candidate, Phase.STRAIN)[:1]]
        levels = [level for entry in entries for level in entry.seen.levels if level.rate]
        lowest = min(levels, key=lambda level: level.rate)
        late = 100 * (1 - min(lowest.met) / lowest.planned)
        return f"{late:.2g} % are late even at {format_number(lowest.rate)}/s"

    def _kept_s(self, pick: Candidate) -> float:
        """What fresh starts of what runs now will take."""
        now = self.question.current
        if now is None or not self._waits(now, pick):
            return 0.0
        return self.making.cost_s(self.making.confirming((1.0,)), FEWEST_STARTS)

    def _given_up(self, ranked: Sequence[Candidate], unsteady: Container[str]) -> Narrowed:
        """Where all that were left are over a limit that only their own rates show, or unsteady:
        who was given up, and then who was only screened.
        """
        notebook = self.notebook
        dropped = [
            one
            for one, (state, _) in notebook.states.items()
            if state in (State.DROPPED, State.NOT_TOLD_APART) and one.server not in unsteady
        ]
        climbed = [one for one in dropped if notebook.estimate(one)]
        for candidate in climbed or dropped:
            del notebook.states[candidate]
        if climbed or not dropped:
            return climbed
        return (yield from bisect(self.making, [one for one in ranked if one in dropped], None))

    def _waits(self, now: Candidate, pick: Candidate | None) -> bool:
        """Whether what runs now is to have fresh starts beside the pick's."""
        return now != pick and self.notebook.estimate(now) is not None

    def _ended(self, candidates: Sequence[Candidate], *, confirmed: bool) -> None:
        notebook = self.notebook
        if confirmed:
            notebook.end = End.CONFIRMED
            return
        shares = {
            candidate: best_share
            for candidate in candidates
            if (best_share := notebook.best_share(candidate))
        }
        if not shares:
            notebook.end = End.NOTHING_RAN
            whys = [why for state, why in notebook.states.values() if state in SPOILED]
            notebook.said = "; ".join(dict.fromkeys(whys))
            return
        limited = any(entry.seen.limit for entry in notebook.entries)
        if limited or any(notebook.held_any(candidate) for candidate in shares):
            notebook.end = End.NOT_CONFIRMED
            return
        notebook.end = End.NOTHING_HOLDS
        if (pick := notebook.pick()) is not None:
            notebook.decide(pick, State.BEHIND, "it held no rate")
        best = max(shares, key=lambda candidate: shares[candidate][0])
        share, rate = shares[best]
        wrong = next(
            (candidate.seen.wrong for candidate in notebook.of(best) if candidate.seen.wrong), ""
        )
        notebook.said = (
            f"{best.name} came nearest: {100 * share:.3g} % in time at {format_number(rate)}/s"
            f"{f'; wrong answers said: {wrong}' * bool(wrong)}"
        )


class Searching:
    """Is told what each trial showed. It goes on by being told all that was seen before."""

    def __init__(self, search: Search, entries: Sequence[Entry] = ()) -> None:
        """Goes on after these. Raises UsageError where it would not have made their trials."""
        self.notebook = search.notebook
        self._steps = search.steps()
        self.next: Trial | None = next(self._steps, None)  #: None at its end.
        for entry in entries:
            if self.next is None or plain(self.next) != plain(entry.trial):
                raise UsageError(
                    f"Trial {len(self.notebook.entries) + 1} would be another one today: leave "
                    "--resume out, or go on with the benchsuite that began it."
                )
            self.tell(entry.seen)

    def tell(self, seen: Observation) -> None:
        """What the next trial showed."""
        try:
            self.next = self._steps.send(seen)
        except StopIteration:
            self.next = None
