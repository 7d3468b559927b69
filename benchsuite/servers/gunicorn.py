"""Gunicorn with each of its kinds of worker; see docs.gunicorn.org."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Option, Within
from benchsuite.servers.base import (
    BACKLOG,
    CONNECTIONS,
    KEEP_ALIVE_S,
    KEPT,
    LOOPS,
    THREADS,
    Against,
    Fit,
    Interface,
    ServerAdapter,
)
from benchsuite.servers.deploying import Deployed, flags
from benchsuite.servers.launched import IN_EVENT_LOOP
from benchsuite.servers.uvicorn import WEBSOCKETS

NEUTRAL_CONFIG = str(Path(__file__).parent / "conf" / "gunicorn.conf.py")

COMMON: Mapping[str, Option] = {
    "config": "",
    "freeze": False,
    "max_requests": 0,
    "preload": False,
    "reuse_port": False,
    "timeout_s": 30,
}
"""Options of every kind of worker: gunicorn's defaults, and no configuration file."""
LISTENING: Mapping[str, Option] = {**COMMON, "backlog": BACKLOG}
CONNECTED: Mapping[str, Option] = {**COMMON, **KEPT, "connections": CONNECTIONS}

FROZEN = {"freeze": True, "preload": True}  #: Loaded once, and left alone by the collector.

CONF = "gunicorn.conf.py"
NAMES = {"keep_alive": "keepalive", "preload": "preload_app", "log_level": "loglevel"}
"""Settings that are called otherwise in its file than on its command line."""
FREEZE = """
import gc


def when_ready(server):  # before the processes are forked
    gc.freeze()
"""
UVICORN = """
from uvicorn_worker import UvicornWorker


class worker_class(UvicornWorker):
    CONFIG_KWARGS = {{**UvicornWorker.CONFIG_KWARGS, "loop": "{loop}", "ws": "{ws}"}}
"""


class Gunicorn(ServerAdapter):
    """What all kinds of worker share; `worker` is gunicorn's name for the kind."""

    interface: ClassVar[Interface] = "wsgi"
    distribution = program = "gunicorn"
    finishes_in_flight = True
    managers = 1
    # Gunicorn reads more arguments from here, which must not change a run by accident.
    variables: ClassVar[Mapping[str, str]] = {"GUNICORN_CMD_ARGS": ""}
    inherits = "--bind fd://{descriptor}"
    limits = {"loop": LOOPS, "timeout_s": Within(0), "ws": WEBSOCKETS}
    worker: ClassVar[str]
    in_file: ClassVar[tuple[str, ...]] = ()  #: Variables that the file to paste makes needless.
    remedies = {
        **ServerAdapter.remedies,
        Against.MEMORY: FROZEN,
        Against.COLLECTING: FROZEN,
        Against.UNEVEN: {"reuse_port": True},
    }
    flags = {
        "--config": "config_file",
        "--workers": "processes",
        "--worker-class": "worker",
        "--threads": "threads",
        "--worker-connections": "connections",
        "--keep-alive": "keep_alive_s",
        "--backlog": "backlog",
        "--max-requests": "max_requests",
        "--timeout": "timeout_s",
        "--preload": "preload",
        "--reuse-port": "reuse_port",
    }

    @property
    def config_file(self) -> str:
        frozen = self.settings["freeze"] and str(self.place.folder / CONF)
        return str(self.settings["config"] or frozen or NEUTRAL_CONFIG)

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        if not self.settings["freeze"]:
            return {}
        return {CONF: f"{Path(NEUTRAL_CONFIG).read_text()}{FREEZE}"}

    def deployed(self, host: str, port: int) -> Deployed:
        measured = super().deployed(host, port)
        if self.settings["config"]:
            return measured
        argv = [*self.python.module("gunicorn"), self.served]
        argv += ["--config", CONF, "--bind", f"{host}:{port}"]
        env = {name: text for name, text in measured.env.items() if name not in self.in_file}
        return replace(measured, argv=argv, env=env, files={CONF: self._settings_file()})

    def _settings_file(self) -> str:
        """What the command line says, as a configuration file."""
        lines = ["control_socket_disable = True"]
        for flag, value in flags(self.command("")):
            name = flag.replace("-", "_")
            if name not in ("bind", "config"):
                shown = "True" if value is None else value if value.isdigit() else json.dumps(value)
                lines.append(f"{NAMES.get(name, name)} = {shown}")
        return "\n".join(lines) + FREEZE.rstrip() * bool(self.settings["freeze"])

    def _check(self) -> None:
        super()._check()
        if self.settings["freeze"] and (self.settings["config"] or not self.settings["preload"]):
            raise UsageError(
                f"{self.name}'s option freeze keeps shared what is loaded before the processes are "
                "forked, by a configuration file of its own; add --option preload=yes, and leave "
                "config out."
            )


class GunicornSync(Gunicorn):
    """One request at a time in each process; closes every connection."""

    name = "gunicorn-sync"
    worker = "sync"
    keeps_alive = False
    one_at_a_time = True
    options = LISTENING


class GunicornGthread(Gunicorn):
    """A pool of threads in each process."""

    name = "gunicorn-gthread"
    worker = "gthread"
    threads_word = "threads"
    default_threads = THREADS
    options = CONNECTED
    # With as many as threads a process accepts nothing that it can't answer at once.
    knobs = {"connections": (CONNECTIONS, Fit.THREADS)}


class GunicornGevent(Gunicorn):
    """A greenlet for each connection; the standard library is monkey-patched."""

    name = "gunicorn-gevent"
    worker = "gevent"
    companions = ("gevent",)
    for_threads = (
        "its greenlets are limited by --option connections=N; take gunicorn-gthread for threads"
    )
    options = CONNECTED
    knobs = {"connections": (Fit.NEED, 100)}
    remedies = {Against.UNEVEN: {"reuse_port": True}}  # it patches only what is loaded after it
    limited_by = "connections"


class GunicornTornado(Gunicorn):
    """Tornado's event loop in each process, in which one request at a time is answered."""

    name = "gunicorn-tornado"
    worker = "benchsuite.servers.launchers.tornado_worker.Worker"
    companions = ("tornado",)
    one_at_a_time = True
    options = LISTENING
    variables = {**Gunicorn.variables, **IN_EVENT_LOOP}


class GunicornUvicorn(Gunicorn):
    """Gunicorn manages, uvicorn's worker serves; a subclass of ours sets event loop and library."""

    name = "gunicorn-uvicorn"
    interface = "asgi"
    worker = "benchsuite.servers.launchers.uvicorn_workers.Worker"
    in_file = ("UVICORN_LOOP", "UVICORN_WS")
    companions = ("uvicorn-worker",)
    websocket = True
    # As with uvicorn itself: its worker logs each WebSocket at level "info".
    line = "APPLICATION WHERE FLAGS --log-level warning"
    options = {**COMMON, **KEPT, "loop": "auto", "ws": "auto"}

    def env(self) -> dict[str, str]:
        own = (self.settings["loop"], self.settings["ws"])
        return {**super().env(), **dict(zip(self.in_file, own, strict=True))}

    def _settings_file(self) -> str:
        lines = super()._settings_file().splitlines()
        own = [line for line in lines if not line.startswith("worker_class")]
        return "\n".join(own) + UVICORN.format(**self.settings).rstrip()


class GunicornAsgi(Gunicorn):
    """Gunicorn's own ASGI worker; listens with a backlog of 100 whatever `--backlog` says."""

    name = "gunicorn-asgi"
    interface = "asgi"
    worker = "asgi"
    requirement = "gunicorn>=24"  # the first with this worker
    websocket = True
    options = {**COMMON, "keep_alive_s": KEEP_ALIVE_S, "loop": "auto"}
    flags = {**Gunicorn.flags, "--asgi-loop": "loop"}
