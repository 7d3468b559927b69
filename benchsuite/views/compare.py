"""Several runs: which is better, and by how much?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from benchsuite import conf
from benchsuite.comparing.answer import of_runs
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.differences import Comparison, Unlike, alike, unlike
from benchsuite.comparing.titles import levels_title, units_beside, workload_title
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric, Place
from benchsuite.core.metrics.reading import was_asked
from benchsuite.core.units import listed
from benchsuite.report import queries
from benchsuite.report.charts import overlays
from benchsuite.report.charts.styles import Style
from benchsuite.report.sentences import missing_reason
from benchsuite.views import access, live
from benchsuite.views.charts import wanted_ids
from benchsuite.views.page import page, problem


@dataclass(frozen=True, slots=True)
class Shown:
    """One figure of a cell as its table writes it."""

    text: str
    spread: str = ""  #: Least and most of several starts.
    reason: str = ""  #: Why there is no figure.
    bar: float | None = None  #: Of goodput: in percent of the highest of its unit.


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of the comparison."""

    title: str
    cell: Cell
    style: Style
    state: str
    level: str  #: Of a load with stages: which its figures are of.
    figures: list[Shown]
    is_baseline: bool
    baseline_url: str


@access.guarded
def show(request: HttpRequest) -> HttpResponse:
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    try:
        runs = queries.chosen(queries.compared(), ids, batch, most=queries.MOST_COMPARED)
    except UsageError as error:
        return problem(request, str(error), status=400)
    if batch and not ids and (making := live.context(request, "batch", runs[0].batch)):
        return page(
            request,
            "live",
            {"title": f"{workload_title(runs[0])}: runs of one command", "live": making},
        )
    comparison = Comparison(runs, baseline=request.GET.get("baseline", ""))
    forced = request.GET.get("forced") == "1"
    unlike_runs = unlike(comparison)
    if unlike_runs and not forced:
        return page(request, "unlike", _unlike(request, comparison, unlike_runs), status=409)
    queries.add_series(runs)
    reasons = [one.sentence(comparison.titles) for one in unlike_runs]
    return page(request, "compare", _context(request, comparison, reasons))


def _unlike(
    request: HttpRequest, comparison: Comparison, unlike_runs: Sequence[Unlike]
) -> dict[str, Any]:
    """A column for each lot of cells that are alike, a row for each field that differs."""
    lots = alike(comparison, unlike_runs)
    column = {cell.first.pk: number for number, lot in enumerate(lots) for cell in lot.cells}
    places = [column[cell.first.pk] for cell in comparison.cells]
    return {
        "title": "These runs are not alike",
        "kinds": listed([one.kind for one in unlike_runs]),
        "lots": [(lot.title, _compare_url(lot.cells)) for lot in lots],
        "rows": [
            (one.name, [one.values[places.index(number)] for number in range(len(lots))])
            for kind in unlike_runs
            for one in kind.differences
        ],
        "anyway_url": _url(request, forced="1"),
    }


def _compare_url(cells: Sequence[Cell]) -> str:
    """Where these are compared; empty for a single one."""
    ids = ",".join(str(run.pk) for cell in cells for run in cell.runs)
    return f"{reverse('benchsuite:compare')}?runs={ids}" if len(cells) > 1 else ""


def _context(request: HttpRequest, comparison: Comparison, reasons: list[str]) -> dict[str, Any]:
    cells = comparison.cells
    return {
        "title": f"{len(comparison.runs)} runs compared"
        if len(comparison.runs) > 1
        else "One run, nothing to compare it with",
        "comparison": comparison,
        "answer": of_runs(comparison, conf.margins()),
        "unlike": reasons,
        "differences": comparison.differences,
        "headings": [metric.heading for metric in _columns(comparison)],
        "rows": _rows(request, comparison),
        "several": any(len(cell.shown) > 1 for cell in cells),
        "failed": [run for cell in cells for run in cell.runs if run.goodput is None],
        "charts": overlays.charts(comparison),
        "query": _query(request),
    }


def _rows(request: HttpRequest, comparison: Comparison) -> list[Row]:
    columns = _columns(comparison)
    return [
        Row(
            title=title,
            cell=cell,
            style=style,
            state=cell.verdict.value if cell.verdict else cell.first.status,
            level=levels_title(cell),
            figures=[_shown(comparison, cell, metric) for metric in columns],
            is_baseline=comparison.baseline is not None and cell is comparison.baseline.cell,
            baseline_url=_url(request, baseline=str(cell.first.pk)) if cell.is_sound else "",
        )
        for title, cell, style in zip(
            comparison.titles, comparison.cells, overlays.styles(comparison), strict=True
        )
    ]


def _bar(comparison: Comparison, cell: Cell) -> float | None:
    goodputs = [one.middle("goodput") or 0.0 for one in comparison.cells if one.unit == cell.unit]
    return (cell.middle("goodput") or 0.0) / max(goodputs) * 100 if max(goodputs) else None


def _columns(comparison: Comparison) -> list[Metric]:
    """Those that a run has; no answers where nothing was asked. Medians stand before the others."""
    runs = [run for cell in comparison.cells for run in cell.runs]
    asked = any(was_asked(run) for run in runs)
    figures = [
        metric
        for metric in every.in_place(Place.COMPARE)
        if (asked or metric.summed or not metric.of_answers) and any(map(metric.only, runs))
    ]
    return sorted(figures, key=_is_median, reverse=True)


def _is_median(metric: Metric) -> bool:
    return metric.read is not None and not metric.summed


def _shown(comparison: Comparison, cell: Cell, metric: Metric) -> Shown:
    show = partial(metric.show, units=units_beside(cell.first))
    if not _is_median(metric):
        return Shown(show(cell.value(metric)))
    spread = cell.spread(metric)
    if spread is None:
        return Shown("", reason=missing_reason(cell.first, metric))
    several = len(cell.shown) > 1
    return Shown(
        text=show(spread.mean),
        spread=f"{show(spread.least)} – {show(spread.most)}" if several else "",
        bar=_bar(comparison, cell) if metric.name == "goodput" else None,
    )


def _url(request: HttpRequest, **more: str) -> str:
    """This comparison with another baseline, or forced."""
    if "forced" in request.GET:
        more = {"forced": request.GET["forced"], **more}
    return f"{reverse('benchsuite:compare')}?{_query(request)}&{urlencode(more)}"


def _query(request: HttpRequest) -> str:
    """Which runs were asked for, in as few words as they were: a batch stays one."""
    asked = {"runs": ",".join(wanted_ids(request)), "batch": request.GET.get("batch", "")}
    return urlencode({name: text for name, text in asked.items() if text}, safe=",")
