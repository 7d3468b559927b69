"""The work itself, shared by the sync and async twins so that they do exactly the same."""

import time
from collections.abc import Iterator, Mapping
from itertools import count
from math import isfinite
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from benchsuite.target.gate import BadInput
from benchsuite.target.models import Comment, Post

MAX_SIZE = 10**8  #: About ten seconds of one CPU: more would only hang the server.
MAX_ROWS = 10**10
PAGE = 25
MAX_TITLE = 200
MAX_CONTENT = 100_000
MAX_EVENT_BYTES = 2**20
MAX_BODY_BYTES = 2**24
MAX_SLEEP_S = 60.0
MAX_CALLS = 100
JOINED = Comment.objects.select_related("post")


def wanted(request: HttpRequest, name: str, most: int) -> int:
    """`?name=`, a whole number from 0 to `most`."""
    text = request.GET.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= most):
        raise BadInput(f"{name} must be a whole number from 0 to {most}")
    return int(text)


def wanted_times(request: HttpRequest, name: str, most: int = 1) -> list[float]:
    """`?calls=0.2,0.4`: times of `name` in seconds, from 0 to MAX_SLEEP_S."""
    try:
        times = [float(one) for one in request.GET.get(name, "").split(",")]
    except ValueError:
        times = []
    if not 0 < len(times) <= most or not all(0 <= one <= MAX_SLEEP_S for one in times):
        more = f", or up to {most} with commas" * (most > 1)
        raise BadInput(f"{name} must be a number from 0 to {MAX_SLEEP_S:g}{more}")
    return times


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


def wanted_events(request: HttpRequest) -> Iterator[tuple[float, bytes]]:
    """Endless, by `?rate=`, `?size=` and the header of returning clients."""
    try:
        last = int(request.headers.get("Last-Event-ID") or 0)
        rate = float(request.GET.get("rate", "10"))
        size = int(request.GET.get("size", "64"))
    except ValueError:
        raise BadInput("Last-Event-ID, rate and size must be numbers") from None
    if last < 0 or not rate >= 0 or not isfinite(rate) or not 0 < size <= MAX_EVENT_BYTES:
        raise BadInput(f"size must be 1 to {MAX_EVENT_BYTES}, rate and Last-Event-ID not negative")
    return _events(last + 1, rate, size)


def _events(first: int, rate: float, size: int) -> Iterator[tuple[float, bytes]]:
    """Numbered, `rate` a second or as fast as they are read, each with the moment it is due."""
    begin = time.monotonic()
    for number in count(first):
        data = f"{number} ".ljust(size, "x")
        due = begin + (number - first) / rate if rate else begin
        yield due, f"id: {number}\ndata: {data}\n\n".encode()


def page(posts: list[Post], count: int) -> Mapping[str, Any]:
    return {"count": count, "posts": [post.to_json() for post in posts]}


def joined(comment: Comment) -> Mapping[str, Any]:
    """A comment with its post, which was read with it."""
    return {
        "number": comment.number,
        "text": comment.text,
        "likes": comment.likes,
        "post": comment.post.to_json(),
    }


def like(row: int) -> Mapping[str, int]:
    """Locks the row of a comment, and writes it before the lock is released."""
    with transaction.atomic():
        comment = get_object_or_404(Comment.objects.select_for_update(), number=row)
        comment.likes += 1
        comment.save(update_fields=["likes"])
    return {"number": row, "likes": comment.likes}
