"""The measured views for WSGI; `async_` holds their twins."""

import time

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from benchsuite.target import work
from benchsuite.target.gate import only_in_a_run
from benchsuite.target.models import Post


@only_in_a_run
def plain(request: HttpRequest) -> HttpResponse:
    """Two bytes: what the server and Django cost by themselves."""
    return HttpResponse(b"OK", content_type="text/plain")


@only_in_a_run
def cpu(request: HttpRequest) -> HttpResponse:
    """A sum of squares: nothing but Python."""
    try:
        size = work.wanted_size(request)
    except work.BadInput as error:
        return work.refused(error)
    return JsonResponse({"size": size, "sum": work.sum_of_squares(size)})


@csrf_exempt
@require_POST
@only_in_a_run
def io_create(request: HttpRequest) -> HttpResponse:
    """Inserts one row."""
    try:
        fields = work.wanted_post(request)
    except work.BadInput as error:
        return work.refused(error)
    post = Post.objects.create(**fields)
    return JsonResponse(post.to_json(), status=201)


@only_in_a_run
def io_read(request: HttpRequest) -> HttpResponse:
    """Reads a page of rows and counts them all."""
    posts = list(Post.objects.all()[: work.PAGE])
    return JsonResponse(work.page(posts, Post.objects.count()))


@only_in_a_run
def bench_app(request: HttpRequest) -> HttpResponse:
    """The application of the 2012 comparison: a loop, a pause, many small writes."""
    start = time.perf_counter()
    work.loop()
    time.sleep(work.PAUSE_S)
    work.write_small()
    return HttpResponse(f"{time.perf_counter() - start:.4f}", content_type="text/plain")
