"""What a command measured, as its row of the list says it: the answer, a bar a configuration."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from django.urls import reverse

from benchsuite.comparing.cells import Cell, Starts, cells, reasons_of
from benchsuite.comparing.titles import cell_titles, load_title, units_beside, workload_title
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics import every
from benchsuite.core.results import Status
from benchsuite.core.units import counted, format_rate, listed
from benchsuite.models import Run, StudyRun, Tuning
from benchsuite.report import queries
from benchsuite.report.pages import html
from benchsuite.report.studies.execution import headline
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.store import notes

MOST_RUNS = 12  #: Of a row of the list.
MOST_BARS = 5
GOODPUT = every.figure("goodput")
CLOSE = 1.05  #: Below this ratio no winner is named: a few percent are within what runs differ by.

Ranked = tuple[str, Cell, float]  #: A configuration with its title and its goodput.


def commands(
    groups: Iterable[Mapping[str, Any]], runs: QuerySet[Run], *, filtering: bool, most: int
) -> list[dict[str, Any]]:
    """The commands of these groups with matching runs, in a fixed number of queries."""
    groups = list(groups)
    ids = [group["command"] for group in groups]
    executions: dict[UUID, Any] = {
        **StudyRun.objects.defer("text").in_bulk(ids),
        **Tuning.objects.prefetch_related("trials").in_bulk(ids),
    }
    batches = queries.of_batches(pk for pk in ids if pk not in executions)
    own = [run.pk for some in batches.values() for run in some]
    matching = set(runs.filter(pk__in=own).values_list("pk", flat=True)) if filtering else set(own)
    shown: dict[UUID, list[Run]] = {
        batch: [run for run in reversed(some) if run.pk in matching][:most]
        for batch, some in batches.items()
    }
    counts = {batch: Counter(map(html.state, some)) for batch, some in batches.items()}
    if executions:
        made = queries.by_command(runs)
        for run in queries.newest_of(made, "command", executions, most):
            shown.setdefault(run.command, []).append(run)  # type: ignore[attr-defined]
        known = queries.by_command(Run.objects.order_by()).filter(command__in=list(executions))
        states = known.values_list("command", "status", "verdict").annotate(Count("pk"))
        for pk, status, verdict, many in states:
            state = verdict if status == Status.FINISHED.value and verdict else status
            counts.setdefault(pk, Counter())[state] += many
    noted = notes.of([run for some in (*batches.values(), *shown.values()) for run in some])
    rows = []
    for group in groups:
        pk = group["command"]
        batch, mine, execution = batches.get(pk, []), shown.get(pk, []), executions.get(pk)
        if not execution and not mine:
            continue
        row = {**group, **_row(pk, batch, mine, execution, counts.get(pk, Counter())), "runs": mine}
        pks, labels = ({getattr(run, name) for run in [*batch, *mine]} for name in ("pk", "label"))
        row["notes"] = [one for one in noted if one.run_id in pks or one.label in labels]
        if star := next((note for note in row["notes"] if note.starred), None):  # a click takes it
            row["starred"] = ("run", star.run_id) if star.run_id else ("label", star.label)
        rows.append(row)
    return rows


def _row(
    pk: UUID,
    batch: Sequence[Run],
    shown: Sequence[Run],
    execution: StudyRun | Tuning | None,
    counts: Mapping[str, int],
) -> dict[str, Any]:
    """Of a batch with all its runs in their order, an execution of a study, or a tuning."""
    configurations = cells(batch)
    ranked = _ranked(configurations)
    first = batch[0] if batch else shown[-1] if shown else None
    label = execution.label if execution else first.label if first else ""
    if isinstance(execution, StudyRun):
        title, answer = f"study {execution.name}", headline(execution.outcomes)
    elif isinstance(execution, Tuning):
        try:
            report = tuning_report(execution)
            title, answer = f"tune {report.workload} · {report.objective}", report.outcome.headline
        except UsageError as error:
            title, answer = "tune ", str(error)
    else:
        works, loads = ({*map(words, batch)} for words in (workload_title, load_title))
        parts = works if len(works) == 1 else [f"{len(works)} workloads"]
        title = " · ".join([*parts, *(loads if len(loads) == 1 else [f"{len(loads)} loads"])])
        answer = _answer(ranked) if ranked else _without(batch, configurations)
    url = f"{reverse('benchsuite:compare')}?batch={pk}"
    if execution or len(batch) == 1:
        url = (execution or batch[0]).get_absolute_url()
    starts = Starts([start for cell in configurations for start in cell.starts.every])
    repeats, known = {len(cell.runs) for cell in configurations}, sum(counts.values())
    size = counted(known, "run")
    if len(repeats) == 1 and len(configurations) > 1 and repeats != {1}:
        size = f"{len(configurations)} configurations × {repeats.pop()}"
    best, most = (ranked[0][1].first, ranked[0][2] or 1.0) if ranked else (first, 1.0)
    bars = [
        (title, format_rate(rate, units_beside(cell.first)), round(rate / most * 100, 1))
        for title, cell, rate in ranked[:MOST_BARS]
    ]
    return {
        "title": title,
        "answer": answer,
        "url": url,
        "label": label,
        "bars": bars if len(bars) > 1 else [],
        "more_bars": max(0, len(ranked) - MOST_BARS),
        "excluded": "" if starts.is_whole else starts.words,
        "known": known,
        "size": size,
        "states": [(word, counts[word]) for word in html.SHAPES if counts.get(word)],
        # What its star stands for, as the form names it: its label, else the best of its runs.
        "star": ("label", label) if label or not best else ("run", str(best.pk)),
    }


def _ranked(configurations: Sequence[Cell]) -> list[Ranked]:
    """Sound configurations that answer, most goodput first; none of different units."""
    sound = [
        (title, cell, cell.goodput)
        for title, cell in zip(cell_titles(configurations), configurations, strict=True)
        if cell.is_sound and cell.middle("connection_bytes") is None
    ]
    return sound if len({cell.first.unit for _, cell, _ in sound}) == 1 else []


def _answer(ranked: Sequence[Ranked]) -> str:
    """Which answered most, unless so few runs can't tell it from others."""
    (title, best, most), *others = ranked
    own, close = best.figures(GOODPUT), []
    for name, cell, rate in others:
        theirs, several = cell.figures(GOODPUT), min(len(best.entering), len(cell.entering)) > 1
        among = several and own and theirs and min(own) <= max(theirs)
        if most < CLOSE * rate or among:
            close.append(name)
    if close:
        several_names = f"{len(close)} others" if len(close) > 2 else listed(close)
        return f"{title} and {several_names}: too close to call"
    rate_words = format_rate(most, units_beside(best.first))
    return f"{title} answered most: {rate_words}" if others else f"{title}: {rate_words}"


def _without(batch: Sequence[Run], configurations: Sequence[Cell]) -> str:
    if len({run.unit for run in batch}) > 1:
        return "Not ranked: their answers are not of one unit."
    if idle := [cell for cell in configurations if cell.is_sound]:
        return f"{listed(cell_titles(idle)[:MOST_BARS])}: idle connections"
    if reasons := [reason for run in batch if (reason := html.reason(run, 120))]:
        return f"Nothing counts: {reasons[0]}"
    why = reasons_of([start for cell in configurations for start in cell.starts.every])
    return f"Nothing counts: all runs are invalid{f' ({why})' if why else ''}."
