"""Several runs: which to take, by how much it is better, and whether that is real."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse

from benchsuite import conf
from benchsuite.comparing import titles
from benchsuite.comparing.answer import Climbed, answer_of, climbs, level, of_runs, outcome
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import Contrast, contrasts, figures_of, metric
from benchsuite.comparing.differences import Comparison, unlike
from benchsuite.core.answer import Answer, Shown
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place, was_asked, whole
from benchsuite.core.results import Verdict
from benchsuite.core.specs import OPEN
from benchsuite.core.units import counted, format_duration, gathered, in_words
from benchsuite.report import queries
from benchsuite.report.answers import card_of
from benchsuite.report.charts.drawing import Chart, draw
from benchsuite.report.charts.of_run import percentile_curves
from benchsuite.report.charts.series import RESPONSE_TIME, Axis, Column, Scale, Series
from benchsuite.report.charts.styles import dotted_line, styles
from benchsuite.report.sentences import doubt_lines, missing_reason
from benchsuite.stats import histogram
from benchsuite.store import notes
from benchsuite.views import live
from benchsuite.views.page import guarded, page, page_or_file, wanted_ids

SWITCH = ("goodput", "p95", "memory", "cpu")  #: Figures that the forest plot shows, by a click.

MOST_DRAWN = 8  #: Cells of one chart, the first in their order; more can't be told apart.
MOST_MARKERS = 7  #: On one line; they tell lines apart and are no measured points of it.


@guarded
def show(request: HttpRequest) -> HttpResponseBase:
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    if batch and not ids:
        known = queries.chosen_ids(ids, batch)
        first = queries.by_command(queries.listed()).get(pk=known[0])
        if making := live.context(request, "batch", first.batch):
            title = f"{titles.workload_title(first)}: runs of one command"
            return page(request, "live", {"title": title, "live": making})
        if len(known) > queries.MOST_COMPARED:  # the list has its answer
            return HttpResponseRedirect(f"{reverse('benchsuite:list')}?command={first.command}")
    runs = queries.chosen(queries.compared(), ids, batch, most=queries.MOST_COMPARED)
    star = notes.starred(runs)
    chosen = request.GET.get("baseline") or (str(star.pk) if star else "")
    comparison = Comparison(runs, baseline=chosen)
    runs = comparison.runs
    unlike_runs = unlike(comparison)
    lines = climbs(comparison.cells) if [one.kind for one in unlike_runs] == ["load"] else []
    reasons = [] if lines else [one.sentence(comparison.titles) for one in unlike_runs]
    if reasons and request.GET.get("forced") != "1":
        refusal = {"title": "These runs are not alike", "reasons": reasons}
        refusal["anyway_url"] = _url(request, forced="1")
        return page(request, "unlike", refusal, status=409)
    cells, asked = comparison.cells, any(was_asked(run) for run in runs)
    became = "compared" if len(cells) > 1 else "of one configuration"
    title = f"{counted(len(runs), 'run')} {became}"
    hidden = _asked(request)
    runs_asked = {name: text for name, text in hidden.items() if name not in KEPT}
    columns = [  # those that a run has; no answers where nothing was asked
        column
        for column in every.in_place(Place.COMPARE)
        if (asked or column.summed or not column.of_answers) and any(map(column.only, runs))
    ]
    context: dict[str, Any] = {
        "title": title,
        "comparison": comparison,
        "compared": columns,
        "figures": [(cell.title, [_shown(cell, one) for one in columns]) for cell in cells],
        "doubts": doubt_lines(runs, {run.pk: cell.title for cell in cells for run in cell.runs}),
        "failed": [run for cell in cells for run in cell.runs if run.goodput is None],
        "query": urlencode(runs_asked, safe=","),
        "file_urls": {
            title: _url(request, forced="1", format=kind)
            for title, kind in (("HTML file", "html"), ("Markdown", "md"))
        },
        "hidden": hidden,
        "addable": queries.alike(runs),
    }
    if lines:
        queries.add_journeys([cell.first for line in lines for cell in line.cells])
        by_level = gathered((level(cell.first), cell) for line in lines for cell in line.cells)
        context |= {
            "answer": answer_of(lines, conf.margins()),
            "charts": [_over_levels(lines, every.figure(name)) for name in ("goodput", "p95_s")],
            "levels": [  # with where what was asked by this load is compared
                (titles.load_title(of_level[0].first), _url(request, of_level))
                for _, of_level in sorted(by_level.items())
            ],
        }
    else:
        answer = _answer(comparison)  # stages are asked for, of which `add_totals` knows none
        queries.add_totals([run for cell in cells[:MOST_DRAWN] for run in cell.shown])
        context |= {
            **_forest(request, comparison),
            "answer": answer,
            "unlike": reasons,
            "charts": _overlaid(comparison),
        }
    return page_or_file(request, "compare", context)


def _answer(comparison: Comparison) -> Answer:
    """Which to take or, of a single configuration, what its runs say."""
    answer = of_runs(comparison, conf.margins())
    if len(comparison.cells) > 1:
        return answer
    card = card_of(comparison.cells, conf.margins())
    verdict = comparison.cells[0].verdict
    return replace(card, cautions=answer.cautions, tiles=[], verdict=verdict or card.verdict)


def _forest(request: HttpRequest, comparison: Comparison) -> dict[str, Any]:
    """The chosen figure, else the answer's, of each cell beside the baseline, and others."""
    names = [name for name in SWITCH if any(one.value(metric(name)) for one in comparison.cells)]
    names = list(dict.fromkeys([figures_of(comparison.cells)[0], *names]))
    wanted = request.GET.get("figure", "")
    figure = metric(wanted if wanted in names else names[0], conf.margins())
    columns = [every.compared()[name] for name in names]
    base, compared = comparison.baseline, contrasts(comparison.pairs, [figure])
    by_cell = {id(contrast.candidate): contrast for contrast in compared}
    plot = _plot(comparison.cells, base, compared, figure) if base else None
    lines = plot["lines"] if plot else [None] * len(comparison.cells)
    rows = []
    looks = styles([cell.first.server for cell in comparison.cells])
    for cell, style, line in zip(comparison.cells, looks, lines, strict=True):
        contrast = by_cell.get(id(cell))
        remaining = [other for other in comparison.cells if other is not cell]
        rows.append(
            {
                "cell": cell,
                "style": style,
                "line": line,
                "state": cell.verdict.value if cell.verdict else cell.first.status,
                "level": titles.levels_title(cell),  # of stages: which its figures are of
                "contrast": contrast,
                "result": outcome(contrast) if contrast else "",
                "figures": [_shown(cell, one, spread=one.name == figure.name) for one in columns],
                "baseline_url": _url(request, baseline=cell.first.pk.hex) if cell.is_sound else "",
                "without_url": _url(request, remaining) if remaining else "",
            }
        )
    return {
        "rows": rows,
        "forest": plot,
        "figure": figure,
        "columns": columns,
        "switch": [
            (column.heading, _url(request, figure=name), name == figure.short)
            for name, column in zip(names, columns, strict=True)
        ],
        "heat": _heat(comparison, figure),
    }


def _heat(comparison: Comparison, figure: Metric) -> dict[str, Any] | None:
    """Servers by sizes, where they make a table: each pair once, and several sizes of a server."""
    cells = {(cell.first.server, titles.size_title(cell.first)): cell for cell in comparison.cells}
    servers = list(dict.fromkeys(server for server, _ in cells))
    order = {
        size: (cell.first.processes or 0, cell.first.threads or 0)
        for (_, size), cell in cells.items()
    }
    is_table = len(cells) == len(comparison.cells) >= len(servers) + 2
    if len(order) < 2 or not is_table:
        return None
    values = {place: cell.value(figure) for place, cell in cells.items()}
    most = max(value or 0.0 for value in values.values()) or 1.0
    shown = {place: (figure.show(value), (value or 0.0) / most) for place, value in values.items()}
    sizes = sorted(order, key=lambda size: order[size])
    rows = [(server, [shown.get((server, size)) for size in sizes]) for server in servers]
    return {"sizes": sizes, "rows": rows}


def _shown(cell: Cell, figure: Metric, *, spread: bool = True) -> Shown:
    """The mean and, of several runs, the least and the most."""
    show = partial(figure.show, answers=titles.units_beside(cell.first))
    if (value := cell.value(figure)) is None:
        return Shown("", reason=missing_reason((cell.shown or cell.runs)[0], figure))
    known = cell.figures(figure)
    if not spread or figure.summed or len(cell.shown) < 2:
        return Shown(show(value))
    return Shown(show(value), f"{show(min(known))} – {show(max(known))}")


KEPT = ("forced", "baseline", "figure")


def _url(request: HttpRequest, cells: Sequence[Cell] | None = None, **more: str) -> str:
    """This comparison with something changed, or one of these cells; with short ids."""
    asked = _asked(request) | more
    if cells is not None:
        ids = ",".join(run.pk.hex for cell in cells for run in cell.runs)
        asked = {**asked, "runs": ids, "batch": ""}
    query = {name: text for name, text in asked.items() if text}
    return f"{reverse('benchsuite:compare')}?{urlencode(query, safe=',')}"


def _asked(request: HttpRequest) -> dict[str, str]:
    """In as few words as it was: a batch stays one."""
    asked = {name: request.GET.get(name, "") for name in ("runs", "batch", *KEPT)}
    asked["runs"] = ",".join(wanted_ids(request))
    return {name: text for name, text in asked.items() if text}


def _overlaid(comparison: Comparison) -> list[Chart]:
    """Response time against percentile, a line for each configuration; none without answers."""
    columns, counted = [], []
    looks = styles([cell.first.server for cell in comparison.cells])
    for cell, style in list(zip(comparison.cells, looks, strict=True))[:MOST_DRAWN]:
        totals = [total for run in cell.shown if (total := whole(run))]
        texts = [total.response_histogram for total in totals if total.response_histogram]
        if texts:
            marker = {"symbol": style.marker, "size": 8, "maxdisplayed": MOST_MARKERS}
            mark = dotted_line(style.colour, marker=marker)
            name = f"{cell.title} response_time_s"
            columns.append(Column(name, cell.title, format_duration, mark=mark))
            counted.append(histogram.merged(texts))
    units = ", ".join(dict.fromkeys(titles.units_of(run) for run in comparison.runs))
    return [draw(percentile_curves(columns, counted, units))] if counted else []


def _over_levels(lines: Sequence[Climbed], figure: Metric) -> Chart:
    """The figure of each configuration over users or arrivals, with where it levels off."""
    looks = styles([line.cells[0].first.server for line in lines])
    values = [{level(cell.first): cell.value(figure) for cell in line.cells} for line in lines]
    places = sorted({place for of_line in values for place in of_line})
    rows = tuple((place, *(of_line.get(place) for of_line in values)) for place in places)
    first = lines[0].cells[0].first
    title = "arrivals per second" if first.model == OPEN else f"{titles.who_of(first)}s"
    across = Axis(title, scale=Scale.LEVEL)
    columns = [Column(across.title, across.title, in_words)]
    for line, style in zip(lines, looks, strict=True):
        knees = [row[0] == level(line.knee.first) for row in rows]
        marker = {
            "symbol": ["circle-open" if is_knee else "circle" for is_knee in knees],
            "size": [16 if is_knee else 7 for is_knee in knees],
            "line": {"width": 2},
        }
        mark = dotted_line(style.colour, connectgaps=True, marker=marker)
        columns.append(Column(line.title, line.title, figure.show, mark=mark))
    heading, up = figure.heading, Axis("goodput (per second)", "/s")
    up = RESPONSE_TIME if figure.of_times else up
    title = f"{heading[:1].upper()}{heading[1:]} by load"
    note = "Means over runs. The ring is where a configuration levels off."
    return draw(Series(f"{heading}-by-load", title, across, up, tuple(columns), rows, note))


TICKS = (
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1),
    *(1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100),
)
LEAST_SPAN = 1.1  #: The axis reaches from 1 divided by this to this, at least.
EDGE = 0.04  #: Of the width, left and right of what is drawn.
APART = 0.12  #: Of the width, between two ticks with numbers.


def _plot(
    cells: Sequence[Cell], baseline: Cell, compared: Sequence[Contrast], figure: Metric
) -> dict[str, Any] | None:
    """Lines for the cells, in percent of the width; None where the baseline's is not above 0."""
    base = baseline.value(figure)
    if not base or base < 0 or baseline.first.unit != cells[0].first.unit:  # a slope may be below 0
        return None
    pairs = {id(contrast.candidate): contrast.effect for contrast in compared}
    dots = []
    for cell in cells:
        values = [(figure.value(run) or 0.0, run.verdict) for run in cell.measured]
        shown = ((value / base, verdict) for value, verdict in values if value > 0)
        dots.append([(ratio, verdict == Verdict.INVALID.value) for ratio, verdict in shown])
    ends = [end for ratio in pairs.values() for end in (ratio.low, ratio.high) if end]
    ratios = [*ends, *(ratio for some in dots for ratio, _ in some)]
    lowest, highest = min([1 / LEAST_SPAN, *ratios]), max([LEAST_SPAN, *ratios])

    def at(ratio: float) -> float:
        share = math.log(ratio / lowest) / math.log(highest / lowest)  # a logarithmic axis
        return round(100 * (EDGE + (1 - 2 * EDGE) * share), 2)

    lines = []
    for cell, some in zip(cells, dots, strict=True):
        line: dict[str, Any] = {"dots": [(at(ratio), invalid) for ratio, invalid in some]}
        pair = pairs.get(id(cell))
        if pair is not None and pair.value:
            line |= {"low": pair.low and at(pair.low), "high": pair.high and at(pair.high)}
            line["centre"] = at(pair.value)
        elif cell is baseline:
            line["centre"] = at(1)
        lines.append(line)
    ticks = {at(1): "1"}  # always, and others as far as there is room
    for tick in sorted(TICKS, key=lambda tick: abs(math.log(tick)), reverse=True):
        apart = [abs(at(tick) - other) for other in ticks]
        if lowest <= tick <= highest and min(apart) >= 100 * APART:
            ticks[at(tick)] = f"{tick:g}"
    least, most = at(1 / (1 + figure.margin)), at(1 + figure.margin)
    margin = (least, round(most - least, 2))  # where a difference is too small to matter
    return {"ticks": sorted(ticks.items()), "one": at(1), "margin": margin, "lines": lines}
