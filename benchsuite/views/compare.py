"""Several runs: which to take, by how much it is better, and whether that is real."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from benchsuite import conf
from benchsuite.comparing.answer import (
    Climbed,
    answer_of,
    climbs,
    level,
    of_runs,
    outcome,
)
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import Contrast, Side, contrasts, figures_of, metric
from benchsuite.comparing.differences import Comparison, Unlike, alike, unlike
from benchsuite.comparing.titles import (
    levels_title,
    load_title,
    size_title,
    units_beside,
    workload_title,
)
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place, was_asked
from benchsuite.core.units import listed
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.charts import overlays
from benchsuite.report.charts.forest import Line, forest
from benchsuite.report.charts.styles import Style
from benchsuite.report.sentences import missing_reason
from benchsuite.store import notes
from benchsuite.views import access, live
from benchsuite.views.charts import wanted_ids
from benchsuite.views.page import page, problem

SWITCH = ("goodput", "p95", "memory", "cpu")  #: Figures that the forest plot shows, by a click.


@dataclass(frozen=True, slots=True)
class Shown:
    """One figure of a cell as its table writes it."""

    text: str
    spread: str = ""  #: Least and most of several runs.
    reason: str = ""  #: Why there is no figure.


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of the comparison."""

    side: Side
    style: Style
    line: Line | None
    state: str
    level: str  #: Of a load with stages: which its figures are of.
    contrast: Contrast | None
    result: str
    figures: list[Shown]
    is_baseline: bool
    baseline_url: str
    without_url: str


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
    star = notes.starred(runs)
    chosen = request.GET.get("baseline") or (str(star.pk) if star else "")
    comparison = Comparison(runs, baseline=chosen)
    unlike_runs = unlike(comparison)
    lines = climbs(comparison, unlike_runs)
    if unlike_runs and not lines and request.GET.get("forced") != "1":
        return page(request, "unlike", _unlike(request, comparison, unlike_runs), status=409)
    context = _context(request, comparison)
    if lines:
        queries.add_series(runs)
        context |= {
            "answer": answer_of(lines, conf.margins()),
            "charts": overlays.level_charts(lines),
            "levels": _levels(request, lines),
        }
    else:
        queries.add_series(overlays.drawn_of(comparison))
        context |= {
            **_forest(request, comparison),
            "answer": of_runs(comparison, conf.margins()),
            "unlike": [one.sentence(comparison.titles) for one in unlike_runs],
            "charts": overlays.charts(comparison),
            "heat": _heat(comparison, _figure(request, comparison)),
        }
    return page(request, "compare", context)


def _levels(request: HttpRequest, lines: Sequence[Climbed]) -> dict[str, Any]:
    """A column for each level, where its cells are compared."""
    places: dict[float, list[Cell]] = {}
    for cell in (cell for line in lines for cell in line.cells):
        places.setdefault(level(cell.first), []).append(cell)
    order = sorted(places)
    goodput = every.figure("goodput")
    by_level = [{level(cell.first): cell for cell in line.cells} for line in lines]
    return {
        "headings": [
            (load_title(places[one][0].first), _url(request, places[one])) for one in order
        ],
        "rows": [
            (
                line.title,
                [
                    (goodput.show(cells[one].value(goodput)), cells[one] is line.knee)
                    if one in cells
                    else None
                    for one in order
                ],
            )
            for line, cells in zip(lines, by_level, strict=True)
        ],
    }


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
        "lots": [
            (lot.title, _url(request, lot.cells) if len(lot.cells) > 1 else "") for lot in lots
        ],
        "rows": [
            (one.name, [one.values[places.index(number)] for number in range(len(lots))])
            for kind in unlike_runs
            for one in kind.differences
        ],
        "anyway_url": _url(request, forced="1"),
    }


def _context(request: HttpRequest, comparison: Comparison) -> dict[str, Any]:
    """What every comparison has."""
    cells = comparison.cells
    columns = _columns(comparison)
    return {
        "title": f"{len(comparison.runs)} runs compared"
        if len(comparison.runs) > 1
        else "One run, nothing to compare it with",
        "comparison": comparison,
        "differences": comparison.differences,
        "headings": [one.heading for one in columns],
        "figures": [
            (title, [_shown(cell, one) for one in columns])
            for title, cell in zip(comparison.titles, cells, strict=True)
        ],
        "failed": [run for cell in cells for run in cell.runs if run.goodput is None],
        "query": _query(request),
        "hidden": _kept(request),
        "addable": [
            (f"{cell.first.server} {size_title(cell.first)}", cell)
            for cell in queries.alike(comparison.runs)
        ],
    }


def _figure(request: HttpRequest, comparison: Comparison) -> Metric:
    """The one that was chosen, else what the answer goes by."""
    names = _switch(comparison)
    wanted = request.GET.get("figure", "")
    return metric(wanted if wanted in names else names[0], conf.margins())


def _switch(comparison: Comparison) -> list[str]:
    """Short names of the figures that some have; the first is what the answer goes by."""
    first = figures_of(comparison.cells)[0]
    names = [name for name in SWITCH if any(one.value(metric(name)) for one in comparison.cells)]
    return list(dict.fromkeys([first, *names]))


def _forest(request: HttpRequest, comparison: Comparison) -> dict[str, Any]:
    """The chosen figure of each cell beside the baseline, and a row of its main figures."""
    figure, base = _figure(request, comparison), comparison.baseline
    compared = contrasts(comparison.pairs, [figure])
    by_cell = {id(one.candidate.cell): one for one in compared}
    plot = forest(comparison.sides, base, compared, figure) if base else None
    lines = plot.lines if plot else [None] * len(comparison.sides)
    columns = [every.compared()[name] for name in _switch(comparison)]
    rows = []
    for side, style, line in zip(comparison.sides, overlays.styles(comparison), lines, strict=True):
        cell, contrast = side.cell, by_cell.get(id(side.cell))
        rows.append(
            Row(
                side=side,
                style=style,
                line=line,
                state=cell.verdict.value if cell.verdict else cell.first.status,
                level=levels_title(cell),
                contrast=contrast,
                result=outcome(contrast) if contrast else "",
                figures=[_shown(cell, one, spread=one.name == figure.name) for one in columns],
                is_baseline=side is base,
                baseline_url=_url(request, baseline=cell.first.pk.hex) if cell.is_sound else "",
                without_url=_url(request, [one for one in comparison.cells if one is not cell])
                if len(comparison.cells) > 1
                else "",
            )
        )
    return {
        "rows": rows,
        "forest": plot,
        "figure": figure,
        "columns": [one.heading for one in columns],
        "switch": [
            (every.compared()[name].heading, _url(request, figure=name), name == figure.short)
            for name in _switch(comparison)
        ],
    }


def _heat(comparison: Comparison, figure: Metric) -> dict[str, Any] | None:
    """Servers by sizes, where they make a table: each pair once, and several sizes of a server."""
    by_place: dict[tuple[str, str], Cell] = {}
    for cell in comparison.cells:
        place = (cell.first.server, size_title(cell.first))
        if place in by_place:
            return None
        by_place[place] = cell
    servers = list(dict.fromkeys(server for server, _ in by_place))
    order = {size: (run.processes or 0, run.threads or 0) for (_, size), run in _firsts(by_place)}
    if len(order) < 2 or len(by_place) < len(servers) + 2:
        return None
    values = {place: cell.value(figure) or 0.0 for place, cell in by_place.items()}
    most = max(values.values()) or 1.0
    sizes = sorted(order, key=lambda size: order[size])
    return {
        "sizes": sizes,
        "rows": [
            (
                server,
                [
                    (figure.show(by_place[server, size].value(figure)), values[server, size] / most)
                    if (server, size) in by_place
                    else None
                    for size in sizes
                ],
            )
            for server in servers
        ],
    }


def _firsts(by_place: dict[tuple[str, str], Cell]) -> list[tuple[tuple[str, str], Run]]:
    return [(place, cell.first) for place, cell in by_place.items()]


def _columns(comparison: Comparison) -> list[Metric]:
    """Those that a run has; no answers where nothing was asked."""
    runs = comparison.runs
    asked = any(was_asked(run) for run in runs)
    return [
        one
        for one in every.in_place(Place.COMPARE)
        if (asked or one.summed or not one.of_answers) and any(map(one.only, runs))
    ]


def _shown(cell: Cell, figure: Metric, *, spread: bool = True) -> Shown:
    show = partial(figure.show, units=units_beside(cell.first))
    value = cell.value(figure)
    if value is None:
        return Shown("", reason=missing_reason(cell.first, figure))
    ends = cell.spread(figure)
    if not spread or figure.summed or ends is None or len(cell.shown) < 2:
        return Shown(show(value))
    return Shown(show(value), f"{show(ends.least)} – {show(ends.most)}")


KEPT = ("forced", "baseline", "figure")


def _url(request: HttpRequest, cells: Sequence[Cell] | None = None, **more: str) -> str:
    """This comparison with something changed, or one of these cells."""
    kept = {name: request.GET[name] for name in KEPT if name in request.GET} | more
    query = _query(request) if cells is None else f"runs={_ids(cells)}"
    return f"{reverse('benchsuite:compare')}?{'&'.join(filter(None, (query, urlencode(kept))))}"


def _ids(cells: Sequence[Cell]) -> str:
    """Without dashes, because servers take only so long a line."""
    return ",".join(run.pk.hex for cell in cells for run in cell.runs)


def _kept(request: HttpRequest) -> dict[str, str]:
    """What a form sends along."""
    asked = {"runs": ",".join(wanted_ids(request)), "batch": request.GET.get("batch", "")}
    asked |= {name: request.GET.get(name, "") for name in KEPT}
    return {name: text for name, text in asked.items() if text}


def _query(request: HttpRequest) -> str:
    """Which runs were asked for, in as few words as they were: a batch stays one."""
    asked = {name: text for name, text in _kept(request).items() if name not in KEPT}
    return urlencode(asked, safe=",")
