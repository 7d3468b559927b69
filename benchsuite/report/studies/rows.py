"""Stored executions of studies → what claims, tables and charts look at."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from django.db.models import Prefetch, QuerySet

from benchsuite import conf
from benchsuite.comparing import cells
from benchsuite.comparing.cells import Standing
from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Status
from benchsuite.core.units import parse_seconds
from benchsuite.findings.generator import LIMIT, littles_law
from benchsuite.findings.target import starvation
from benchsuite.models import Interval, Measurement, Run, StudyCell, StudyRun
from benchsuite.report import queries
from benchsuite.studies import figures, reading
from benchsuite.studies.measured import POCOCK, Execution, MeasuredCell, Start, State
from benchsuite.studies.study import Study

HEAVY = (*queries.HEAVY, "programs", "delay")
HISTOGRAMS = ("response_histogram", "service_histogram", "wait_histogram")
ENDED = (Status.FINISHED.value, Status.FAILED.value)
CPUS = "cpus-target"


def study(row: StudyRun) -> Study:
    """As its file said it when it was executed; raises UsageError for what can't be read now."""
    return reading.parse(row.text, conf.study_files().get(row.name) or Path(f"{row.name}.toml"))


def executions(name: str) -> QuerySet[StudyRun]:
    return StudyRun.objects.filter(name=name).select_related("environment")


def execution(row: StudyRun, study: Study) -> Execution:
    """All its cells with the figures of their starts, in a number of queries that never grows."""
    runs = Run.objects.select_related("environment").defer(*HEAVY).order_by("repetition")
    runs = runs.prefetch_related(
        "findings",
        Prefetch("measurements", queryset=Measurement.objects.defer(*HISTOGRAMS)),
        Prefetch("intervals", queryset=Interval.objects.defer("histogram")),
        *["readings"] * figures.of_readings(study.figures),
    )
    cells = list(row.cells.prefetch_related(Prefetch("runs", queryset=runs)))
    if row.unreadable:
        raise UsageError(f"What is stored of this execution can't be read ({row.unreadable}).")
    if row.looks not in (1, *POCOCK):
        raise UsageError(f"This execution has {row.looks} looks, which another benchsuite knows.")
    measured = [_cell(row, study, one) for one in cells]
    least = min((one.conditions[CPUS] for one in measured if CPUS in one.conditions), default=None)
    alike = {} if least is None else {CPUS: least}
    return Execution(cells=measured, conditions=alike, looks=row.looks)


def _cell(row: StudyRun, study: Study, cell: StudyCell) -> MeasuredCell:
    # of a start that was made again, what has ended last
    made = sorted(cell.runs.all(), key=lambda run: (run.status in ENDED, run.started_at))
    newest = {run.repetition: run for run in made}
    runs = [newest[repetition] for repetition in sorted(newest)]
    ended = sum(run.status in ENDED for run in runs)
    state, reason = State.MEASURED, cell.reason
    if not ended:
        state = State.UNAVAILABLE if cell.reason else State.PLANNED
        reason = reason or "not measured"
    elif ended < row.repeat and row.status != Status.FINISHED.value:
        state, reason = State.PLANNED, f"{ended} of {row.repeat} runs so far"
    return MeasuredCell(
        coordinates=cell.coordinates,
        state=state,
        reason=reason,
        starts=[_start(run, study) for run in runs],
        conditions=conditions(cell.arguments, map(_had, runs)),
    )


def _start(run: Run, study: Study) -> Start:
    known = cells.start(run)
    values = figures.values(study.figures, run, starves=starvation.number in known.reasons)
    limits = {*known.reasons} - {littles_law.number}  # of users who waited for the generator
    floors = figures.rates(study.figures) if limits and limits <= {*LIMIT} else ()
    return Start(
        figures=values,
        floors={name: value for name in floors if (value := values[name])},
        amounts=figures.amounts(study.figures, run),
        at_least=figures.at_least(study.figures, run),
        steps=figures.steps(study.figures, run),
        excluded=() if known.has_own_figures else known.reasons,
        failed=known.reasons if known.standing is Standing.FAILED else (),
        verdict=run.verdict or run.status,
        run=str(run.pk),
    )


def _had(run: Run) -> Mapping[str, float | None]:
    cpus = (run.spec.get("server") or {}).get("cpus")
    every = run.environment.data.get("cpu_logical") if run.environment else None
    amounts = {"users": run.users, "processes": run.processes, "threads": run.threads}
    return {**amounts, CPUS: len(cpus) if cpus else every}


def conditions(
    arguments: Iterable[str], runs: Iterable[Mapping[str, float | None]]
) -> Mapping[str, float]:
    """What a claim may need: the options of a cell that are amounts, and what its runs have."""
    amounts: dict[str, float] = {}
    for word in arguments:
        name, _, value = word.removeprefix("--").partition("=")
        with suppress(UsageError):  # a word is no amount, and CPUs are named by their numbers
            amounts[name] = parse_seconds("" if name == CPUS else value)
    for had in runs:
        for name, amount in had.items():
            if amount is not None:
                amounts[name] = min(float(amount), amounts.get(name, float(amount)))
    return amounts
