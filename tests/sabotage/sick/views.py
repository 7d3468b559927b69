"""Each view answers "all is well", but for what its name says.

Of most it can be asked how often or how much: `?each=20` breaks every twentieth answer (of the
process), `?ms=10` takes so long.
"""

import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from functools import cache

from django.db import connection
from django.http import HttpRequest, HttpResponse

from tests.sabotage.sick.shapes import SHAPES

TEXT = "all is well"
EACH = 10
"""Every tenth answer is wrong, the first nine are not; where the request doesn't ask for another
share."""
PAUSE_S = 0.05
FAVOUR_S = 0.03

FIRST, SEVERAL = 100, 5
"""Requests of a process while all connections are the load's, and of a connection of another."""

STORE = "SICK_STORE"
"""The environment variable that names the file in which `keeping` stores."""

COMPUTE = """
import time
end = time.monotonic() + 20
while time.monotonic() < end:
    pass
"""

_draw = random.Random()
_asked = itertools.count(1)
_left: list[subprocess.Popen[bytes]] = []
_begun: list[float] = []
_uses: Counter[str] = Counter()
"""Requests by the port of the client."""
_leaked: list[bytes] = []
_kept: list[socket.socket] = []
_connections: dict[str, bool] = {}
"""By the port of the client: whether it is one of those that are slow."""


def well(request: HttpRequest) -> HttpResponse:
    time.sleep(_asked_s(request, 0.002))
    return _answer()


def serving(request: HttpRequest) -> HttpResponse:
    """Nothing is wrong: `?ms=10&shape=Pareto&work=cpu` computes for times of that mean."""
    seconds = _asked_s(request, 0.01) * SHAPES[request.GET["shape"]](_draw)
    if request.GET["work"] == "cpu":
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass
    else:
        time.sleep(seconds)
    return _answer()


def failing(request: HttpRequest) -> HttpResponse:
    """One answer of ten is a 500."""
    _pause(request)
    return _answer(status=500 if _is_due(request) else 200)


def lying(request: HttpRequest) -> HttpResponse:
    """One answer of ten says 200 and something else."""
    _pause(request)
    return _answer("the database is away" if _is_due(request) else TEXT)


def logged_out(request: HttpRequest) -> HttpResponse:
    """A page of an account, and in one of ten cases that for those who are logged out."""
    _pause(request)
    rows = "".join(f"<tr><td>order {number}</td></tr>" for number in range(40))
    page = f"<title>Your orders</title><h1>{TEXT}</h1><table>{rows}</table>"
    if _is_due(request):
        page = "<title>Logged out</title><h1>You have been logged out.</h1>"
    return HttpResponse(page)


def drifting(request: HttpRequest) -> HttpResponse:
    """Slower with each second since the first answer, without an end."""
    if not _begun:
        _begun.append(time.monotonic())
    time.sleep(0.005 + 0.004 * (time.monotonic() - _begun[0]))
    return _answer()


def unfair(request: HttpRequest) -> HttpResponse:
    """Slow for each fourth connection, and always for the same."""
    _pause(request)
    port = str(request.META["REMOTE_PORT"])
    if port not in _connections:
        _connections[port] = _is_due(request)
    if _connections[port]:
        time.sleep(float(request.GET.get("late_s", FAVOUR_S)))
    return _answer()


def pausing(request: HttpRequest) -> HttpResponse:
    """Whoever comes in the first `held` seconds of each `period` waits for their end."""
    since_s = time.monotonic() % float(request.GET["period"])
    time.sleep(max(0.0, float(request.GET["held"]) - since_s))
    return well(request)


def one_of_four(request: HttpRequest) -> HttpResponse:
    """One process is slow: the first that is asked."""
    time.sleep(0.05 * _is_first(os.getppid()))
    return well(request)


def favouring(request: HttpRequest) -> HttpResponse:
    """Fast for the load, slow for anyone else."""
    if not _is_old(request):
        time.sleep(FAVOUR_S)
    return well(request)


def shunning(request: HttpRequest) -> HttpResponse:
    """Fast for the load; anyone else gets no answer while it lasts."""
    if not _is_old(request):
        time.sleep(5.0)
    return well(request)


def daemon(request: HttpRequest) -> HttpResponse:
    """The first request leaves a program behind that computes, and that neither a parent nor a
    session nor its environment connects with it.
    """
    if next(_asked) == 1:
        alone = ["env", "-i", "setsid", "-f", sys.executable, "-S", "-c"]
        subprocess.run([*alone, f"DAEMON = {TEXT!r}\n{COMPUTE}"], check=True)
    return well(request)


def slow(request: HttpRequest) -> HttpResponse:
    time.sleep(_asked_s(request, PAUSE_S))
    return _answer()


def dropping(request: HttpRequest) -> HttpResponse:
    """One connection of twenty is closed without an answer."""
    if _is_due(request, 20):
        with _connection(request) as used:
            used.shutdown(socket.SHUT_RDWR)
    return well(request)


def crashing(request: HttpRequest) -> HttpResponse:
    """The process dies of one request of a hundred."""
    if _is_due(request, 100):
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


def leaking(request: HttpRequest) -> HttpResponse:
    """Keeps 10 KiB of each request in memory."""
    _leaked.append(b"x" * 10_240)
    return well(request)


def losing(request: HttpRequest) -> HttpResponse:
    """Says so each time, and stores nine of ten."""
    return _answer() if _is_due(request) else keeping(request)


def querying(request: HttpRequest) -> HttpResponse:
    """Asks the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return well(request)


def two_pieces(request: HttpRequest) -> HttpResponse:
    """Without a length, which uWSGI's router then sends as a chunk and another that ends it."""
    return HttpResponse(TEXT, content_type="text/plain")


def _is_due(request: HttpRequest, each: int = EACH) -> bool:
    return next(_asked) % int(request.GET.get("each", each)) == 0


def _pause(request: HttpRequest) -> None:
    time.sleep(_asked_s(request, 0.0))


@cache
def _is_first(parent: int) -> bool:
    """Whether this process is the first of its parent's: only one can take the name."""
    taken = socket.socket(socket.AF_UNIX)
    try:
        taken.bind(f"\0sick-{parent}")
    except OSError:
        taken.close()
        return False
    _kept.append(taken)
    return True


def _is_old(request: HttpRequest) -> bool:
    """Whether it is one of the load's connections: made at the begin, or used again and again."""
    port = str(request.META["REMOTE_PORT"])
    _uses[port] += 1
    return _uses.total() <= FIRST or _uses[port] > SEVERAL


def _asked_s(request: HttpRequest, otherwise_s: float) -> float:
    return float(request.GET["ms"]) / 1000 if "ms" in request.GET else otherwise_s


def _connection(request: HttpRequest) -> socket.socket:
    """The connection of this request, whatever server holds it; a copy, for the caller to close."""
    port = int(request.META["REMOTE_PORT"])
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                copy = socket.socket(fileno=os.dup(int(name)))
                if _comes_from(copy, port):
                    return copy
                copy.close()
    raise LookupError(f"no connection of this process comes from port {port}")


def _comes_from(connection: socket.socket, port: int) -> bool:
    with suppress(OSError):  # one that listens comes from nowhere
        return connection.family == socket.AF_INET and connection.getpeername()[1] == port
    return False


def _answer(text: str = TEXT, *, status: int = 200) -> HttpResponse:
    length = {"Content-Length": str(len(text))}  # uWSGI's own HTTP socket adds nothing
    return HttpResponse(text, status=status, content_type="text/plain", headers=length)
