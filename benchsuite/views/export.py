"""Exports: runs as CSV or JSON, sent while they are made."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from benchsuite.core.exceptions import UsageError
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.exports.runs import csv_of, json_of
from benchsuite.report.pages import run_page
from benchsuite.report.pages.run_list import RunFilter
from benchsuite.report.writers import to_markdown
from benchsuite.views import access
from benchsuite.views.charts import wanted_ids
from benchsuite.views.page import problem

CHUNK_LETTERS = 64 * 1024
TYPES = {"csv": "text/csv", "html": "text/html", "json": "application/json", "md": "text/markdown"}


Formats = Mapping[str, Callable[[], Iterable[str]]]


def download(request: HttpRequest, wanted: str, name: str, formats: Formats) -> HttpResponseBase:
    """In the format that is wanted, of those that can be made; raises UsageError for others."""
    if wanted not in formats:
        raise UsageError(f"There is no format {wanted[:60]!r}; there are: {', '.join(formats)}.")
    return _download(request, formats[wanted](), TYPES[wanted], f"{name}.{wanted}")


def _download(
    request: HttpRequest, pieces: Iterable[str], kind: str, filename: str
) -> HttpResponseBase:
    chunks = _chunks(pieces)
    return StreamingHttpResponse(
        _in_turn(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{filename}"'},
    )


def _chunks(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces, joined into chunks worth sending."""
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


@access.guarded
def selection(request: HttpRequest) -> HttpResponseBase:
    """The runs in `runs` or `batch`, else all that match the filters.

    With `chosen`, runs should have been ticked: none is an error.
    """
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    wanted = queries.tabled() if request.GET.get("format") == "csv" else queries.exported()
    try:
        runs: Iterable[Run]
        if ids or batch or "chosen" in request.GET:
            runs = queries.each(wanted, queries.chosen_ids(ids, batch), queries.WHOLE_AT_ONCE)
        else:
            filters = RunFilter(request.GET, queryset=wanted)
            filters.refuse_nonsense()
            runs = queries.by_and_by(filters.qs)
        return _answer(request, runs, "runs", {})
    except UsageError as error:
        return problem(request, str(error), status=400)


@access.guarded
def one_run(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    page = run_page.stored(pk)
    if page is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    shown: Formats = {"md": lambda: [to_markdown(page.answer)]}
    try:
        return _answer(request, queries.exported().filter(pk=pk), f"run-{pk}", shown)
    except UsageError as error:
        return problem(request, str(error), status=400)


def _answer(
    request: HttpRequest, runs: Iterable[Run], name: str, further: Formats
) -> HttpResponseBase:
    def address(run: Run) -> str:
        return request.build_absolute_uri(run.get_absolute_url())

    formats = {"csv": lambda: csv_of(runs), "json": lambda: json_of(runs, address), **further}
    return download(request, request.GET.get("format", "json"), name, formats)
