"""Granian, whose network side is written in Rust; see github.com/emmett-framework/granian."""

from benchsuite.servers.base import (
    BACKLOG,
    TAKE_THREADS_ASGI,
    THREADS,
    ServerAdapter,
)


class Granian(ServerAdapter):
    """What both interfaces share."""

    distribution = "granian"
    finishes_in_flight = True

    def argv(self, host: str, port: int) -> list[str]:
        wsgi = self.interface == "wsgi"
        command = [*self.python.module("granian"), "--interface", self.interface]
        command += ["--host", host, "--port", str(port), "--workers", str(self.processes)]
        if self.threads_word is not None:
            command += ["--blocking-threads", str(self.threads)]
        if "loop" in self.settings:
            command += ["--loop", str(self.settings["loop"])]
        command += ["--runtime-threads", str(self.settings["runtime_threads"])]
        command += ["--backlog", str(self.settings["backlog"])]
        if self.settings["backpressure"]:
            command += ["--backpressure", str(self.settings["backpressure"])]
        command += ["--no-access-log", self.application.wsgi if wsgi else self.application.asgi]
        return command

    def expected_processes(self) -> int:
        return 1 + self.processes

    def _check(self) -> None:
        super()._check()
        self._at_least(0, "backpressure")
        self._at_least(1, "runtime_threads")
        self._at_least(128, "backlog")


class GranianWsgi(Granian):
    """A pool of Python threads in each process."""

    name = "granian-wsgi"
    interface = "wsgi"
    threads_word = "blocking threads"
    default_threads = THREADS
    options = {"backlog": BACKLOG, "backpressure": 0, "runtime_threads": 1}


class GranianAsgi(Granian):
    """One event loop in each process; sync views run in asgiref's threads."""

    name = "granian-asgi"
    interface = "asgi"
    websocket = True
    handshake_headers = False
    for_threads = TAKE_THREADS_ASGI
    options = {"backlog": BACKLOG, "backpressure": 0, "loop": "auto", "runtime_threads": 1}

    def _check(self) -> None:
        super()._check()
        self._one_of("loop", "auto", "asyncio", "uvloop")
