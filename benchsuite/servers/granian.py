"""Granian, whose network side is written in Rust; see github.com/emmett-framework/granian."""

from collections.abc import Mapping

from benchsuite.core.specs import Limits, Option, Within
from benchsuite.servers.base import (
    BACKLOG,
    CONNECTIONS,
    LOOPS,
    TAKE_THREADS_ASGI,
    THREADS,
    Against,
    ServerAdapter,
)

COMMON: Mapping[str, Option] = {
    "backlog": BACKLOG,
    "backpressure": 0,
    "http1_keep_alive": True,
    "runtime_mode": "auto",
    "runtime_threads": 1,
}
MOST_IDLE_S = 600  #: Granian's own limit.
LIMITS: Limits = {
    "backlog": Within(128),
    "backpressure": Within(0),
    "blocking_threads_idle_timeout_s": Within(5, MOST_IDLE_S),
    "loop": LOOPS,
    "runtime_mode": ("auto", "mt", "st"),
    "runtime_threads": Within(1),
}


class Granian(ServerAdapter):
    """What both interfaces share."""

    distribution = "granian"
    finishes_in_flight = True
    limits = LIMITS
    # By default several processes share the backlog, which few clients of one of them can use up.
    knobs = {"backpressure": (CONNECTIONS,)}
    remedies = {**ServerAdapter.remedies, Against.UNEVEN: {"http1_keep_alive": False}}

    def argv(self, host: str, port: int) -> list[str]:
        wsgi = self.interface == "wsgi"
        command = [*self.python.module("granian"), "--interface", self.interface]
        command += ["--host", host, "--port", str(port), "--workers", str(self.processes)]
        if self.threads_word is not None:
            command += ["--blocking-threads", str(self.threads)]
        if "loop" in self.settings:
            command += ["--loop", str(self.settings["loop"])]
        command += ["--runtime-threads", str(self.settings["runtime_threads"])]
        command += ["--runtime-mode", str(self.settings["runtime_mode"])]
        if "blocking_threads_idle_timeout_s" in self.settings:
            idle_s = self.settings["blocking_threads_idle_timeout_s"]
            command += ["--blocking-threads-idle-timeout", str(idle_s)]
        if not self.settings["http1_keep_alive"]:
            command.append("--no-http1-keep-alive")
        command += ["--backlog", str(self.settings["backlog"])]
        if self.settings["backpressure"]:
            command += ["--backpressure", str(self.settings["backpressure"])]
        command += ["--no-access-log", self.application.wsgi if wsgi else self.application.asgi]
        return command

    def expected_processes(self) -> int:
        return 1 + self.processes

    def _check(self) -> None:
        super()._check()
        self.keeps_alive = bool(self.settings["http1_keep_alive"])


class GranianWsgi(Granian):
    """A pool of Python threads in each process."""

    name = "granian-wsgi"
    interface = "wsgi"
    threads_word = "blocking threads"
    keeps_threads = False  # idle ones end
    default_threads = THREADS
    options = {**COMMON, "blocking_threads_idle_timeout_s": 30}


class GranianAsgi(Granian):
    """One event loop in each process; sync views run in asgiref's threads."""

    name = "granian-asgi"
    interface = "asgi"
    websocket = True
    handshake_headers = False
    for_threads = TAKE_THREADS_ASGI
    options = {**COMMON, "loop": "auto"}

    def at_once(self) -> int:
        each = int(self.settings["backpressure"]) or int(self.settings["backlog"]) // self.processes
        return self.processes * each
