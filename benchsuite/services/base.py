"""The contract of a service: a program that a run starts for its target, and ends.

The target is an ordinary user, as it should be in production; the run itself is a superuser with
connections kept free for it, so that it can still count and drop when the target has taken all of
its own.
"""

import secrets
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Self

from benchsuite.core.exceptions import StartError
from benchsuite.core.readings import DATABASE
from benchsuite.core.specs import Option
from benchsuite.core.specs.server import TCP
from benchsuite.servers.base import Available
from benchsuite.system import folders, programs
from benchsuite.system.account import hand_over, unprivileged
from benchsuite.system.network import free_port
from benchsuite.system.process import Process, ending_in_words, running, wait_until_ready
from benchsuite.telemetry.base import ServiceProbe

HOST = "127.0.0.1"
USER = "benchsuite"  #: The target's user: may make databases of a run, and is no superuser.
WATCHING = 1  #: The connection that telemetry holds while the load runs.
ATTEMPTS = 3  #: Another program may take a free port between looking for it and listening on it.
TAKEN = "address already in use"  #: What a log says then, in small or large letters.
RUN_S = 60.0  #: How long a program that prepares one may take.


@dataclass(kw_only=True, eq=False, repr=False)
class Service(ABC):
    """One service. Subclasses declare facts and write `argv()`, `answers()` and `url`.

    `with` starts and ends it: inside the block it answers. It runs in its folder, which must exist
    and be its own, and as nobody where root starts it.
    """

    name: ClassVar[str]  #: By which a run asks for it, and its part of a run is called.
    title: ClassVar[str]  #: As sentences call it: "PostgreSQL".
    programs: ClassVar[tuple[str, ...]]  #: The first of these that is here is started.
    package: ClassVar[str]  #: The package of Debian that brings it.
    driver: ClassVar[str] = ""  #: The Python package by which the run asks it; empty for none.
    extra: ClassVar[str] = ""  #: The extra of django-benchsuite that brings the driver.
    foreign: ClassVar[tuple[str, ...]] = ()
    """What the variables begin with that speak of another server; it is not told of them."""
    stop_signal: ClassVar[int] = 15
    grace_s: ClassVar[float] = 20.0  #: How long it may take to end before it is killed.
    ready_s: ClassVar[float] = 30.0  #: How long it may take to answer, unless the run says it.
    ours: ClassVar[bool] = False
    """Whether it is ours and stands for something elsewhere: runs as us, and on the load's CPUs."""

    folder: Path
    marker: str  #: The run's, by which its processes are found.
    env: Mapping[str, str]
    on_cpus: Collection[int] | None = None
    start_timeout_s: float | None = None
    by: str = TCP  #: "unix" for a Unix socket, where it has one.
    options: Mapping[str, Option] = field(default_factory=dict)  #: What the workload says of it.

    port: int | None = field(default=None, init=False)  #: A free one, once it is started.
    version: str = field(default="", init=False)
    settings: Mapping[str, str] = field(default_factory=dict, init=False)
    """What it runs with that changes figures, asked of itself."""
    process: Process = field(init=False)
    account: str = field(default="", init=False)  #: As whom it runs; empty for ourselves.

    @property
    def part(self) -> str:
        """To which its CPU and memory count."""
        return self.name

    @property
    @abstractmethod
    def url(self) -> str:
        """By which the target reaches it."""

    @property
    def admin_url(self) -> str:
        """By which the run itself reaches it, also when the target has taken all connections."""
        return self.url

    @abstractmethod
    def argv(self) -> Sequence[str]:
        """The command line that runs it in the foreground on `port`."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it is up, and is this one."""

    def make(self) -> None:  # noqa: B027 - a hook, as the others
        """Makes what it needs in its folder, once."""

    def config_files(self) -> Mapping[str, str]:
        """Files that its command line names: name below `folder` → content."""
        return {}

    def learn(self) -> None:  # noqa: B027
        """Sets `version` and `settings`, once it answers."""

    def remove(self) -> None:  # noqa: B027
        """Removes what it leaves when it has ended."""

    def begun(self, moment: float) -> None:  # noqa: B027
        """Called when the load has begun, at that moment of the monotonic clock."""

    def reading(self) -> ServiceProbe | None:
        """What asks it once a second for what only it knows."""
        return None

    @classmethod
    def program(cls) -> Path | None:
        """The program that is started; None where there is none."""
        return next(map(Path, filter(None, map(programs.find_program, cls.programs))), None)

    @classmethod
    def available(cls) -> Available:
        """Whether it can be started here and, if not, what would install what is missing."""
        if cls.program() is None:
            return Available(False, f"there is no {cls.title}", f"apt install {cls.package}")
        if cls.driver and find_spec(cls.driver) is None:
            install = f"pip install 'django-benchsuite[{cls.extra}]'"
            return Available(False, f"the Python package {cls.driver} is not installed", install)
        return Available(True)

    def __enter__(self) -> Self:
        """Raises UnavailableError where it can't run here, StartError with the end of its log."""
        self.available().demand(self.title)
        self.folder = self.folder.resolve()
        self.env = {
            name: value for name, value in self.env.items() if not name.startswith(self.foreign)
        }
        self.account = "" if self.ours else unprivileged()
        hand_over(self.folder, self.account)
        with ExitStack() as stack:
            stack.callback(self.remove)
            self.make()
            self._up = stack.enter_context(ExitStack())
            self._come_up()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def restart(self) -> None:
        """Ends it and starts it as its fields say now, with what it holds, at the same address."""
        self._up.close()
        self._come_up()

    def write(self, name: str, content: str) -> Path:
        """A file in its folder that only it and root can read."""
        path = self.folder / name
        folders.write_private(path, "")
        hand_over(path, self.account)
        path.write_text(content)
        return path

    def run(self, argv: Sequence[str], name: str) -> None:
        """Runs a program that prepares it; raises StartError with its log when that fails."""
        timeout_s = self.start_timeout_s or RUN_S
        with self._running(argv, f"{self.title}'s {name}", name) as process:
            if (status := process.wait(timeout_s)) is None:
                raise StartError(
                    f"{process.name} did not end within {timeout_s:g} s; give it more time with "
                    "--start-timeout."
                )
        if status:
            raise StartError(f"{process.name} {ending_in_words(status)}", process.log_tail())

    def _come_up(self) -> None:
        wanted = self.port
        for left in reversed(range(ATTEMPTS)):
            self.port = wanted or free_port(HOST)
            for name, content in self.config_files().items():
                self.write(name, content)
            with ExitStack() as attempt:
                process = attempt.enter_context(self._running(self.argv(), self.title, self.name))
                try:
                    timeout_s = self.start_timeout_s or self.ready_s
                    wait_until_ready(process, self.answers, timeout_s=timeout_s)
                except StartError:
                    if left and wanted is None and TAKEN in process.log_tail().lower():
                        continue  # somebody took the port since it was found free
                    raise
                self.process = process
                self._up.push(attempt.pop_all())
                self.learn()
                return
        raise AssertionError("the last attempt returns or raises")

    def _running(self, argv: Sequence[str], name: str, log: str) -> AbstractContextManager[Process]:
        return running(
            argv,
            name=name,
            log=self.folder / f"{log}.log",
            env=self.env,
            cwd=self.folder,
            stop_signal=self.stop_signal,
            grace_s=self.grace_s,
            marker=self.marker,
            on_cpus=self.on_cpus,
            run_as=self.account,
        )


@dataclass(slots=True)
class Asking:
    """A `ServiceProbe` over one connection of its own, which is made anew after an error."""

    _connect: Callable[[], Any]
    _ask: Callable[[Any], Mapping[str, int]]
    _connection: Any = field(default=None, init=False)

    def sample(self) -> Mapping[str, int]:
        with ExitStack() as failed:
            failed.callback(self.close)
            if self._connection is None:
                self._connection = self._connect()
            facts = self._ask(self._connection)
            failed.pop_all()
        return facts

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@dataclass(kw_only=True, eq=False, repr=False)
class DatabaseService(Service):
    """A database that `--database=NAME` starts, with all its files in `data`.

    While telemetry is connected, the target can have `max_connections` open at once, neither more
    nor fewer. Without `fsync` a commit waits for no disk.
    """

    least_connections: ClassVar[int] = 1

    max_connections: int = 100
    fsync: bool = True
    password: str = field(default_factory=lambda: secrets.token_hex(16), init=False, repr=False)
    """The superuser's."""

    @property
    def part(self) -> str:
        return DATABASE

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def remove(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)
