"""Granian, whose network side is written in Rust; see github.com/emmett-framework/granian."""

from collections.abc import Mapping

from benchsuite.core.specs import Option, Within
from benchsuite.servers.base import BACKLOG, CONNECTIONS, LOOPS, THREADS, Against, ServerAdapter

COMMON: Mapping[str, Option] = {
    "backlog": BACKLOG,
    "backpressure": 0,
    "http1_keep_alive": True,
    "runtime_mode": "auto",
}


class Granian(ServerAdapter):
    """What both interfaces share."""

    distribution = program = "granian"
    foreign = ("GRANIAN_",)
    finishes_in_flight = True
    managers = 1
    listens = "--host {host} --port {port}"
    flags = {
        "--workers": "processes",
        "--blocking-threads": "threads",
        "--loop": "loop",
        "--runtime-mode": "runtime_mode",
        "--blocking-threads-idle-timeout": "blocking_threads_idle_timeout_s",
        "--no-http1-keep-alive": "not http1_keep_alive",
        "--backlog": "backlog",
        "--backpressure": "backpressure",
    }
    limits = {
        "backlog": Within(128),
        "backpressure": Within(0),
        "blocking_threads_idle_timeout_s": Within(5, 600),  # its own limits
        "loop": LOOPS,
        "runtime_mode": ("auto", "mt", "st"),
    }
    # By default several processes share the backlog, which few clients of one of them can use up.
    knobs = {"backpressure": (CONNECTIONS,)}
    remedies = {**ServerAdapter.remedies, Against.UNEVEN: {"http1_keep_alive": False}}

    def _check(self) -> None:
        super()._check()
        self.keeps_alive = bool(self.settings["http1_keep_alive"])


class GranianWsgi(Granian):
    """A pool of Python threads in each process."""

    name = "granian-wsgi"
    interface = "wsgi"
    line = "--interface wsgi WHERE FLAGS --no-access-log APPLICATION"
    threads_word = "blocking threads"
    keeps_threads = False  # idle ones end
    default_threads = THREADS
    options = {**COMMON, "blocking_threads_idle_timeout_s": 30}


class GranianAsgi(Granian):
    """One event loop in each process; sync views run in asgiref's threads."""

    name = "granian-asgi"
    interface = "asgi"
    line = "--interface asgi WHERE FLAGS --no-access-log APPLICATION"
    websocket = True
    handshake_headers = False
    options = {**COMMON, "loop": "auto"}

    def at_once(self) -> int:
        each = int(self.settings["backpressure"]) or int(self.settings["backlog"]) // self.processes
        return self.processes * each
