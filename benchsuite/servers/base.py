"""The contract of a server adapter: facts, and a pure `argv()`; it starts and stops nothing."""

import re
import shlex
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import DatabaseSpec, Limits, Option, ServerSpec, Within, chosen_options
from benchsuite.core.specs.server import OURS, check_variable
from benchsuite.pythons.building import Recipe
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.deploying import EVERYWHERE, Deployed, texts

Interface = Literal["wsgi", "asgi", "own"]  #: Of the application; "own" for a program of its own.

THREADS = 4  #: Threads a process by default, for every server with configurable threads.
BACKLOG = 2048  #: Connections that may wait to be accepted, where that can be set.
CONNECTIONS = 1000  #: Connections a process keeps open at once, where that can be set.
KEEP_ALIVE_S = 5  #: Seconds an idle connection is kept, where that can be set.

FOR_ALL: Mapping[str, Option] = {"env": ""}  #: Options of every server.
KEPT: Mapping[str, Option] = {"backlog": BACKLOG, "keep_alive_s": KEEP_ALIVE_S}
"""Options of many that keep connections."""
FEW_ARENAS: Mapping[str, Option] = {"env": "MALLOC_ARENA_MAX=2"}
"""Of glibc's memory, which else makes up to eight a CPU for threads."""

USUAL: Limits = {
    **dict.fromkeys(("backlog", "connections", "keep_alive_s"), Within(1)),
    "max_requests": Within(0),
}
"""Of options that many servers have, where they say nothing else."""

LOOPS = ("auto", "asyncio", "uvloop")


class Fit(StrEnum):
    """What a tuning works out for an option, of the page and the size."""

    NEED = "need"  #: Requests that each process must have under way to keep all CPUs busy.
    THREADS = "threads"  #: Those of a process.


class Against(StrEnum):
    """What a tuning tries the size that it picked in other settings against."""

    CONNECTING = "connecting"  #: Requests make connections to the database anew.
    MEMORY = "memory"  #: Its processes take much, or least is asked for.
    ARENAS = "arenas"  #: The same of threads.
    COLLECTING = "collecting"  #: Pauses of the garbage collector.
    UNEVEN = "uneven"  #: One of its processes gets most of the work.
    SYNC_VIEWS = "sync views"  #: Under ASGI, each run in a thread.


TAKE_THREADS = "take gunicorn-gthread, granian-wsgi, uwsgi or waitress for threads"
TAKE_THREADS_ASGI = f"it runs sync views in asgiref's threads; {TAKE_THREADS}"


@dataclass(frozen=True, slots=True)
class Available:
    """Whether something can run here and, if not, why and which command would help."""

    ok: bool
    reason: str = ""
    command: str = ""

    def __and__(self, other: "Available") -> "Available":
        """Whether both can, else the reasons and commands of those that can't."""
        if self.ok or other.ok:
            return other if self.ok else self
        reason = f"{self.reason}, and {other.reason}"
        return Available(False, reason, f"{self.command} && {other.command}")

    def demand(self, name: str) -> None:
        """Raises UnavailableError, with what would help, where what has this name can't run."""
        if not self.ok:
            raise UnavailableError(
                f"{name} can't run here: {self.reason}; {self.command} would help."
            )


@dataclass(frozen=True, slots=True)
class Application:
    """The callables to serve, as `package.module:callable`."""

    wsgi: str = "benchsuite.isolation.wsgi:application"
    asgi: str = "benchsuite.isolation.asgi:application"

    @classmethod
    def dotted(cls, wsgi: str, asgi: str) -> Self:
        """As Django's settings name them: "shop.wsgi.application"."""
        return cls(*(":".join(name.rsplit(".", 1)) for name in (wsgi, asgi)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a server is started: its folder, Python and services."""

    folder: Path = Path()  #: The run's own; `config_files()` are written into it.
    interpreter: Interpreter = OWN
    services: Mapping[str, str] = field(default_factory=dict)  #: Name → URL of each asked for.


class ServerAdapter:
    """One way to serve a Django project: facts as class attributes, and the parts of the command
    line or `argv()`. The constructor raises UsageError for a spec that the server can't honour.
    """

    name: ClassVar[str]
    interface: ClassVar[Interface]
    distribution: ClassVar[str]  #: The PyPI distribution of the program.
    requirement: ClassVar[str] = ""  #: pip's, such as "gunicorn>=24"; empty for the name alone.
    companions: ClassVar[tuple[str, ...]] = ()  #: Other distributions that must be installed, too.
    missing: ClassVar[Available | None] = None  #: What to say where the program is not installed.
    program: ClassVar[str] = ""  #: The Python module that is started.
    line: ClassVar[str] = "APPLICATION WHERE FLAGS"
    """The words after the program, with stand-ins for what is served, where, and `flags`."""
    listens: ClassVar[str] = "--bind {host}:{port}"  #: WHERE; options may stand in it, too.
    inherits: ClassVar[str] = ""  #: WHERE on the inherited socket {descriptor}; empty if it can't.
    flags: ClassVar[Mapping[str, str]] = {}
    """Flag → the option or attribute that it sets, in their order. A flag alone stands for what is
    true, and for what isn't if "not " stands before; what is 0 by default is left out at 0."""
    threads_word: ClassVar[str | None] = None  #: Its word for threads; None if they can't be set.
    max_processes: ClassVar[int | None] = None  #: The most processes it can run; None for no limit.
    managers: ClassVar[int] = 0  #: Processes beside those that serve.
    managers_of_several: ClassVar[int] = 0  #: Further ones, of more than one that serves.
    for_processes: ClassVar[str] = "take gunicorn-gthread, granian-wsgi or uwsgi for more"
    """Advice for users who want more processes than it can run."""
    for_threads = ""  #: Advice when threads are wanted and can't be set; empty for the usual.
    default_processes: ClassVar[int] = 1
    default_threads: ClassVar[int] = 1
    one_at_a_time = False  #: Whether a process without configurable threads answers so.
    limited_by = ""  #: The option with the number of requests that a process answers at once.
    keeps_threads = True
    """Whether its threads live as long as their process; ASGI servers never keep those of views."""
    keeps_alive = True  #: Whether a connection serves more than one request.
    holds_slots = False  #: Whether a kept connection that is idle takes the place of a request.
    websocket = False
    handshake_headers = True  #: Whether those of an application that accepts a WebSocket arrive.
    consumers: ClassVar[tuple[str, ...]] = ()  #: The only WebSocket paths that it knows, if any.
    dialect = ""
    """Dotted path of a class that speaks the server's own protocol over WebSockets
    (`benchsuite.load.client.websocket.dialects`); empty for plain messages."""
    finishes_in_flight = False  #: Whether a request under way at the stop signal is answered.
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    grace_s = 15.0  #: How long it may take to end after the stop signal; a run waits 3 s at most.
    serves_project = True  #: Whether it serves the Django project or its own target.
    starts = True  #: Whether a run starts it; else it runs already, unwatched.
    for_production = True
    answers: ClassVar[tuple[str, ...]] = ()  #: Workloads that its own target serves, if it has one.
    services: ClassVar[tuple[str, ...]] = ()  #: To start for it; URLs come in `place.services`.
    variables: ClassVar[Mapping[str, str]] = {}  #: Of its environment, beside the option `env`.
    foreign: ClassVar[tuple[str, ...]] = ()  #: What our variables begin with that set its options.
    options: ClassVar[Mapping[str, Option]] = {}
    """Options of `--option` with their defaults, which also set the type; with those `FOR_ALL`."""
    limits: ClassVar[Limits] = {}  #: Of its options; beside them `USUAL` holds.
    knobs: ClassVar[Mapping[str, tuple[Option | Fit, ...]]] = {}
    """Options that a tuning sets, each with the values worth a try; all combinations are tried."""
    remedies: ClassVar[Mapping[Against, Mapping[str, Option]]] = {Against.ARENAS: FEW_ARENAS}
    """Options that a tuning tries of the size that it picked, by what they may help against."""

    def __init__(
        self, spec: ServerSpec, application: Application, place: Place | None = None
    ) -> None:
        self.spec = spec
        self.application = application
        self.place = place or Place()
        self.python = self.place.interpreter
        self.processes = spec.processes or self.default_processes
        self.threads = spec.threads or self.default_threads
        defaults, limits = {**FOR_ALL, **self.options}, {**USUAL, **self.limits}
        self.settings: dict[str, Any] = chosen_options(self.name, defaults, spec.options, limits)
        self._check()

    @property
    def served(self) -> str:
        return self.application.wsgi if self.interface == "wsgi" else self.application.asgi

    def argv(self, host: str, port: int) -> list[str]:
        """The exact command line; pure."""
        return self.command(self.listens.format(host=host, port=port, **self.settings))

    def argv_on_socket(self, descriptor: str) -> list[str]:
        """The command line for a listening socket under this file descriptor; pure."""
        return self.command(self.inherits.format(descriptor=descriptor))

    def command(self, where: str) -> list[str]:
        """The command line that listens there, made of `program`, `line` and `flags`."""
        parts = {"APPLICATION": [self.served], "WHERE": where.split(), "FLAGS": self._flagged()}
        words = (parts.get(word, [word]) for word in self.line.split())
        return [*self.python.module(self.program), *chain.from_iterable(words)]

    def _flagged(self) -> list[str]:
        words = []
        for flag, name in self.flags.items():
            option = name.removeprefix("not ")
            value = self.settings.get(option, getattr(self, option, None))
            if isinstance(value, bool):
                words += [flag] if value == (option == name) else []
            elif option == "threads" and self.threads_word is None:
                continue
            elif isinstance(value, str | float | int) and (value or self.options.get(option)):
                words += [f"{flag}{value}"] if flag.endswith("=") else [flag, str(value)]
        return words

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        """Files that the command line names: name below `place.folder` → content; pure."""
        return {}

    def companion_processes(self) -> Mapping[str, Sequence[str]]:
        """Name → command line of each program that runs beside the server; pure."""
        return {}

    def env(self) -> dict[str, str]:
        """Variables to add to the environment of the server."""
        words = shlex.split(self.settings["env"])
        return {**self.variables, **dict(word.split("=", 1) for word in words)}

    def deployed(self, host: str, port: int) -> Deployed:
        """How it is started where it serves: as it is measured, without what only a run needs."""
        env = {name: text for name, text in self.env().items() if text and not OURS.fullmatch(name)}
        return Deployed(
            argv=self.argv(host, port),
            files=self.config_files(host, port),
            env=env,
            python=self.python.executable,
            stop_signal=self.stop_signal,
            grace_s=self.grace_s,
        )

    def deployment(self, address: str) -> Mapping[str, str]:
        """What to paste for the same server at "host:port": text by kind (`deploying.KINDS`) or by
        the name of a file. None for servers that don't serve the project, or not in production.
        """
        if not self.serves_project or not self.for_production:
            return {}
        host, _, port = address.rpartition(":")
        here = type(self)(self.spec, self.application, replace(self.place, folder=Path.cwd()))
        threads = None if self.threads_word is None else self.threads
        spec = replace(self.spec, processes=self.processes, threads=threads)
        contained = here.deployed(EVERYWHERE, int(port))
        return texts(here.deployed(host, int(port)), contained, int(port), spec)

    def shared_memory(self) -> str:
        """Prefix, unique to this start, of the shared memory that it leaves, which is removed."""
        return ""

    def at_once(self) -> int | None:
        """Requests that it answers at the same time; None without a limit."""
        if self.limited_by:
            return self.processes * int(self.settings[self.limited_by]) or None
        limited = self.threads_word is not None or self.one_at_a_time
        return self.processes * self.threads if self.interface == "wsgi" and limited else None

    def connections(self, database: DatabaseSpec) -> int | None:
        """Connections that it can hold to a database at most; None where that isn't known."""
        if database.pool is not None:
            return self.processes * database.pool
        # What CONN_MAX_AGE leaves open in a thread that answers no second request stays open until
        # the collector finds it.
        left_open = database.conn_max_age_s and not self.reuses_connections()
        return None if left_open else self.at_once()

    @classmethod
    def reuses_connections(cls) -> bool:
        """Whether the threads that keep a connection (CONN_MAX_AGE) answer further requests."""
        few = cls.threads_word is not None or cls.one_at_a_time
        return cls.interface == "wsgi" and cls.keeps_threads and few

    def expected_processes(self) -> int:
        """Number of processes in its tree once it is up: workers and their managers."""
        return self.processes + self.managers + (self.processes > 1) * self.managers_of_several

    @classmethod
    def recipe(cls, python: str) -> Recipe | None:
        """The environment of a heritage server, whose Python `--python` may choose; else None."""
        return None

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        """The installed version of the program, or None; read from its metadata, never imported."""
        return python.installed(cls.distribution)

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        """Whether program and companions are installed and, if not, what would install them."""
        missing = {name: name for name in cls.companions if python.installed(name) is None}
        version, least = cls.version(python), re.search(r">=(\d+)", cls.requirement)
        major = re.match(r"\d+", version) if version and least else None
        if least and major and int(major[0]) < int(least[1]):
            install = f"pip install {shlex.quote(cls.requirement)}"
            return Available(False, f"{cls.distribution} {version} is too old", install)
        if version is None:
            if cls.missing is not None:
                return cls.missing
            missing = {cls.distribution: cls.requirement or cls.distribution, **missing}
        if not missing:
            return Available(True)
        reason = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
        return Available(False, reason, f"pip install {shlex.join(missing.values())}")

    def _check(self) -> None:
        if self.max_processes is not None and self.processes > self.max_processes:
            most = "1 process" if self.max_processes == 1 else f"{self.max_processes} processes"
            raise UsageError(
                f"{self.name} runs {most}, not the {self.processes} asked for; "
                f"{self.for_processes}."
            )
        if self.threads_word is None and self.spec.threads not in (None, 1):
            usual = TAKE_THREADS_ASGI if self.interface == "asgi" else TAKE_THREADS
            raise UsageError(
                f"{self.name} can't set its number of threads to {self.threads}; "
                f"{self.for_threads or usual}."
            )
        try:
            words = shlex.split(self.settings["env"])
        except ValueError as error:
            raise UsageError(
                f"{self.name}'s option env can't be read ({error}); write NAME=VALUE, several with "
                "blanks between them."
            ) from None
        for word in words:
            name, _, value = word.partition("=")
            check_variable(f"{self.name}'s option env: {word}", name if value else "", value)
