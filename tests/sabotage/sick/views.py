"""Each view answers "all is well", but for what its name says."""

import itertools
import os
import random
import signal
import socket
import time

from django.http import HttpRequest, HttpResponse

TEXT = "all is well"
EACH = 10
"""Every tenth answer of `failing` and `lying` is wrong, the first nine are not."""
PAUSE_S = 0.05
FAVOUR_S = 0.03
DRIFT_S = 0.004
"""By how much `drifting` takes longer with each second."""

SAW_S = 3.0

STORE = "SICK_STORE"
"""The environment variable that names the file in which `keeping` stores."""

_asked = itertools.count(1)
_begun: list[float] = []


def well(request: HttpRequest) -> HttpResponse:
    time.sleep(0.002)
    return _answer()


def failing(request: HttpRequest) -> HttpResponse:
    """One answer of ten is a 500."""
    return _answer(status=500 if next(_asked) % EACH == 0 else 200)


def lying(request: HttpRequest) -> HttpResponse:
    """One answer of ten says 200 and something else."""
    return _answer("the database is away" if next(_asked) % EACH == 0 else TEXT)


def drifting(request: HttpRequest) -> HttpResponse:
    """Slower with each second since the first answer, without an end."""
    if not _begun:
        _begun.append(time.monotonic())
    time.sleep(0.005 + DRIFT_S * (time.monotonic() - _begun[0]))
    return _answer()


def sawing(request: HttpRequest) -> HttpResponse:
    """Slower and slower for three seconds, then as fast as at the beginning again."""
    time.sleep(0.01 * (1 + time.monotonic() % SAW_S / SAW_S))
    return _answer()


def favouring(request: HttpRequest) -> HttpResponse:
    """Fast for the load, slow for anyone else."""
    if request.headers["User-Agent"] != "benchsuite":
        time.sleep(FAVOUR_S)
    return well(request)


def slow(request: HttpRequest) -> HttpResponse:
    time.sleep(PAUSE_S)
    return _answer()


def dropping(request: HttpRequest) -> HttpResponse:
    """One connection of twenty is closed without an answer."""
    if next(_asked) % 20 == 0:
        request.META["gunicorn.socket"].shutdown(socket.SHUT_RDWR)
    return well(request)


def crashing(request: HttpRequest) -> HttpResponse:
    """The process dies of one request of a hundred."""
    if next(_asked) % 100 == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return well(request)


def branching(request: HttpRequest) -> HttpResponse:
    """Every second request takes a way that takes 43 ms."""
    time.sleep(0.041 if next(_asked) % 2 else 0.0)
    return well(request)


def broad(request: HttpRequest) -> HttpResponse:
    """Any time up to a tenth of a second."""
    time.sleep(random.uniform(0.005, 0.1))
    return well(request)


def keeping(request: HttpRequest) -> HttpResponse:
    """Stores a byte for each request."""
    with open(os.environ[STORE], "ab", buffering=0) as store:
        store.write(b"x")
    return _answer()


def losing(request: HttpRequest) -> HttpResponse:
    """Says so each time, and stores nine of ten."""
    return _answer() if next(_asked) % EACH == 0 else keeping(request)


def two_pieces(request: HttpRequest) -> HttpResponse:
    """Without a length, which uWSGI's router then sends as a chunk and another that ends it."""
    return HttpResponse(TEXT, content_type="text/plain")


def _answer(text: str = TEXT, *, status: int = 200) -> HttpResponse:
    length = {"Content-Length": str(len(text))}  # uWSGI's own HTTP socket adds nothing
    return HttpResponse(text, status=status, content_type="text/plain", headers=length)
