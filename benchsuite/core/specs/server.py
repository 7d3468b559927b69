"""Which server, in which size, behind what, with which settings, how late it is, on which layer."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden, masked
from benchsuite.core.specs import database
from benchsuite.core.specs.spec import REQUIRED, Option, Spec, option
from benchsuite.core.units import format_duration

MEASURED, PYTHON, FRONT = "What is measured", "Python", "Before the server"  #: Headings of --help.
MAX_PROCESSES = 256
MAX_THREADS = 1024
IF_FRONT = ("front", "something before the server, such as --front=nginx")
APPLICATION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec(Spec):
    """Which server, in which size: of `processes` and `threads` None is the adapter's default."""

    group = "Server"
    server: str = option(
        REQUIRED,
        "--server NAME[,NAME…]  server to start (see listbench)",
        unless="gunicorn-gthread, for WebSockets uvicorn",
    )
    python: str = option(
        "",
        "--python PYTHON[,PYTHON…]  Python of the server, as a version (3.13, pypy3.11) or a path",
        unless="this one",
        group=PYTHON,
    )
    environment: str = option(
        "",
        "--env NAME=FILE  build an environment with what this requirements file names, and serve "
        "in it",
        axis=True,
        again=True,
        group=PYTHON,
    )
    """As `name@digest of its requirements`."""
    front: str = option(
        "", "--front NAME[,NAME…]  proxy before the server (see listbench), or none", group=FRONT
    )
    instances: int = option(
        1,
        "--instances N[,N…]  copies of the server behind the front",
        within=(1, 64),
        needs=IF_FRONT,
        group=FRONT,
    )
    front_options: Mapping[str, Option] = option(
        {},
        "--front-option NAME=VALUE  an option of the front, by its adapter's name for it",
        needs=IF_FRONT,
        group=FRONT,
    )
    processes: int | None = option(
        None, "--processes N[,N…]  processes of each server", within=(1, MAX_PROCESSES)
    )
    threads: int | None = option(
        None, "--threads N[,N…]  threads of each process", within=(1, MAX_THREADS)
    )
    options: Mapping[str, Option] = option(
        {}, "--option NAME=VALUE  an option of the server, by the adapter's name for it"
    )
    application: str = option(
        "",
        "--application MODULE:CALLABLE  a WSGI or ASGI application to serve in place of the "
        "project's own, without Django around it",
        group=MEASURED,
    )
    cpus: tuple[int, ...] | None = None  #: CPUs on which it may run; None for all.

    def check(self) -> None:
        if self.application and not APPLICATION.fullmatch(self.application):
            raise UsageError(
                f"--application={self.application} names no callable; write it as "
                "package.module:callable."
            )

    @property
    def environment_name(self) -> str:
        return self.environment.partition("@")[0]

    @property
    def python_words(self) -> str:
        """Which Python serves: "environment new of Python 3.13"; empty for this process's own."""
        python = f"Python {self.python}" if self.python else ""
        if not self.environment:
            return python
        return f"environment {self.environment_name}{f' of {python}' if python else ''}"

    @property
    def front_words(self) -> str:
        """What stands before it: "4 instances behind nginx"; empty for nothing."""
        if not self.front:
            return ""
        words = f"{self.instances} instance{'s' * (self.instances != 1)} behind {self.front}"
        settings = ", ".join(f"{name}={one}" for name, one in sorted(self.front_options.items()))
        return f"{words} ({settings})" if settings else words


SETTING = re.compile(r"[A-Z][A-Z0-9_]*(\.[^.\s]+)*")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OURS = re.compile(r"BENCHSUITE_.*|DJANGO_SETTINGS_MODULE|PYTHON(PATH|HASHSEED)")
"""Variables by which a run tells the server what it must know."""


def check_variable(assignment: str, name: str, value: str) -> None:
    """Raises UsageError for one that the measured server can't be started with."""
    if not VARIABLE.fullmatch(name) or "\0" in value:
        raise UsageError(f"{assignment} can't be a variable; write NAME=VALUE.")
    if OURS.fullmatch(name):
        raise UsageError(f"{assignment} is set by the run itself; leave it out.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec(Spec):
    """Settings and environment variables of the measured server."""

    group = "Settings and variables"
    settings: Mapping[str, Any] = option(
        {},
        "--setting NAME=VALUE  a setting of the target, such as USE_I18N=false or "
        "CACHES.default.TIMEOUT=5 (JSON, else text)",
    )
    """Name, dotted where it is nested, → what JSON can hold; "{folder}" is the run's."""
    variables: Mapping[str, str] = option(
        {},
        "--variable NAME=VALUE  an environment variable of the target, such as MALLOC_ARENA_MAX=2",
    )
    hidden: tuple[str, ...] = ()  #: Names of both whose values are neither stored nor shown.

    def check(self) -> None:
        for name, value in self.settings.items():
            if not SETTING.fullmatch(name):
                raise UsageError(
                    f"--setting {name} names no setting; write NAME=VALUE, or NAME.key=VALUE for "
                    "what is nested."
                )
            if database.names_one(name, value):
                raise UsageError(
                    f"--setting {name} would name a database, and a run makes its own: say where "
                    "by --database, or set another key, such as DATABASES.default.CONN_MAX_AGE."
                )
        for name, text in self.variables.items():
            check_variable(f"--variable {name}", name, text)

    def to_json(self) -> dict[str, Any]:
        """As stored and shown."""
        return asdict(self._masked())

    @property
    def words(self) -> str:
        """In words: "CONN_HEALTH_CHECKS=true, variable MALLOC_ARENA_MAX=2"; empty for nothing."""
        shown = self._masked()
        settings = [f"{name}={json.dumps(one)}" for name, one in sorted(shown.settings.items())]
        variables = [f"variable {name}={one}" for name, one in sorted(shown.variables.items())]
        return ", ".join(settings + variables)

    def _masked(self) -> Self:
        def shown(values: Mapping[str, Any]) -> dict[str, Any]:
            return {
                name: masked(value if isinstance(value, str) else json.dumps(value))
                if name in self.hidden
                else value
                for name, value in values.items()
            }

        return replace(self, settings=shown(self.settings), variables=shown(self.variables))


MAX_DELAY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DelaySpec(Spec):
    """Delays of what the server sends; the other direction is not delayed."""

    group = "Added latency"
    read_no_more: ClassVar = (
        "by",
    )  #: Early runs have it: what delayed them was a proxy, as today.
    to_clients_s: float = option(
        0.0,
        "--delay-to-clients TIME[,TIME…]  how much later answers reach the load, such as 100ms",
        within=(0.0, MAX_DELAY_S),
    )
    to_database_s: float = option(
        0.0,
        "--delay-to-database TIME[,TIME…]  how much later queries reach the database, whose "
        "answers are not delayed",
        within=(0.0, MAX_DELAY_S),
    )
    to_layer_s: float = option(
        0.0,
        "--delay-to-layer TIME[,TIME…]  how much later commands reach the Redis of --layer, whose "
        "answers are not delayed",
        within=(0.0, MAX_DELAY_S),
    )

    def __bool__(self) -> bool:
        return bool(self.to_clients_s or self.to_database_s or self.to_layer_s)

    @property
    def words(self) -> str:
        """What is delayed: "100 ms to the database, 100 ms to clients"; empty for nothing."""
        delays = {
            "the database": self.to_database_s,
            "the channel layer": self.to_layer_s,
            "clients": self.to_clients_s,
        }
        return ", ".join(f"{format_duration(one)} to {whom}" for whom, one in delays.items() if one)


MEMORY = "memory"
REDIS = "redis"
REDIS_PUBSUB = "redis-pubsub"
PATHS = {
    MEMORY: "channels.layers.InMemoryChannelLayer",
    REDIS: "channels_redis.core.RedisChannelLayer",
    REDIS_PUBSUB: "channels_redis.pubsub.RedisPubSubChannelLayer",
}
IF_REDIS = ("uses_redis", "--layer=redis or --layer=redis-pubsub")
TCP = "tcp"
UNIX = "unix"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSpec(Spec):
    """The target's channel layer, and the number of runworkers beside the server."""

    group = "Channel layer"
    backend: str = option(
        "",
        "--layer memory|redis|redis-pubsub  channel layer of the target; Redis is started by the "
        "run",
        unless="the project's",
    )
    by: str = option(
        TCP, "--layer-by tcp|unix  how the layer reaches the run's Redis", needs=IF_REDIS
    )
    url: str = option(
        "",
        "--layer-url URL  a Redis of your own for the layer, such as redis://localhost:6379/0",
        needs=IF_REDIS,
        again=True,
        secret=True,
    )
    workers: int = option(
        0,
        "--layer-workers N  programs runworker that answer what comes through the layer",
        within=(0, MAX_PROCESSES),
    )

    def check(self) -> None:
        if self.workers and self.backend == MEMORY:
            raise UsageError(
                "An in-memory layer stays within one process, so --layer-workers can't be reached; "
                "take --layer=redis."
            )
        if self.url and self.by != TCP:
            raise UsageError("--layer-url already says what --layer-by does; remove one of them.")

    @property
    def uses_redis(self) -> bool:
        return self.backend in (REDIS, REDIS_PUBSUB)

    @property
    def path(self) -> str:
        """Dotted path of the layer's class; empty for the project's own."""
        return PATHS.get(self.backend, "")

    def __bool__(self) -> bool:
        return bool(self.backend or self.workers)

    @property
    def words(self) -> str:
        """In words: "redis over unix, 2 workers"; empty for the project's own."""
        if not self:
            return ""
        words = self.backend or "the project's layer"
        if self.url:
            words += f" at {hidden(self.url)}"
        elif self.uses_redis:
            words += f" over {self.by}"
        if self.workers:
            words += f", {self.workers} worker{'s' * (self.workers != 1)}"
        return words
