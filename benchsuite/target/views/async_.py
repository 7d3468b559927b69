"""The async twins of `sync`: the same work, awaiting only what can be awaited."""

import asyncio
import time

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import aget_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from benchsuite.target import bench_app as bench
from benchsuite.target import work
from benchsuite.target.gate import only_in_a_run_async
from benchsuite.target.models import Post


@only_in_a_run_async
async def plain(request: HttpRequest) -> HttpResponse:
    """Two bytes: what the server and Django cost by themselves."""
    return HttpResponse(b"OK", content_type="text/plain")


@only_in_a_run_async
async def get(request: HttpRequest) -> HttpResponse:
    """As many bytes as are asked for."""
    size = work.wanted_size(request, work.MAX_BODY_BYTES)
    return HttpResponse(b"x" * size, content_type="application/octet-stream")


@csrf_exempt
@require_POST
@only_in_a_run_async
async def echo(request: HttpRequest) -> HttpResponse:
    """What came in, of any length: `request.body` has a limit."""
    return HttpResponse(request.read(), content_type="application/octet-stream")


@only_in_a_run_async
async def sleep(request: HttpRequest) -> HttpResponse:
    """Waits and does nothing else; says how long that took."""
    seconds = work.wanted_sleep(request)
    start = time.perf_counter()
    await asyncio.sleep(seconds)
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")


@only_in_a_run_async
async def cpu(request: HttpRequest) -> HttpResponse:
    """A sum of squares; it awaits nothing, so it blocks the event loop, as such code does."""
    size = work.wanted_size(request)
    return JsonResponse({"size": size, "sum": work.sum_of_squares(size)})


@csrf_exempt
@require_POST
@only_in_a_run_async
async def io_create(request: HttpRequest) -> HttpResponse:
    """Inserts one row."""
    fields = work.wanted_post(request)
    post = await Post.objects.acreate(**fields)
    return JsonResponse(post.to_json(), status=201)


@only_in_a_run_async
async def io_read(request: HttpRequest) -> HttpResponse:
    """Reads a page of rows and counts them all."""
    posts = [post async for post in Post.objects.all()[: work.PAGE]]
    return JsonResponse(work.page(posts, await Post.objects.acount()))


@only_in_a_run_async
async def io_join(request: HttpRequest) -> HttpResponse:
    """Reads one comment and its post in one query."""
    comment = await aget_object_or_404(work.JOINED, number=work.wanted_row(request))
    return JsonResponse(work.joined(comment))


@csrf_exempt
@require_POST
@only_in_a_run_async
async def io_lock(request: HttpRequest) -> HttpResponse:
    """Locks one row and changes it: a transaction, for which Django has no async way."""
    return JsonResponse(await sync_to_async(work.like)(work.wanted_row(request)))


@only_in_a_run_async
async def upstream(request: HttpRequest) -> HttpResponse:
    """Asks an API several times, call by call or in tasks."""
    from benchsuite.target.upstream import answers_async  # here, because only this view needs httpx

    calls, at_once = work.wanted_calls(request), "at_once" in request.GET
    start = time.perf_counter()
    answered = await answers_async(calls, at_once=at_once)
    return JsonResponse({"answers": answered, "seconds": time.perf_counter() - start})


@only_in_a_run_async
async def bench_app(request: HttpRequest) -> HttpResponse:
    """The application of the 2012 comparison; only pauses and what threads do can be awaited."""
    start = time.perf_counter()
    bench.loop()
    if work.second_version(request):
        await asyncio.sleep(bench.pause_s())
        return HttpResponse(await asyncio.to_thread(bench.ask_database), content_type="text/plain")
    await asyncio.sleep(bench.PAUSE_S)
    bench.write_small()
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")
