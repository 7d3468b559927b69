"""The measured views, their async twins, which await only what can be awaited, and below them the
work itself, which both share so that they do exactly the same; see `urls`.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from math import isfinite
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import aget_object_or_404, get_object_or_404

from benchsuite import target
from benchsuite.target import bench_app as bench
from benchsuite.target.gate import Refusal
from benchsuite.target.models import Comment, Post

MAX_ROWS = 10**10
MAX_TITLE = 200
MAX_CONTENT = 100_000
JOINED = Comment.objects.select_related("post")


def plain(request: HttpRequest) -> HttpResponse:
    """Two bytes: what the server and Django cost by themselves."""
    return HttpResponse(b"OK", content_type="text/plain")


def get(request: HttpRequest) -> HttpResponse:
    """As many bytes as are asked for."""
    size = wanted(request, "size", target.MAX_BODY_BYTES)
    return HttpResponse(b"x" * size, content_type="application/octet-stream")


def echo(request: HttpRequest) -> HttpResponse:
    """What came in, of any length: `request.body` has a limit."""
    return HttpResponse(request.read(), content_type="application/octet-stream")


def sleep(request: HttpRequest) -> HttpResponse:
    """Waits and does nothing else; says how long that took."""
    (seconds,) = wanted_times(request, "seconds")
    start = time.perf_counter()
    time.sleep(seconds)
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")


def cpu(request: HttpRequest) -> HttpResponse:
    """A sum of squares: nothing but Python."""
    size = wanted(request, "size", target.MAX_SIZE)
    return JsonResponse({"size": size, "sum": sum_of_squares(size)})


def io_create(request: HttpRequest) -> HttpResponse:
    """Inserts one row."""
    return JsonResponse(Post.objects.create(**wanted_post(request)).to_json(), status=201)


def io_read(request: HttpRequest) -> HttpResponse:
    """Reads a page of rows and counts them all."""
    return JsonResponse(rows(list(Post.objects.all()[: target.PAGE]), Post.objects.count()))


def io_join(request: HttpRequest) -> HttpResponse:
    """Reads one comment and its post in one query."""
    comment = get_object_or_404(JOINED, number=wanted(request, "row", MAX_ROWS))
    return JsonResponse(comment.to_json())


def io_lock(request: HttpRequest) -> HttpResponse:
    """Locks one row, changes it, and releases it."""
    return JsonResponse(like(wanted(request, "row", MAX_ROWS)))


def upstream(request: HttpRequest) -> HttpResponse:
    """Asks an API several times, call by call or in threads."""
    from benchsuite.target.upstream import answers  # here, because only this view needs httpx

    calls = wanted_times(request, "calls", target.MAX_CALLS)
    at_once = "at_once" in request.GET
    start = time.perf_counter()
    answered = answers(calls, at_once=at_once)
    return JsonResponse({"answers": answered, "seconds": time.perf_counter() - start})


def bench_app(request: HttpRequest) -> HttpResponse:
    """The application of the 2012 comparison, in one of its versions."""
    return HttpResponse(bench.page(request.GET.get("version", "")), content_type="text/plain")


async def sleep_async(request: HttpRequest) -> HttpResponse:
    (seconds,) = wanted_times(request, "seconds")
    start = time.perf_counter()
    await asyncio.sleep(seconds)
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")


async def io_create_async(request: HttpRequest) -> HttpResponse:
    post = await Post.objects.acreate(**wanted_post(request))
    return JsonResponse(post.to_json(), status=201)


async def io_read_async(request: HttpRequest) -> HttpResponse:
    posts = [post async for post in Post.objects.all()[: target.PAGE]]
    return JsonResponse(rows(posts, await Post.objects.acount()))


async def io_join_async(request: HttpRequest) -> HttpResponse:
    comment = await aget_object_or_404(JOINED, number=wanted(request, "row", MAX_ROWS))
    return JsonResponse(comment.to_json())


async def io_lock_async(request: HttpRequest) -> HttpResponse:
    """Locks one row and changes it: a transaction, for which Django has no async way."""
    return JsonResponse(await sync_to_async(like)(wanted(request, "row", MAX_ROWS)))


async def upstream_async(request: HttpRequest) -> HttpResponse:
    """Asks an API several times, call by call or in tasks."""
    from benchsuite.target.upstream import answers_async  # here, because only this view needs httpx

    calls = wanted_times(request, "calls", target.MAX_CALLS)
    at_once = "at_once" in request.GET
    start = time.perf_counter()
    answered = await answers_async(calls, at_once=at_once)
    return JsonResponse({"answers": answered, "seconds": time.perf_counter() - start})


async def bench_app_async(request: HttpRequest) -> HttpResponse:
    """The application of the 2012 comparison; only pauses and what threads do can be awaited."""
    start = time.perf_counter()
    bench.loop()
    if request.GET.get("version") == "2":
        await asyncio.sleep(bench.pause_s())
        return HttpResponse(await asyncio.to_thread(bench.ask_database), content_type="text/plain")
    await asyncio.sleep(bench.PAUSE_S)
    bench.write_small()
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")


def sse(request: HttpRequest) -> StreamingHttpResponse:
    """Endless events from the one after Last-Event-ID on, the first one at once."""
    events = wanted_events(request)
    return StreamingHttpResponse(
        _paced_async(events) if isinstance(request, ASGIRequest) else _paced(events),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


def _paced(events: Iterator[tuple[float, bytes]]) -> Iterator[bytes]:
    for due, event in events:
        if (wait_s := due - time.monotonic()) > 0:
            time.sleep(wait_s)
        yield event


async def _paced_async(events: Iterator[tuple[float, bytes]]) -> AsyncIterator[bytes]:
    for due, event in events:
        await asyncio.sleep(max(0.0, due - time.monotonic()))  # always lets others run
        yield event


def wanted(request: HttpRequest, name: str, most: int) -> int:
    """`?name=`, a whole number from 0 to `most`."""
    text = request.GET.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= most):
        raise Refusal(f"{name} must be a whole number from 0 to {most}")
    return int(text)


def wanted_times(request: HttpRequest, name: str, most: int = 1) -> list[float]:
    """`?calls=0.2,0.4`: times of `name` in seconds, from 0 to MAX_SLEEP_S."""
    try:
        times = [float(one) for one in request.GET.get(name, "").split(",")]
    except ValueError:
        times = []
    if not 0 < len(times) <= most or not all(0 <= one <= target.MAX_SLEEP_S for one in times):
        more = f", or up to {most} with commas" * (most > 1)
        raise Refusal(f"{name} must be a number from 0 to {target.MAX_SLEEP_S:g}{more}")
    return times


def sum_of_squares(size: int) -> int:
    """Adds i * i for every i below size, slowly on purpose."""
    return sum(i * i for i in range(size))


def wanted_post(request: HttpRequest) -> dict[str, str]:
    """The title and content of a form."""
    title, content = request.POST.get("title", ""), request.POST.get("content", "")
    if not 0 < len(title) <= MAX_TITLE or len(content) > MAX_CONTENT:
        raise Refusal(f"title must have 1 to {MAX_TITLE} characters, content at most {MAX_CONTENT}")
    return {"title": title, "content": content}


def wanted_events(request: HttpRequest) -> Iterator[tuple[float, bytes]]:
    """Endless, by `?rate=`, `?size=` and the header of returning clients."""
    try:
        last = int(request.headers.get("Last-Event-ID") or 0)
        rate = float(request.GET.get("rate", "10"))
        size = int(request.GET.get("size", "64"))
    except ValueError:
        raise Refusal("Last-Event-ID, rate and size must be numbers") from None
    if last < 0 or not rate >= 0 or not isfinite(rate) or not 0 < size <= target.MAX_EVENT_BYTES:
        raise Refusal(
            f"size must be 1 to {target.MAX_EVENT_BYTES}, rate and Last-Event-ID not negative"
        )
    return _events(last + 1, rate, size)


def _events(first: int, rate: float, size: int) -> Iterator[tuple[float, bytes]]:
    """Numbered, `rate` a second or as fast as they are read, each with the moment it is due."""
    begin = time.monotonic()
    for number in itertools.count(first):
        data = f"{number} ".ljust(size, "x")
        due = begin + (number - first) / rate if rate else begin
        yield due, f"id: {number}\ndata: {data}\n\n".encode()


def rows(posts: list[Post], count: int) -> Mapping[str, Any]:
    return {"count": count, "posts": [post.to_json() for post in posts]}


def like(row: int) -> Mapping[str, int]:
    """Locks the row of a comment, and writes it before the lock is released."""
    with transaction.atomic():
        comment = get_object_or_404(Comment.objects.select_for_update(), number=row)
        comment.likes += 1
        comment.save(update_fields=["likes"])
    return {"number": row, "likes": comment.likes}
