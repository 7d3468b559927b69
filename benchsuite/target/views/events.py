"""Numbered server-sent events at a rate, by the kind of iterator that the server supports."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from benchsuite.target import work
from benchsuite.target.gate import only_in_a_run


@only_in_a_run
def sse(request: HttpRequest) -> HttpResponseBase:
    """Endless events from the one after Last-Event-ID on, the first one at once."""
    stream = work.wanted_stream(request)
    events = _told_async(stream) if isinstance(request, ASGIRequest) else _told(stream)
    return StreamingHttpResponse(
        events,
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


def _told(stream: work.EventStream) -> Iterator[bytes]:
    for due, event in stream.events(time.monotonic()):
        if (wait_s := due - time.monotonic()) > 0:
            time.sleep(wait_s)
        yield event


async def _told_async(stream: work.EventStream) -> AsyncIterator[bytes]:
    for due, event in stream.events(time.monotonic()):
        await asyncio.sleep(max(0.0, due - time.monotonic()))  # always lets others run
        yield event
