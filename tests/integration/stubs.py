"""Stub servers, most of which behave badly: python -S stubs.py NAME PORT."""

import ctypes
import hashlib
import http.server
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

PORT = int(sys.argv[2])
BIG = b"0123456789abcdef" * 196_608  # 3 MiB


class Answer(http.server.BaseHTTPRequestHandler):
    """Answers 200 with the run's header."""

    fields: dict[str, str] = {"X-Benchsuite-Run": os.environ["BENCHSUITE_RUN"]}
    delay_s = 0.0

    def do_GET(self) -> None:
        time.sleep(self.delay_s)
        self.answer(b"OK")

    def answer(self, body: bytes, **more: object) -> None:
        self.send_response(200)
        for name, value in {**self.fields, **more, "Content-Length": len(body)}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the logs of the stubs are compared."""


class Counted(Answer):
    """Behind a front: says who it is and how many connections it has accepted."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/big/":
            self.tell(BIG)
        elif self.path == "/headers/":
            fields = {name.lower(): value for name, value in self.headers.items()}
            self.tell(json.dumps(fields).encode())
        elif self.path == "/slow/":
            time.sleep(1.0)
            self.tell(b"slow")
        else:
            self.tell(b"ok")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.tell(hashlib.sha256(body).hexdigest().encode())

    def tell(self, body: bytes) -> None:
        self.answer(body, X_Instance=PORT, X_Accepted=Server.accepted)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    accepted = 0

    def process_request(self, request: object, client_address: object) -> None:
        Server.accepted += 1
        super().process_request(request, client_address)


def good(handler: type[Answer] = Answer) -> None:
    """Does all that is asked of a server."""
    Server(("127.0.0.1", PORT), handler).serve_forever()


def counting() -> None:
    good(Counted)


def answers_slowly() -> None:
    """Answers right, but only after a second."""
    Answer.delay_s = 1.0
    good()


def answers_wrongly() -> None:
    """Answers 200 without the run's header, as somebody else's server would."""
    Answer.fields = {}
    good()


def dies_late() -> None:
    """Answers, and dies a moment later."""

    def die() -> None:
        print("out of luck", flush=True)
        os._exit(7)

    threading.Timer(0.5, die).start()
    good()


def fails_with_0() -> None:
    """Prints why it can't, and ends with 0, as hypercorn and `uvicorn --workers 2` do."""
    try:
        import no_such_module  # noqa: F401
    except ImportError:
        traceback.print_exc()
        print("shutting down")


def never_binds() -> None:
    """Runs, and never listens."""
    print("loading for ever", flush=True)
    time.sleep(600)


def stay(*, ignoring: bool = False) -> NoReturn:
    """In a child; `ignoring` SIGTERM."""
    if ignoring:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def away(work: Callable[[], object]) -> None:
    """Two forks and a session of its own."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            work()
        os._exit(0)
    os.wait()


def forks_away() -> None:
    """Makes itself a daemon; the leader ends with 0."""
    away(good)


def workers_run_away() -> None:
    """Stays, with an orphan that ignores SIGTERM, as circus can leave one."""
    away(lambda: stay(ignoring=True))
    good()


def ignores_term() -> None:
    """Neither SIGTERM nor SIGINT ends it, nor its child."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.fork() == 0:
        stay()
    good()


def leaves_children() -> None:
    """Ends at SIGTERM and leaves two children behind, one of which only SIGKILL ends."""
    for ignoring in (False, True):
        if os.fork() == 0:
            stay(ignoring=ignoring)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    good()


def retitled() -> None:
    """Writes over its environment, as nginx and setproctitle do; its child also ignores SIGTERM."""
    # Fields 50 and 51 of /proc/PID/stat (proc(5)): where the environment begins and ends. What
    # Python read from it at its start stays.
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    ctypes.memset(start, 0, end - start)
    if os.fork() == 0:
        stay(ignoring=True)
    good()


globals()[sys.argv[1]]()
