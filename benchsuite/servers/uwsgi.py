"""uWSGI, from the wheel `pyuwsgi` or compiled from `uWSGI`; see uwsgi-docs.readthedocs.io."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from benchsuite.core.specs import Limits, Option, Within
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import (
    BACKLOG,
    CONNECTIONS,
    KEEP_ALIVE_S,
    THREADS,
    Against,
    Fit,
    ServerAdapter,
)
from benchsuite.servers.deploying import Deployed, flags

COMMON: Mapping[str, Option] = {
    "backlog": BACKLOG,
    "log_requests": False,
    "max_requests": 0,
    "preload": True,
    "request_bytes": 0,
    "reuse_port": False,
}
INI = "uwsgi.ini"
ROUTER: Mapping[str, Option] = {"buffer_bytes": 0, "timeout_s": 60}  #: Options of the HTTP router.
LIMITS: Limits = {
    "buffer_bytes": Within(0),
    "keep_alive_s": Within(2),  # to the router 1 means "on, for as long as timeout_s"
    "request_bytes": Within(0),
    "timeout_s": Within(1),
}


class UwsgiFamily(ServerAdapter):
    """What all entry points share; `way_in` is uWSGI's flag for one."""

    interface = "wsgi"
    distribution = "pyuwsgi"
    threads_word: ClassVar[str | None] = "threads"
    default_threads = THREADS
    limits = LIMITS
    way_in: ClassVar[str]
    remedies = {**ServerAdapter.remedies, Against.UNEVEN: {"reuse_port": True}}

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return python.installed("pyuwsgi") or python.installed("uWSGI")

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening(f"{host}:{port}")

    def _listening(self, address: str) -> list[str]:
        command = [self.python.script("uwsgi"), self.way_in, address, *self._router()]
        command += ["--module", self.application.wsgi, "--need-app", "--master"]
        command += ["--processes", str(self.processes), *self._concurrency()]
        command += ["--listen", str(self.settings["backlog"])]
        if not self.settings["log_requests"]:
            command.append("--disable-logging")
        command += ["--die-on-term", "--no-orphans"]
        if not self.keeps_alive:
            # It closes without notice, which would lose what a client has already sent.
            command += ["--add-header", "Connection: close"]
        if self.settings["request_bytes"]:
            command += ["--buffer-size", str(self.settings["request_bytes"])]
        if self.settings["max_requests"]:
            command += ["--max-requests", str(self.settings["max_requests"])]
        if not self.settings["preload"]:
            command.append("--lazy-apps")
        if self.settings["reuse_port"]:
            command.append("--reuse-port")
        return command

    def deployed(self, host: str, port: int) -> Deployed:
        way_in, *further = flags(self._listening(f"{host}:{port}"))
        lines = [f"{name} = {'true' if value is None else value}" for name, value in further]
        argv = [self.python.script("uwsgi"), f"--{way_in[0]}", str(way_in[1]), "--ini", INI]
        file = "\n".join(["[uwsgi]", *lines])
        return replace(super().deployed(host, port), argv=argv, files={INI: file})

    def expected_processes(self) -> int:
        router = self.way_in == "--http"
        return 1 + router + self.processes

    def _router(self) -> list[str]:
        """Flags of the HTTP router, if any."""
        if self.way_in != "--http":
            return []
        flags: list[str] = []
        if "keep_alive_s" in self.settings:
            flags += [f"--http-keepalive={self.settings['keep_alive_s']}", "--http-auto-chunked"]
        flags += ["--http-timeout", str(self.settings["timeout_s"])]
        if self.settings["buffer_bytes"]:
            flags += ["--http-buffer-size", str(self.settings["buffer_bytes"])]
        return flags

    def _concurrency(self) -> list[str]:
        return ["--threads", str(self.threads)]


class Uwsgi(UwsgiFamily):
    """A master, an HTTP router that keeps connections, and worker processes."""

    name = "uwsgi"
    way_in = "--http"
    options = {**COMMON, **ROUTER, "keep_alive_s": KEEP_ALIVE_S}
    # Larger answers than its buffer stall for 40 ms each on a kept connection, and few are smaller.
    knobs = {"buffer_bytes": (65_536,)}


class UwsgiGevent(Uwsgi):
    """As `uwsgi`, with a greenlet for each request; the standard library is monkey-patched."""

    name = "uwsgi-gevent"
    threads_word = None
    default_threads = 1
    companions = ("gevent",)
    for_threads = "its greenlets are limited by --option connections=N; take uwsgi for threads"
    options = {**Uwsgi.options, "connections": CONNECTIONS}
    knobs = {**Uwsgi.knobs, "connections": (Fit.NEED, 100)}

    def at_once(self) -> int:
        return self.processes * int(self.settings["connections"])

    def _concurrency(self) -> list[str]:
        # Early: a loaded Django would take all greenlets for one thread.
        return ["--gevent", str(self.settings["connections"]), "--gevent-early-monkey-patch"]


class UwsgiHttp(UwsgiFamily):
    """The HTTP router with its defaults: it closes every connection."""

    name = "uwsgi-http"
    way_in = "--http"
    keeps_alive = False
    options = {**COMMON, **ROUTER}


class UwsgiHttpSocket(UwsgiFamily):
    """No router: the processes speak HTTP/1.0 themselves, and close every connection."""

    name = "uwsgi-http-socket"
    way_in = "--http-socket"
    keeps_alive = False
    takes_socket = True
    options = COMMON

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening(f"fd://{descriptor}")


class UwsgiHttp11(UwsgiFamily):
    """No router: the processes speak HTTP/1.1 and keep connections; each occupies a thread."""

    name = "uwsgi-http11"
    way_in = "--http11-socket"
    options = COMMON
