"""The async twins of `sync`: the same work, awaiting only what can be awaited."""

import asyncio
import time
from inspect import unwrap

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import aget_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from benchsuite.target import bench_app as bench
from benchsuite.target import work
from benchsuite.target.gate import only_in_a_run_async
from benchsuite.target.models import Post
from benchsuite.target.views import sync

plain, get, cpu = (only_in_a_run_async(unwrap(view)) for view in (sync.plain, sync.get, sync.cpu))
"""They await nothing, so they block the event loop, as such code does."""

echo = csrf_exempt(require_POST(only_in_a_run_async(unwrap(sync.echo))))


@only_in_a_run_async
async def sleep(request: HttpRequest) -> HttpResponse:
    """Waits and does nothing else; says how long that took."""
    seconds = work.wanted_sleep(request)
    start = time.perf_counter()
    await asyncio.sleep(seconds)
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")


@csrf_exempt
@require_POST
@only_in_a_run_async
async def io_create(request: HttpRequest) -> HttpResponse:
    """Inserts one row."""
    post = await Post.objects.acreate(**work.wanted_post(request))
    return JsonResponse(post.to_json(), status=201)


@only_in_a_run_async
async def io_read(request: HttpRequest) -> HttpResponse:
    """Reads a page of rows and counts them all."""
    posts = [post async for post in Post.objects.all()[: work.PAGE]]
    return JsonResponse(work.page(posts, await Post.objects.acount()))


@only_in_a_run_async
async def io_join(request: HttpRequest) -> HttpResponse:
    """Reads one comment and its post in one query."""
    comment = await aget_object_or_404(
        work.JOINED, number=work.wanted(request, "row", work.MAX_ROWS)
    )
    return JsonResponse(work.joined(comment))


@csrf_exempt
@require_POST
@only_in_a_run_async
async def io_lock(request: HttpRequest) -> HttpResponse:
    """Locks one row and changes it: a transaction, for which Django has no async way."""
    return JsonResponse(await sync_to_async(work.like)(work.wanted(request, "row", work.MAX_ROWS)))


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
    if request.GET.get("version") == "2":
        await asyncio.sleep(bench.pause_s())
        return HttpResponse(await asyncio.to_thread(bench.ask_database), content_type="text/plain")
    await asyncio.sleep(bench.PAUSE_S)
    bench.write_small()
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")
