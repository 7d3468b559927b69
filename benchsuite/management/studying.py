"""Executes a study: its cells as runs in shuffled blocks, each stored as soon as it has ended.

Where it is decided as it goes, each claim and then each case of a question has its first starts
before the next one, rounds of one start more of the cells in doubt follow, and then the rest. What
is left of a budget goes to what few starts were not expected to decide.

What has been measured is told from the stored runs alone, so that an execution that was killed can
be resumed: a start that has ended is kept, one that was under way is made again.
"""

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from benchsuite import store
from benchsuite.core.exceptions import DISK_FULL, UnavailableError, UsageError
from benchsuite.core.printable import hidden_in
from benchsuite.core.results import Status
from benchsuite.management import resuming
from benchsuite.management.options import run as run_options
from benchsuite.management.session import Session
from benchsuite.models import Run, StudyCell, StudyRun
from benchsuite.report.studies.rows import conditions
from benchsuite.report.studies.rows import execution as measured
from benchsuite.report.terminal.progress import Progress
from benchsuite.runner import planning, preflight
from benchsuite.runner.planning import Estimate, Plan, Turn
from benchsuite.studies import claims, matrix
from benchsuite.studies.claims import LOOKS, Doubt
from benchsuite.studies.figures import metric
from benchsuite.studies.matrix import Need, key
from benchsuite.studies.options import arguments, in_cell, shares
from benchsuite.studies.study import RULES, Cell, Coordinates, Study, admits, cell_title

UNKNOWN = 1  #: In place of a share that is known later: as good as any other for the time it takes.
NEEDS = (Need.CLAIM, Need.QUESTION)  #: What is decided as it goes, one after the other.


@dataclass(slots=True)
class Candidate:
    """A cell with the run that it is, or why it can't be one."""

    cell: Cell
    plan: Plan | None = None
    reason: str = ""
    is_wrong: bool = False  #: Whether no machine could run it.

    @property
    def title(self) -> str:
        return cell_title(self.cell.coordinates)

    @property
    def conditions(self) -> Mapping[str, float]:
        """What a claim may need, as far as it is known before."""
        cpus = self.plan.spec.server.cpus if self.plan else None
        return conditions(arguments(self.cell), [{"cpus-target": len(cpus)}] if cpus else [])

    def resolve(self, label: str, resolved: Mapping[str, Any]) -> None:
        """Finds the run, or what is wrong with it."""
        waiting = dict.fromkeys(shares(self.cell.options), UNKNOWN)
        try:
            spec = run_options.of_cell(arguments(self.cell, {**waiting, **resolved}))
            self.plan = planning.resolve(replace(spec, label=label))
            preflight.check(self.plan)
        except (UsageError, UnavailableError) as error:
            self.is_wrong = isinstance(error, UsageError)
            self.refuse(str(error))

    def refuse(self, reason: str) -> None:
        self.plan, self.reason = None, reason


@dataclass(slots=True)
class Execution:
    """One execution of a study, new or resumed."""

    study: Study
    row: StudyRun  #: Not stored yet where it is new.
    candidates: Sequence[Candidate]
    rows: Sequence[StudyCell] = ()
    done: set[tuple[int, int]] = field(default_factory=set)  #: (cell, repetition)

    estimate: Estimate = field(default_factory=Estimate)  #: Of how long its runs will take.
    budget_s: float = math.inf  #: No run is begun that would end later, by what is known now.
    ends_at: float = math.inf  #: When the budget is over, by the monotonic clock.
    is_over_budget: bool = False
    ahead: list[Turn] = field(default_factory=list)  #: The one under way, and those to follow.
    places: Mapping[matrix.Key, int] = field(init=False)  #: Of each cell, among the candidates.
    cases: Sequence[tuple[Need, set[int]]] = field(init=False)
    """The places of what is compared, as far as something can be told of it here."""

    def __post_init__(self) -> None:
        cells = [key(candidate.cell.coordinates) for candidate in self.candidates]
        self.places = {cell: place for place, cell in enumerate(cells)}
        known = [
            (case, {self.places[cell] for cell in case.cells if cell in self.places})
            for case in matrix.cases(self.study)
        ]
        self.cases = [(case.need, at) for case, at in known if self._meets(case.needs, at)]

    def _meets(self, needs: Mapping[str, float], places: set[int]) -> bool:
        had = [self.candidates[place].conditions for place in places]
        return all(one.get(name, least) >= least for one in had for name, least in needs.items())

    def blocks(self) -> Iterator[list[Turn]]:
        """First starts that remain, in groups one after another, each in shuffled blocks. What may
        end early has a group a case, the shortest first, so that those that were reached are whole.
        What another cell needs to know comes before it.
        """
        remaining = [
            turn
            for turn in planning.turns(len(self.candidates), self.row.repeat, self.row.seed)
            if self.candidates[turn.place].plan and (turn.place, turn.repetition) not in self.done
        ]
        asking = {(at, 1) for at, one in enumerate(self.candidates) if shares(one.cell.options)}
        times_s: dict[int, float] = defaultdict(float)
        for turn in remaining:
            times_s[turn.place] += self.estimates_s([turn])[0]
        waiting = [(Need.NOTHING, set(self.places.values()))]
        if self.is_open_ended:
            waiting = [*self.cases, *waiting]
        if self.row.claims:
            claimed = [case for case in self.cases if case[0] is Need.CLAIM]
            all_of_them = (Need.CLAIM, set[int]().union(*(places for _, places in claimed)))
            waiting = claimed if self.is_open_ended else [all_of_them]
        while waiting:
            waiting.sort(key=lambda case: (case[0], sum(times_s[one] for one in case[1])))
            _, places = waiting.pop(0)
            waiting = [(need, others - places) for need, others in waiting]
            block = [turn for turn in remaining if turn.place in places]
            block.sort(key=lambda turn: (turn.repetition, (turn.place, turn.repetition) in asking))
            if block:
                yield block

    def _need(self, place: int) -> Need:
        return min((need for need, places in self.cases if place in places), default=Need.NOTHING)

    @property
    def is_open_ended(self) -> bool:
        return self.row.looks > 1 or math.isfinite(self.budget_s)

    def doubts(self, *needs: Need) -> list[Doubt]:
        """What is not decided of these by what has been stored."""
        now = measured(self.row, self.study)
        judged = claims.judge(self.study, now) if Need.CLAIM in needs else []
        questions = claims.answered(self.study, now) if Need.QUESTION in needs else []
        return [*claims.doubts_of_claims(judged), *claims.doubts_of_questions(questions)]

    def _turns(self) -> Iterator[Turn]:
        """All that is run, as far as it goes: what doesn't fit into the time left waits for what
        does, and the last rounds of a budget follow all of it.
        """
        waiting = list(self.blocks())
        for need in NEEDS:
            for block in [block for block in waiting if self._need(block[0].place) is need]:
                if self._fits(block):
                    waiting.remove(block)
                    yield from self._each(block, waiting)
            while self.row.looks > 1 and (turns := self._round(need)):
                yield from self._each(turns, waiting)
        for block in list(waiting):
            waiting.remove(block)
            yield from self._each(block, waiting)
        if self.row.looks > 1 and math.isfinite(self.budget_s):
            for need in NEEDS:
                while turns := self._round(need, is_last=True):
                    yield from self._each(turns, waiting)

    def _round(self, need: Need, *, is_last: bool = False) -> list[Turn]:
        """One start more of each cell in doubt, those next to each other that are compared."""
        if self.row.claims and need is Need.QUESTION:
            return []
        last, most = dict(sorted(self.done)), self.row.repeat + LOOKS - 1
        open_doubts = list[Doubt]()
        for doubt in self.doubts(need):
            places = {self.place_of(cell) for cell in doubt.cells}
            if all(last.get(one, 0) >= self.row.repeat for one in places):  # each need has its own
                own = [last[place] for place in places if self._need(place) is need]
                rounds_left = most - max(own, default=self.row.repeat)
                if not rounds_left or not (is_last or claims.is_hoped(doubt, rounds_left)):
                    continue
                more = self._more(places, last, most)
                if not more or self._fits(more):  # one side alone tells nothing
                    open_doubts.append(doubt)
                else:
                    self.is_over_budget = True
        return self._more(map(self.place_of, claims.in_doubt(open_doubts)), last, most)

    def _more(self, places: Iterable[int], last: Mapping[int, int], most: int) -> list[Turn]:
        """One start more of each of these that may have one."""
        turns = list[Turn]()
        for place in places:
            if self.candidates[place].plan and last[place] < most:
                draw = random.Random(f"{self.row.seed} {place} {last[place]}")
                turns.append(Turn(place, last[place] + 1, draw.randrange(2**31)))
        return turns

    def _fits(self, turns: Sequence[Turn]) -> bool:
        """Whether they end in time, and what they ask is among them or was tried before."""
        places = {turn.place for turn in turns}
        tried = places.union(place for place, _ in self.done)
        asked = {self.place_of(cell) for place in places for cell in self._asked(place)}
        is_known = all(place in tried or not self.candidates[place].plan for place in asked)
        return is_known and monotonic() + sum(self.estimates_s(turns)) <= self.ends_at

    def _asked(self, place: int) -> list[Coordinates]:
        """The cells of whose figures it needs a share."""
        cell = self.candidates[place].cell
        return [in_cell(share, cell.coordinates).cell for share in shares(cell.options).values()]

    def _each(self, turns: list[Turn], later: Sequence[Sequence[Turn]]) -> Iterator[Turn]:
        while turns:
            self.ahead = [*turns, *itertools.chain.from_iterable(later)]
            turn = turns.pop(0)
            if self._fits([turn]):
                yield turn
            else:  # a shorter one may still fit
                self.is_over_budget = True

    @property
    def skipped(self) -> list[Candidate]:
        return [one for one in self.candidates if one.plan is None]

    def estimates_s(self, turns: Sequence[Turn]) -> list[float]:
        """Of each turn as is known now; none for what has turned out to be no run."""
        plans = [self.candidates[one.place].plan for one in turns]
        seconds = iter(self.estimate.each_s(plan for plan in plans if plan))
        return [next(seconds) if plan else 0.0 for plan in plans]

    def ahead_s(self) -> list[float]:
        """Of the turn under way and of those known to follow, as far as the budget reaches."""
        this, *later = self.estimates_s(self.ahead) or [0.0]
        return [this, max(0.0, min(sum(later), self.ends_at - monotonic() - this))]

    def run(self, at_work: Session, progress: Progress, titles: list[str]) -> None:
        """Makes all that remain, as long as the budget lasts; a cell that fails ends nothing.
        Where nobody knows how many, each one's title is added to `titles` before it begins. Raises
        BenchsuiteError where nothing could follow, and KeyboardInterrupt after Ctrl-C.
        """
        self.ends_at = monotonic() + self.budget_s
        with resuming.entered(self.row), progress:
            for turn in self._turns():
                candidate, row = self.candidates[turn.place], self.rows[turn.place]
                if self.is_open_ended:
                    titles.append(candidate.title)
                self._settle(candidate, row)
                later = [self.candidates[each.place].plan for each in self.ahead[1:]]
                try:
                    if candidate.plan is None:
                        raise UnavailableError(candidate.reason)
                    spec = replace(candidate.plan.spec, repetition=turn.repetition, seed=turn.seed)
                    plan = replace(candidate.plan, spec=spec)
                    resuming.make(at_work, plan, [*filter(None, later)], row)
                except UnavailableError as error:
                    self._refuse(candidate, row, str(error))
                    progress.skip(candidate.reason)
                self.done.add((turn.place, turn.repetition))

    def check(self) -> None:
        """Raises UsageError for a value that suits no cell, UnavailableError if none can run."""
        wrong = [candidate for candidate in self.candidates if candidate.is_wrong]
        right = set[str]()  # places with a cell that can be a run
        for cell in matrix.every(self.study) if wrong else ():
            candidate = Candidate(cell)
            candidate.resolve("", {})
            if not candidate.is_wrong:
                right.update(self._parts_of_file(cell))
        for candidate in wrong:
            for place in self._parts_of_file(candidate.cell):
                if place not in right:
                    raise UsageError(f"{Path(self.study.path).name}: {place}: {candidate.reason}")
        if len(self.skipped) == len(self.candidates):
            reasons = dict.fromkeys(candidate.reason.rstrip(".") for candidate in self.candidates)
            raise UnavailableError(
                f"No configuration of {self.study.name} can run here: {'; '.join(reasons)}."
            )

    def _parts_of_file(self, cell: Cell) -> Sequence[str]:
        """Where in its file the study says something of a cell, the widest first."""
        at, overrides = cell.coordinates, enumerate(self.study.overrides, start=1)
        return [
            "every",
            *(f"axis.{axis}.{value}" for axis, value in at.items()),
            *(f"set[{number}]" for number, override in overrides if admits(override.when, at)),
        ]

    def enter(self) -> None:
        """Stores that it begins or goes on; raises UsageError where another command came first."""
        finished = Run.objects.filter(study_cell__in=self.rows, status=Status.FINISHED.value)
        if not self.done.issuperset(finished.values_list("study_cell__order", "repetition")):
            raise UsageError(f"{_which(self.row)} was continued by another command meanwhile.")
        with store.atomic():
            if resuming.begin(self.row):
                self.rows = StudyCell.objects.bulk_create(
                    StudyCell(
                        study_run=self.row,
                        order=order,
                        coordinates=dict(candidate.cell.coordinates),
                        arguments=hidden_in(arguments(candidate.cell)),
                        reason=candidate.reason,
                    )
                    for order, candidate in enumerate(self.candidates)
                )
                return
            for row, candidate in zip(self.rows, self.candidates, strict=True):
                row.reason = candidate.reason
            StudyCell.objects.bulk_update(self.rows, ["reason"])

    def place_of(self, coordinates: Coordinates) -> int:
        return self.places[key(coordinates)]

    def _settle(self, candidate: Candidate, row: StudyCell) -> None:
        """Finds the values that are shares of what other cells have shown, once for all starts."""
        needed, known = shares(candidate.cell.options), self.row.resolved.get(str(row.order), {})
        if not needed or candidate.plan is None or known:
            return
        figures = {one.name: one for one in self.study.figures}
        settled: dict[str, float] = {}
        for option, asked in needed.items():
            share = in_cell(asked, candidate.cell.coordinates)
            runs = self.rows[self.place_of(share.cell)].runs.order_by("repetition")
            finished = runs.filter(status=Status.FINISHED.value)
            values = map(metric(figures[share.figure]).value, finished)
            value = next((one for one in values if one is not None), None)
            if value is None or not math.isfinite(value):
                of = f"the {share.figure} of the configuration {cell_title(share.cell)}"
                self._refuse(candidate, row, f"--{option} is a share of {of}, which is not known.")
                return
            value *= share.share  # rates to three digits; of whole things at least one
            is_rate = option.endswith("rate")
            settled[option] = float(f"{value:.3g}") if is_rate else max(1, round(value))
        self.row.resolved[str(row.order)] = settled
        self.row.save(update_fields=["resolved"])
        candidate.resolve(self.row.label, settled)
        if candidate.plan is None:
            self._refuse(candidate, row, candidate.reason)

    def _refuse(self, candidate: Candidate, row: StudyCell, reason: str) -> None:
        candidate.refuse(reason)
        row.reason = reason
        row.save(update_fields=["reason"])


def resumed(
    study: Study, cells: Sequence[Cell], row: StudyRun, *, again_failed: bool, anyway: bool
) -> Execution:
    """A stored one that goes on: what has ended is kept, unless it failed and is to be made again.
    Raises UsageError where cells or what they measure are others; `anyway` its row says what.
    """

    def ensure(same: Callable[..., None], *what: Any) -> None:
        try:
            same(*what, which)
        except resuming.ChangedError as error:
            if not anyway:
                raise
            row.mixed = list(dict.fromkeys([*row.mixed, error.what]))

    which, rows = _which(row), list(row.cells.all())
    if row.unreadable:
        raise UsageError(f"{which} can't be read ({row.unreadable}): leave --resume out.")
    if [one.coordinates for one in rows] != [dict(one.coordinates) for one in cells]:
        raise UsageError(
            f"{which} has other configurations than this benchsuite makes of the same file: leave "
            "--resume out."
        )
    ensure(resuming.ensure_same_machine, row)
    ensure(_ensure_same_rules, row)
    execution = Execution(study, row, resolved(cells, row), rows)
    orders = {one.pk: one.order for one in rows}
    stored = Run.objects.filter(study_cell__in=rows).select_related("software")
    fields = ("study_cell", "repetition", "status", "failure_code", "revision", "software")
    kept = [run for run in stored.only(*fields) if _is_kept(run, again_failed=again_failed)]
    for revision in {run.revision for run in kept if run.revision}:
        ensure(resuming.ensure_same_revision, revision)
    for run in kept:
        assert run.study_cell_id is not None
        place = orders[run.study_cell_id]
        execution.done.add((place, run.repetition))
        plan = execution.candidates[place].plan
        if run.software and plan and plan.python:
            ensure(resuming.ensure_same_packages, run.packages, plan)
    return execution


def _ensure_same_rules(row: StudyRun, which: str) -> None:
    if row.rules != RULES:
        raise resuming.ChangedError(
            f"{which} was judged by the rules of another benchsuite", "go on with that one"
        )


def _which(row: StudyRun) -> str:
    return f"The execution of {row.name} that began on {row.started_at:%d %b %Y at %H:%M} UTC"


def unfinished(study: Study, label: str, *, again_failed: bool, **given: Any) -> StudyRun:
    """The newest that can go on, with these fields but for None; raises UsageError without one."""
    wanted = {name: value for name, value in given.items() if value is not None}
    executions = StudyRun.objects.filter(name=study.name, label=label, **wanted)
    if not again_failed:
        executions = executions.exclude(status=Status.FINISHED.value)
    if (row := executions.first()) is None:
        which = f"{study.name}{f' with the label {label!r}' if label else ''}"
        raise UsageError(
            f"There is no execution of {which} like this one to go on with: leave --resume out."
        )
    when = _which(row)
    resuming.ensure_idle(row, when)
    if row.digest != study.digest:
        raise UsageError(
            f"{when} was of another {study.path}: configurations from before and after the change "
            "don't belong together. Leave --resume out, or restore the file."
        )
    return row


def _is_kept(run: Run, *, again_failed: bool) -> bool:
    if run.status == Status.FAILED.value:
        return not again_failed and run.failure_code != DISK_FULL
    return run.status == Status.FINISHED.value


def resolved(cells: Sequence[Cell], row: StudyRun) -> list[Candidate]:
    """The runs that these cells are, by what is known of them."""
    candidates = [Candidate(cell) for cell in cells]
    for order, candidate in enumerate(candidates):
        candidate.resolve(row.label, row.resolved.get(str(order), {}))
    return candidates
