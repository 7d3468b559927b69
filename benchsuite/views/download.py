"""Exports, sent while they are made: a large one is never in memory as a whole."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from benchsuite.core.exceptions import UsageError

CHUNK_LETTERS = 64 * 1024
TYPES = {"csv": "text/csv", "html": "text/html", "json": "application/json", "md": "text/markdown"}


def export(
    request: HttpRequest, wanted: str, name: str, formats: Mapping[str, Callable[[], Iterable[str]]]
) -> HttpResponseBase:
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
