"""All that is told of a tuning, whatever it is written as."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchsuite.bottlenecks.evidence import REST
from benchsuite.comparing.titles import workload_words
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec, WorkloadSpec
from benchsuite.core.units import (
    format_duration,
    format_number,
    format_percent,
    format_period,
    listed,
)
from benchsuite.models import Run, Tuning
from benchsuite.report import executions, limiting
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.flames import Drawing, Flame, drawing
from benchsuite.report.shown import Shown
from benchsuite.report.tuning import pasting, table
from benchsuite.report.tuning.against_memory import against_memory
from benchsuite.report.tuning.decisions import PHASES, Decision, decisions
from benchsuite.report.tuning.limits import limits
from benchsuite.report.tuning.scaling import scaling
from benchsuite.report.tuning.shares import shares
from benchsuite.store.tunings import notebook
from benchsuite.tuning.answer import Answer, Row, answer, sentence
from benchsuite.tuning.notebook import Notebook


@dataclass(frozen=True, slots=True)
class Line:
    """A candidate in the table."""

    row: Row
    figures: Sequence[Shown]

    @property
    def state(self) -> str:
        return table.state(self.row)


@dataclass(frozen=True)
class Told:
    """One tuning; everything is made when it is asked for."""

    row: Tuning
    book: Notebook

    @cached_property
    def answer(self) -> Answer:
        return answer(self.book)

    @property
    def sentence(self) -> str:
        """The answer in one, at a part of its cost."""
        return sentence(self.book)

    @property
    def objective(self) -> str:
        return self.book.question.objective.words

    @property
    def workload(self) -> str:
        spec = WorkloadSpec.from_json(self.row.spec.get("workload") or {})
        return workload_words(spec.workload, spec.options)

    @property
    def headings(self) -> list[str]:
        return list(self._columns)

    @cached_property
    def _columns(self) -> Mapping[str, Any]:
        return table.columns(self.book.question.objective.goals[0])

    @cached_property
    def lines(self) -> list[Line]:
        shown = self._columns.values()
        return [Line(row, [one(row) for one in shown]) for row in table.tried(self.answer)]

    @property
    def groups(self) -> list[tuple[str, list[Line]]]:
        """The lines of those that were in the race and, under a heading, of all others."""
        raced = [one for one in self.lines if table.in_race(one.row)]
        others = [one for one in self.lines if not table.in_race(one.row)]
        if not raced:
            return [("", others)] if others else []
        count = f"{len(others)} other{'s' * (len(others) != 1)} that did not come so far"
        return [("", raced), *([(count, others)] if others else [])]

    @cached_property
    def charts(self) -> list[Chart]:
        """Those that have something to show."""
        several = bool(self.book.question.scaling)
        capacity = scaling(self.answer) if several else against_memory(self.book, self.answer)
        made = [capacity, shares(self.book, self.answer)]
        return [one for one in made if one.series]

    @cached_property
    def decisions(self) -> list[Decision]:
        entries = self.book.entries
        runs = self.row.trials.values_list("run_id", "run__verdict", "run__status")
        return decisions(entries, list(runs[: len(entries)]))  # meanwhile there may be more

    @cached_property
    def limiting(self) -> limiting.Told | None:
        """What limits the pick."""
        return limits(self.row, self.book, self.answer.pick)

    @property
    def flame(self) -> Flame | None:
        """Which functions use the CPU time of the pick, where a start of it was profiled."""
        return self.limiting.flame if self.limiting else None

    @property
    def drawing(self) -> Drawing | None:
        return drawing(self.flame) if self.flame else None

    @property
    def parts(self) -> list[tuple[str, str, str, float]]:
        """Where the time of a request goes: part, time, share, and that as a number."""
        time = self.limiting.time if self.limiting else None
        if time is None:
            return []
        known = {**time.parts, REST: max(0.0, time.rest_s)}
        shares = {name: 100 * seconds / time.response_s for name, seconds in known.items()}
        return [
            (name, format_duration(known[name]), format_percent(share), min(100.0, share))
            for name, share in shares.items()
        ]

    @property
    def paste(self) -> Mapping[str, str]:
        """Kind → text of the pick."""
        return self._pasted[0]

    @property
    def unpasted(self) -> str:
        """Why there is none of it; empty where there is, or no pick."""
        return self._pasted[1]

    @cached_property
    def _pasted(self) -> tuple[Mapping[str, str], str]:
        if self.answer.pick is None:
            return {}, ""
        try:
            return pasting.texts(self.answer.pick, RunSpec.from_json(self.row.spec)), ""
        except (UsageError, UnavailableError) as error:
            return {}, str(error)

    @property
    def is_running(self) -> bool:
        return self.row.status == Status.RUNNING.value

    @property
    def stopped(self) -> str:
        """How far it came, where it has not ended by itself."""
        if self.row.status == Status.FINISHED.value:
            return ""
        count = len(self.book.entries)
        spent, budget = self.book.spent_s, self.book.question.budget_s
        made = f"{count} start{'s' * (count != 1)} in {format_period(spent)}"
        if self.is_running:
            return f"It is still searching: {made} of {format_period(budget)} so far."
        where = f" in the {PHASES[self.book.entries[-1].trial.phase]}" if count else ""
        return f"It was stopped{where}, after {made} of {format_period(budget)}."

    @property
    def resume(self) -> str:
        return f"python manage.py tunebench --resume={self.row.pk}"

    @property
    def when(self) -> str:
        return executions.when(self.row)

    @property
    def environment(self) -> Mapping[str, object]:
        served = executions.servers(Run.objects.filter(trials__tuning=self.row))
        return executions.environment(executions.machine(self.row), served)

    @property
    def question(self) -> Mapping[str, str]:
        """What was asked, as facts."""
        asked = self.book.question
        alone = [asked.only.name] if asked.only else [one.name for one in asked.scaling]
        wanted = f"the highest rate{f' of {listed(alone)}' if alone else ''}"
        if asked.rate is not None:
            wanted = f"the least memory that holds {format_number(asked.rate)}/s"
        found = {
            "objective": self.objective,
            "looked for": wanted,
            "workload": self.workload,
            "CPUs of the server": f"{asked.cpus:g}",
            "budget": format_period(asked.budget_s),
            "seed": str(asked.seed),
        }
        if asked.current:
            found["runs now"] = asked.current.name
        return found


def told(row: Tuning) -> Told:
    """Raises UsageError for a tuning that this version can't read."""
    return Told(row, notebook(row))
