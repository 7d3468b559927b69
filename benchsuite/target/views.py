"""The measured views, and their async twins, which await only what can be awaited; see `urls`."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import aget_object_or_404, get_object_or_404

from benchsuite.target import bench_app as bench
from benchsuite.target import work
from benchsuite.target.models import Post


def plain(request: HttpRequest) -> HttpResponse:
    """Two bytes: what the server and Django cost by themselves."""
    return HttpResponse(b"OK", content_type="text/plain")


def get(request: HttpRequest) -> HttpResponse:
    """As many bytes as are asked for."""
    size = work.wanted(request, "size", work.MAX_BODY_BYTES)
    return HttpResponse(b"x" * size, content_type="application/octet-stream")


def echo(request: HttpRequest) -> HttpResponse:
    """What came in, of any length: `request.body` has a limit."""
    return HttpResponse(request.read(), content_type="application/octet-stream")


def sleep(request: HttpRequest) -> HttpResponse:
    """Waits and does nothing else; says how long that took."""
    (seconds,) = work.wanted_times(request, "seconds")
    start = time.perf_counter()
    time.sleep(seconds)
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")


def cpu(request: HttpRequest) -> HttpResponse:
    """A sum of squares: nothing but Python."""
    size = work.wanted(request, "size", work.MAX_SIZE)
    return JsonResponse({"size": size, "sum": work.sum_of_squares(size)})


def io_create(request: HttpRequest) -> HttpResponse:
    """Inserts one row."""
    post = Post.objects.create(**work.wanted_post(request))
    return JsonResponse(post.to_json(), status=201)


def io_read(request: HttpRequest) -> HttpResponse:
    """Reads a page of rows and counts them all."""
    posts = list(Post.objects.all()[: work.PAGE])
    return JsonResponse(work.page(posts, Post.objects.count()))


def io_join(request: HttpRequest) -> HttpResponse:
    """Reads one comment and its post in one query."""
    comment = get_object_or_404(work.JOINED, number=work.wanted(request, "row", work.MAX_ROWS))
    return JsonResponse(work.joined(comment))


def io_lock(request: HttpRequest) -> HttpResponse:
    """Locks one row, changes it, and releases it."""
    return JsonResponse(work.like(work.wanted(request, "row", work.MAX_ROWS)))


def upstream(request: HttpRequest) -> HttpResponse:
    """Asks an API several times, call by call or in threads."""
    from benchsuite.target.upstream import answers  # here, because only this view needs httpx

    calls = work.wanted_times(request, "calls", work.MAX_CALLS)
    at_once = "at_once" in request.GET
    start = time.perf_counter()
    answered = answers(calls, at_once=at_once)
    return JsonResponse({"answers": answered, "seconds": time.perf_counter() - start})


def bench_app(request: HttpRequest) -> HttpResponse:
    """The application of the 2012 comparison, in one of its versions."""
    return HttpResponse(bench.page(request.GET.get("version", "")), content_type="text/plain")


async def sleep_async(request: HttpRequest) -> HttpResponse:
    (seconds,) = work.wanted_times(request, "seconds")
    start = time.perf_counter()
    await asyncio.sleep(seconds)
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")


async def io_create_async(request: HttpRequest) -> HttpResponse:
    post = await Post.objects.acreate(**work.wanted_post(request))
    return JsonResponse(post.to_json(), status=201)


async def io_read_async(request: HttpRequest) -> HttpResponse:
    posts = [post async for post in Post.objects.all()[: work.PAGE]]
    return JsonResponse(work.page(posts, await Post.objects.acount()))


async def io_join_async(request: HttpRequest) -> HttpResponse:
    number = work.wanted(request, "row", work.MAX_ROWS)
    comment = await aget_object_or_404(work.JOINED, number=number)
    return JsonResponse(work.joined(comment))


async def io_lock_async(request: HttpRequest) -> HttpResponse:
    """Locks one row and changes it: a transaction, for which Django has no async way."""
    return JsonResponse(await sync_to_async(work.like)(work.wanted(request, "row", work.MAX_ROWS)))


async def upstream_async(request: HttpRequest) -> HttpResponse:
    """Asks an API several times, call by call or in tasks."""
    from benchsuite.target.upstream import answers_async  # here, because only this view needs httpx

    calls = work.wanted_times(request, "calls", work.MAX_CALLS)
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
    events = work.wanted_events(request)
    return StreamingHttpResponse(
        _told_async(events) if isinstance(request, ASGIRequest) else _told(events),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


def _told(events: Iterator[tuple[float, bytes]]) -> Iterator[bytes]:
    for due, event in events:
        if (wait_s := due - time.monotonic()) > 0:
            time.sleep(wait_s)
        yield event


async def _told_async(events: Iterator[tuple[float, bytes]]) -> AsyncIterator[bytes]:
    for due, event in events:
        await asyncio.sleep(max(0.0, due - time.monotonic()))  # always lets others run
        yield event
