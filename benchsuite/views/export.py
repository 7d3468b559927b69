"""Exports: runs as CSV or JSON, sent while they are made; a chart as CSV, or as one HTML file."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from benchsuite.comparing.answer import climbs
from benchsuite.comparing.differences import Comparison, unlike
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics import every
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.charts import of_run, overlays
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.exports.runs import FACTS, csv_of, json_of, table_as_csv
from benchsuite.report.pages import run_page
from benchsuite.report.pages.html import one_file
from benchsuite.report.pages.run_list import RunFilter
from benchsuite.report.writers import to_markdown
from benchsuite.views.access import NotShown, gone
from benchsuite.views.page import guarded

CHUNK_LETTERS = 64 * 1024
TYPES = {"csv": "text/csv", "html": "text/html", "json": "application/json", "md": "text/markdown"}


Formats = Mapping[str, Callable[[], Iterable[str]]]


def download(request: HttpRequest, wanted: str, name: str, formats: Formats) -> HttpResponseBase:
    """In the format that is wanted, of those that can be made; raises UsageError for others."""
    if wanted not in formats:
        raise UsageError(f"There is no format {wanted[:60]!r}; there are: {', '.join(formats)}.")
    chunks = _chunks(formats[wanted]())
    return StreamingHttpResponse(
        _in_turn(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=f"{TYPES[wanted]}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.{wanted}"'},
    )


def _chunks(pieces: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    letters = 0
    for piece in pieces:
        held.append(piece)
        letters += len(piece)
        if letters >= CHUNK_LETTERS:
            yield "".join(held)
            held, letters = [], 0
    yield "".join(held)


async def _in_turn(chunks: Iterator[str]) -> AsyncIterator[str]:
    """The same for ASGI, where Django would first read an ordinary iterator to its end."""
    following = sync_to_async(lambda: next(chunks, None))
    while (chunk := await following()) is not None:
        yield chunk


@guarded
def selection(request: HttpRequest) -> HttpResponseBase:
    """The runs in `runs` or `batch`, else all that match; with `chosen`, none is an error."""
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    wanted = queries.exported()
    if request.GET.get("format") == "csv":
        wanted = Run.objects.only(*FACTS, *(one.name for one in every.METRICS if one.read))
    runs: Iterable[Run]
    if ids or batch or "chosen" in request.GET:
        runs = queries.each(wanted, queries.chosen_ids(ids, batch), queries.WHOLE_AT_ONCE)
    else:
        filters = RunFilter(request.GET, queryset=wanted)
        filters.refuse_nonsense()
        runs = queries.by_and_by(filters.qs)
    return _answer(request, runs, "runs", {})


@guarded
def one_run(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    page = run_page.stored(pk)
    if page is None:
        raise gone("run", pk)
    shown: Formats = {"md": lambda: [to_markdown(page.answer)]}
    return _answer(request, queries.exported().filter(pk=pk), f"run-{pk}", shown)


def _answer(
    request: HttpRequest, runs: Iterable[Run], name: str, further: Formats
) -> HttpResponseBase:
    def address(run: Run) -> str:
        return request.build_absolute_uri(run.get_absolute_url())

    formats = {"csv": lambda: csv_of(runs), "json": lambda: json_of(runs, address), **further}
    return download(request, request.GET.get("format", "json"), name, formats)


@guarded
def run_chart(request: HttpRequest, pk: UUID, slug: str, form: str) -> HttpResponse:
    run = Run.objects.filter(pk=pk).first()
    if run is None:
        raise gone("run", pk)
    return chart_file(of_run.charts(run), slug, form, str(pk))


@guarded
def comparison_chart(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    runs = queries.chosen(queries.compared(), ids, batch, most=queries.MOST_COMPARED)
    queries.add_series(runs)
    comparison = Comparison(runs)
    lines = climbs(comparison, unlike(comparison))
    charts = overlays.level_charts(lines) if lines else overlays.charts(comparison)
    return chart_file(charts, slug, form, "comparison")


def chart_file(charts: Sequence[Chart], slug: str, form: str, name: str) -> HttpResponse:
    chart = next((one for one in charts if one.series.slug == slug), None)
    if chart is None:
        known = choices(slug[:60], [one.series.slug for one in charts])
        raise NotShown(f"There is no chart {slug[:60]!r}; {known}")
    return HttpResponse(
        "".join(table_as_csv([column.name for column in chart.series.columns], chart.series.rows))
        if form == "csv"
        else one_file("chart", {"title": chart.series.title, "charts": [chart]}),
        content_type=f"{TYPES[form]}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-{name}.{form}"'},
    )


def wanted_ids(request: HttpRequest) -> list[str]:
    """The IDs in `runs`, separated by commas, repeated, or both."""
    return [
        part for value in request.GET.getlist("runs") for part in value.split(",") if part.strip()
    ]
