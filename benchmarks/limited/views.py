"""Each page has one bottleneck; these are the URLs, too."""

import gc
import itertools
import os
import socket
import threading
import time
from functools import cache

from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import include, path

from benchsuite.target.models import Post

_blocked = itertools.count(1)
_kept: list[bytes] = []
_turn = threading.Lock()
_place = socket.socket(socket.AF_UNIX)


def asking(request: HttpRequest) -> HttpResponse:
    """The database takes 20 ms, of which it computes nothing."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.02)")
    return _answer()


async def blocking(request: HttpRequest) -> HttpResponse:
    """One request of 40 stops the event loop for a fifth of a second."""
    if next(_blocked) % 40 == 0:
        time.sleep(0.2)
    return _answer()


def collecting(request: HttpRequest) -> HttpResponse:
    gc.collect()
    return _answer()


def keeping(request: HttpRequest) -> HttpResponse:
    """64 KiB of each request stay in memory."""
    _kept.append(os.urandom(2**16))
    return _answer()


def looping(request: HttpRequest) -> HttpResponse:
    for number in range(20):
        Post.objects.filter(title=str(number)).exists()
    return _answer()


def pieces(request: HttpRequest) -> StreamingHttpResponse:
    """uWSGI's router sends it as a chunk and another that ends it."""
    return StreamingHttpResponse([b"OK"], content_type="text/plain")


def polling(request: HttpRequest) -> HttpResponse:
    """One thread at a time; the others ask again and again whether it is their turn."""
    while not _turn.acquire(blocking=False):
        time.sleep(0.0005)
    try:
        time.sleep(0.005)
    finally:
        _turn.release()
    return _answer()


def unequal(request: HttpRequest) -> HttpResponse:
    """10 ms of CPU in the process that was asked first, 50 ms of rest in the others."""
    if not _is_first():
        time.sleep(0.05)
        return _answer()
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
    return _answer()


def writing(request: HttpRequest) -> HttpResponse:
    """A transaction that reads before it writes can't wait for another writer."""
    with transaction.atomic():
        Post.objects.filter(title="none").exists()
        time.sleep(0.005)
        Post.objects.create(title="one", content="")
    return _answer()


@cache
def _is_first() -> bool:
    """Of the processes of its parent; an abstract address is free when its process has ended."""
    try:
        _place.bind(f"\0benchsuite unequal {os.getppid()}")
    except OSError:
        return False
    return True


def _answer() -> HttpResponse:
    return HttpResponse(b"OK", content_type="text/plain")


PAGES = (asking, blocking, collecting, keeping, looping, pieces, polling, unequal, writing)
urlpatterns = [
    path("", include("testproject.urls_target")),
    *(path(f"{page.__name__}/", page) for page in PAGES),
]
