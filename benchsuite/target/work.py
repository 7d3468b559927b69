"""The work itself, shared by the sync and async twins so that they do exactly the same."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import isfinite
from typing import Any

from django.http import HttpRequest, JsonResponse

from benchsuite.target.models import Post

DEFAULT_SIZE = 10**7
MAX_SIZE = 10**8  #: About ten seconds of one CPU: more would only hang the server.
PAGE = 25
LOOPS = 10_000
WRITES = 10_000
PAUSE_S = 0.1
MAX_TITLE = 200
MAX_CONTENT = 100_000
MAX_EVENT_BYTES = 2**20


class BadInput(ValueError):
    """The request is out of bounds; the message is the body of the 400 response."""


def wanted_size(request: HttpRequest) -> int:
    """`?size=`, from 0 to MAX_SIZE."""
    text = request.GET.get("size", "")
    if not text:
        return DEFAULT_SIZE
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= MAX_SIZE):
        raise BadInput(f"size must be a whole number from 0 to {MAX_SIZE}")
    return int(text)


def sum_of_squares(size: int) -> int:
    """Adds i * i for every i below size, slowly on purpose."""
    return sum(i * i for i in range(size))


def wanted_post(request: HttpRequest) -> dict[str, str]:
    """The title and content of a form."""
    title, content = request.POST.get("title", ""), request.POST.get("content", "")
    if not 0 < len(title) <= MAX_TITLE or len(content) > MAX_CONTENT:
        raise BadInput(
            f"title must have 1 to {MAX_TITLE} characters, content at most {MAX_CONTENT}"
        )
    return {"title": title, "content": content}


@dataclass(frozen=True)
class EventStream:
    """Numbered events, `rate` a second or as fast as they are read."""

    first: int
    rate: float
    size: int

    def events(self, begin: float) -> Iterator[tuple[float, bytes]]:
        """Each event with the moment it is due; the first one is due at `begin`."""
        for place in count():
            number = self.first + place
            data = f"{number} ".ljust(self.size, "x")
            due = begin + place / self.rate if self.rate else begin
            yield due, f"id: {number}\ndata: {data}\n\n".encode()


def wanted_stream(request: HttpRequest) -> EventStream:
    """From `?rate=`, `?size=` and the header of returning clients."""
    try:
        last = int(request.headers.get("Last-Event-ID") or 0)
        rate = float(request.GET.get("rate", "10"))
        size = int(request.GET.get("size", "64"))
    except ValueError:
        raise BadInput("Last-Event-ID, rate and size must be numbers") from None
    if last < 0 or not rate >= 0 or not isfinite(rate) or not 0 < size <= MAX_EVENT_BYTES:
        raise BadInput(f"size must be 1 to {MAX_EVENT_BYTES}, rate and Last-Event-ID not negative")
    return EventStream(first=last + 1, rate=rate, size=size)


def page(posts: list[Post], count: int) -> Mapping[str, Any]:
    return {"count": count, "posts": [post.to_json() for post in posts]}


def refused(error: BadInput) -> JsonResponse:
    return JsonResponse({"error": str(error)}, status=400)


def loop() -> None:
    for _ in range(LOOPS):
        pass


def write_small() -> None:
    """Writes many small strings to a temporary file, each with a system call, and removes it."""
    handle, name = tempfile.mkstemp(prefix="bench_app")
    try:
        for i in range(WRITES):
            os.write(handle, str(i).encode())
    finally:
        os.close(handle)
        os.remove(name)
