"""Exports: runs as CSV or JSON, sent while they are made; a chart as CSV."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from io import StringIO
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from benchsuite.core.answer import Answer
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.charts import of_run
from benchsuite.report.exports import csv_of, json_of, table_as_csv
from benchsuite.report.pages.html import one_file
from benchsuite.report.pages.run_list import RunFilter
from benchsuite.report.writers import to_markdown
from benchsuite.views.access import NotShown, gone
from benchsuite.views.page import attached, guarded

CHUNK_LETTERS = 64 * 1024
TYPES = {"csv": "text/csv", "html": "text/html", "json": "application/json", "md": "text/markdown"}

Formats = Mapping[str, Callable[[], Iterable[str]]]


def formats_of(
    page: str,
    context: Callable[[], Mapping[str, Any]],
    answer: Answer,
    runs: QuerySet[Run],
    more: Formats | None = None,
) -> Formats:
    """The formats of a page with an answer, which `runs` are evidence of; `more` come second."""
    return {
        "md": lambda: [to_markdown(answer)],
        **(more or {}),
        "html": lambda: [one_file(page, context())],
        "json": lambda: json_of(queries.by_and_by(runs)),
    }


def download(request: HttpRequest, wanted: str, name: str, formats: Formats) -> HttpResponseBase:
    """In the format that is wanted, of those that can be made; raises UsageError for others."""
    if wanted not in formats:
        raise UsageError(f"There is no format {wanted[:60]!r}; there are: {', '.join(formats)}.")
    chunks = _chunks(formats[wanted]())
    return StreamingHttpResponse(
        _in_turn(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=f"{TYPES[wanted]}; charset=utf-8",
        headers=attached(f"{name}.{wanted}"),
    )


def _chunks(pieces: Iterable[str]) -> Iterator[str]:
    held = StringIO()
    for piece in pieces:
        held.write(piece)
        if held.tell() >= CHUNK_LETTERS:
            yield held.getvalue()
            held = StringIO()
    yield held.getvalue()


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
    runs: Iterable[Run]
    if ids or batch or "chosen" in request.GET:
        runs = queries.each(wanted, queries.chosen_ids(ids, batch), queries.WHOLE_AT_ONCE)
    else:
        filters = RunFilter(request.GET, queryset=wanted)
        filters.refuse_nonsense()
        runs = queries.by_and_by(filters.qs)
    return _runs(request, runs, "runs")


@guarded
def one_run(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    runs = queries.exported().filter(pk=pk)
    if not runs.exists():
        raise gone("run", pk)
    return _runs(request, runs, f"run-{pk}")


def _runs(request: HttpRequest, runs: Iterable[Run], name: str) -> HttpResponseBase:
    formats = {"csv": lambda: csv_of(runs), "json": lambda: json_of(runs)}
    return download(request, request.GET.get("format", "json"), name, formats)


@guarded
def chart(request: HttpRequest, pk: UUID, slug: str) -> HttpResponseBase:
    """The numbers of a chart of a run: its page shows those of a long run in steps."""
    run = Run.objects.filter(pk=pk).first()
    if run is None:
        raise gone("run", pk)
    by_slug = {chart.series.slug: chart.series for chart in of_run.charts(run)}
    if slug not in by_slug:
        raise NotShown(f"There is no chart {slug[:60]!r}; {choices(slug[:60], by_slug)}")
    series = by_slug[slug]
    lines = table_as_csv([column.name for column in series.columns], series.rows)
    return download(request, "csv", f"{slug}-{pk}", {"csv": lambda: lines})


def wanted_ids(request: HttpRequest) -> list[str]:
    """The IDs in `runs`, separated by commas, repeated, or both."""
    given = request.POST if request.method == "POST" else request.GET
    return [part for value in given.getlist("runs") for part in value.split(",") if part.strip()]
