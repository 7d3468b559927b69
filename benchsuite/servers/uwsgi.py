"""uWSGI, from the wheel `pyuwsgi` or compiled from `uWSGI`; see uwsgi-docs.readthedocs.io."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from benchsuite.core.specs import Option, Within
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, CONNECTIONS, KEPT, THREADS, Against, Fit, ServerAdapter
from benchsuite.servers.deploying import Deployed, flags

COMMON: Mapping[str, Option] = {
    "backlog": BACKLOG,
    "max_requests": 0,
    "preload": True,
    "request_bytes": 0,
    "reuse_port": False,
}
INI = "uwsgi.ini"
ROUTER: Mapping[str, Option] = {"buffer_bytes": 0, "timeout_s": 60}  #: Options of the HTTP router.


class UwsgiFamily(ServerAdapter):
    """What all entry points share."""

    interface = "wsgi"
    distribution = "pyuwsgi"
    foreign = ("UWSGI_",)
    threads_word: ClassVar[str | None] = "threads"
    default_threads = THREADS
    listens = "--http {host}:{port}"
    managers = 2  # a master, and the router
    options = COMMON
    limits = {
        "buffer_bytes": Within(0),
        "keep_alive_s": Within(2),  # to the router 1 means "on, for as long as timeout_s"
        "request_bytes": Within(0),
        "timeout_s": Within(1),
    }
    remedies = {**ServerAdapter.remedies, Against.UNEVEN: {"reuse_port": True}}
    always = True
    closing = ""  #: A header of all answers: without notice of the end, what was sent is lost.
    flags = {
        "--http-keepalive=": "keep_alive_s",
        "--http-auto-chunked": "chunked",
        "--http-timeout": "timeout_s",
        "--http-buffer-size": "buffer_bytes",
        "--module": "served",
        "--need-app": "always",
        "--master": "always",
        "--processes": "processes",
        "--threads": "threads",
        "--gevent": "connections",
        "--gevent-early-monkey-patch": "patched",
        "--listen": "backlog",
        "--disable-logging": "always",
        "--die-on-term": "always",
        "--no-orphans": "always",
        "--add-header": "closing",
        "--buffer-size": "request_bytes",
        "--max-requests": "max_requests",
        "--lazy-apps": "not preload",
        "--reuse-port": "reuse_port",
    }

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return python.installed("pyuwsgi") or python.installed("uWSGI")

    def command(self, where: str) -> list[str]:
        return [self.python.script("uwsgi"), *where.split(), *self._flagged()]

    def deployed(self, host: str, port: int) -> Deployed:
        measured = super().deployed(host, port)
        program, way_in, address, *words = measured.argv
        lines = [f"{name} = {'true' if value is None else value}" for name, value in flags(words)]
        argv = [program, way_in, address, "--ini", INI]
        return replace(measured, argv=argv, files={INI: "\n".join(["[uwsgi]", *lines])})


class Uwsgi(UwsgiFamily):
    """A master, an HTTP router that keeps connections, and worker processes."""

    name = "uwsgi"
    chunked = True
    options = {**COMMON, **ROUTER, **KEPT}
    # Larger answers than its buffer stall for 40 ms each on a kept connection, and few are smaller.
    knobs = {"buffer_bytes": (65_536,)}


class UwsgiGevent(Uwsgi):
    """As `uwsgi`, with a greenlet for each request; the standard library is monkey-patched."""

    name = "uwsgi-gevent"
    threads_word = None
    default_threads = 1
    companions = ("gevent",)
    patched = True  # early: a loaded Django would take all greenlets for one thread
    for_threads = "its greenlets are limited by --option connections=N; take uwsgi for threads"
    options = {**Uwsgi.options, "connections": CONNECTIONS}
    knobs = {**Uwsgi.knobs, "connections": (Fit.NEED, 100)}
    limited_by = "connections"


class UwsgiHttp(UwsgiFamily):
    """The HTTP router with its defaults: it closes every connection."""

    name = "uwsgi-http"
    keeps_alive = False
    closing = "Connection: close"
    options = {**COMMON, **ROUTER}


class UwsgiHttpSocket(UwsgiFamily):
    """No router: the processes speak HTTP/1.0 themselves, and close every connection."""

    name = "uwsgi-http-socket"
    listens = "--http-socket {host}:{port}"
    managers = 1
    inherits = "--http-socket fd://{descriptor}"
    keeps_alive = False
    closing = "Connection: close"


class UwsgiHttp11(UwsgiFamily):
    """No router: the processes speak HTTP/1.1 and keep connections; each occupies a thread."""

    name = "uwsgi-http11"
    holds_slots = True
    listens = "--http11-socket {host}:{port}"
    managers = 1
