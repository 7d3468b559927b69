"""Several runs: which is better, and by how much?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from benchsuite.comparing.beside import beside
from benchsuite.comparing.cells import Cell, Spread
from benchsuite.comparing.comparison import (
    OF_ANSWERS,
    Comparison,
    per_cpu_second,
    per_gib,
)
from benchsuite.comparing.likeness import Unlike, alike, unlike
from benchsuite.comparing.titles import levels_title
from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Verdict
from benchsuite.core.units import format_number, format_ratio, listed
from benchsuite.report import queries
from benchsuite.report.charts import overlays
from benchsuite.report.charts.styles import Style
from benchsuite.report.pages import html
from benchsuite.report.sentences import (
    missing_reason,
    question_sentence,
    questions,
    starts_sentence,
    thread_sentence,
)
from benchsuite.report.targets import own_target_sentence
from benchsuite.views import access
from benchsuite.views.charts import wanted_ids
from benchsuite.views.page import page, problem

COLUMNS = {
    "goodput": "goodput",
    "completions": "completed",
    "p50_s": "p50",
    "p95_s": "p95",
    "p99_s": "p99",
    "cpu_percent": "CPU",
    "memory_bytes": "memory",
    "connection_bytes": "per connection",
}
"""Column of `Run` → heading."""

OPTIONAL = ("completions", "connection_bytes")  #: Columns that few workloads have.


@dataclass(frozen=True, slots=True)
class Shown:
    """One figure of a cell as its table writes it."""

    text: str
    ratio: str  #: To the baseline; empty where there is none.
    spread: str  #: Least and most of several starts.
    reason: str  #: Why there is no figure.


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of the comparison."""

    title: str
    cell: Cell
    style: Style
    state: str
    level: str  #: Of a load with stages: which its figures are of.
    figures: list[Shown]
    per_cpu_second: str
    per_gib: str
    failures: str
    is_baseline: bool
    baseline_url: str
    bar: float | None  #: Goodput in percent of the highest of its unit.


@access.guarded
def show(request: HttpRequest) -> HttpResponse:
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    try:
        runs = queries.chosen(queries.compared(), ids, batch, most=queries.MOST_COMPARED)
    except UsageError as error:
        return problem(request, str(error), status=400)
    comparison = Comparison(runs, baseline=request.GET.get("baseline", ""))
    forced = request.GET.get("forced") == "1"
    found = unlike(comparison)
    if found and not forced:
        return page(request, "unlike", _unlike(request, comparison, found), status=409)
    queries.add_series(runs)
    reasons = [one.sentence(comparison.titles) for one in found]
    return page(request, "compare", _context(request, comparison, reasons))


def _unlike(
    request: HttpRequest, comparison: Comparison, found: Sequence[Unlike]
) -> dict[str, Any]:
    """A column for each lot of cells that are alike, a row for each field that differs."""
    lots = alike(comparison, found)
    column = {cell.first.pk: number for number, lot in enumerate(lots) for cell in lot.cells}
    places = [column[cell.first.pk] for cell in comparison.cells]
    return {
        "title": "These runs are not alike",
        "kinds": listed([one.kind for one in found]),
        "lots": [(lot.title, _compare_url(lot.cells)) for lot in lots],
        "rows": [
            (one.name, [one.values[places.index(number)] for number in range(len(lots))])
            for kind in found
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
    sentences = [question_sentence(cells, question) for question in questions(cells)]
    said = [sentence for sentence in sentences if sentence]
    cautions = [own_target_sentence(cell.first.server for cell in cells)]
    if said:
        cautions += [starts_sentence(cells), thread_sentence(cells)]
    return {
        "title": f"{len(comparison.runs)} runs compared"
        if len(comparison.runs) > 1
        else "One run, nothing to compare it with",
        "comparison": comparison,
        "sentences": said,
        "cautions": [sentence for sentence in cautions if sentence],
        "unlike": reasons,
        "beside": beside(comparison),
        "differences": comparison.differences,
        "asked": _asked(comparison),
        "headings": [COLUMNS[column] for column in _columns(comparison)],
        "rows": _rows(request, comparison),
        "invalid": [
            title
            for title, cell in zip(comparison.titles, cells, strict=True)
            if cell.verdict == Verdict.INVALID
        ],
        "several": any(len(cell.shown) > 1 for cell in cells),
        "failed": overlays.failed_cells(cells),
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
            figures=[_shown(comparison, cell, column) for column in columns],
            per_cpu_second=format_number(per_cpu_second(cell)),
            per_gib=format_number(per_gib(cell)),
            failures=_failures(cell),
            is_baseline=cell is comparison.baseline,
            baseline_url=_url(request, baseline=str(cell.first.pk)) if cell.is_sound else "",
            bar=_bar(comparison, cell),
        )
        for title, cell, style in zip(
            comparison.titles, comparison.cells, overlays.styles(comparison), strict=True
        )
    ]


def _bar(comparison: Comparison, cell: Cell) -> float | None:
    goodputs = [one.middle("goodput") or 0.0 for one in comparison.cells if one.unit == cell.unit]
    return (cell.middle("goodput") or 0.0) / max(goodputs) * 100 if max(goodputs) else None


def _asked(comparison: Comparison) -> bool:
    """Whether answers were waited for: idle connections get none."""
    runs = [run for cell in comparison.cells for run in cell.runs]
    return any(run.requests is None or run.requests for run in runs)


def _columns(comparison: Comparison) -> list[str]:
    """Those of `OPTIONAL` only where a run has them; no answers where nothing was asked."""
    cells = comparison.cells
    asked = _asked(comparison)
    return [
        column
        for column in COLUMNS
        if (column not in OPTIONAL or any(cell.middle(column) is not None for cell in cells))
        and (asked or column not in OF_ANSWERS)
    ]


def _shown(comparison: Comparison, cell: Cell, column: str) -> Shown:
    show = html.format_of(cell.first, column)
    spread = cell.spread(column)
    if spread is None:
        return Shown("", "", "", missing_reason(cell.first, column))
    ratio = comparison.ratio(cell, column)
    return Shown(
        text=show(spread.median),
        ratio=format_ratio(ratio) if ratio is not None and cell is not comparison.baseline else "",
        spread=_range(spread, show) if len(cell.shown) > 1 else "",
        reason="",
    )


def _range(spread: Spread, show: Any) -> str:
    return f"{show(spread.least)} – {show(spread.most)}"


def _failures(cell: Cell) -> str:
    counts = [run.failures for run in cell.shown if run.failures is not None]
    return html.FORMATS["failures"](sum(counts) if counts else None)


def _url(request: HttpRequest, **more: str) -> str:
    """This comparison with another baseline, or forced."""
    if "forced" in request.GET:
        more = {"forced": request.GET["forced"], **more}
    return f"{reverse('benchsuite:compare')}?{_query(request)}&{urlencode(more)}"


def _query(request: HttpRequest) -> str:
    """Which runs were asked for, in as few words as they were: a batch stays one."""
    asked = {"runs": ",".join(wanted_ids(request)), "batch": request.GET.get("batch", "")}
    return urlencode({name: text for name, text in asked.items() if text}, safe=",")
