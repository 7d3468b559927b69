"""The contract of a front: facts, pure configuration and command line. It never starts anything."""

import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import Option, chosen_options
from benchsuite.servers.base import Available
from benchsuite.system.account import can_read, unprivileged

Address = tuple[str, int]  #: Host and port.


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFiles:
    """The project's static files, where the front is asked to serve them."""

    url: str  #: STATIC_URL.
    root: Path  #: STATIC_ROOT; `collectstatic` has filled it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Instances:
    """What a front starts that runs the instances itself."""

    count: int
    argv: Sequence[str]  #: The command line of each, as it would be here; it listens on INSIDE.
    env: Mapping[str, str]
    """The variables that a run adds; nothing else of this process's is meant for them."""
    folders: Sequence[Path]
    """What each must find under the same path; the first one it may write to."""
    cpus: Sequence[int] = ()  #: Those they may use; empty for all.


INSIDE: Address = ("0.0.0.0", 8000)  #: Where an instance listens that has a network of its own.


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPlace:
    """Where a front is started: what it may write, and what it is given of the run."""

    folder: Path = Path()  #: The front's own; what `config_files()` names is written into it.
    static: StaticFiles | None = None
    token: str = ""  #: The run's, for answers of the front's own: the load takes none without it.
    instances: Instances | None = None  #: For a front that runs them itself.


class FrontAdapter(ABC):
    """One program that shares requests among instances.

    Subclasses declare facts as class attributes. An adapter checks its options when it is made:
    what the program can't honour is a UsageError.
    """

    name: ClassVar[str]
    runs_instances: ClassVar[bool] = False
    """Whether it starts the instances too, by `place.instances`, and gets no upstreams."""
    websocket: ClassVar[bool] = True
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    grace_s: ClassVar[float] = 10.0
    """How long it may take to end after the stop signal before it is killed."""
    ready_timeout_s: ClassVar[float] = 60.0
    """How long it may take until an answer of the run comes through it."""
    options: ClassVar[Mapping[str, Option]] = {}
    """What `--front-option name=value` may set, with the defaults; the type is the default's."""

    def __init__(self, options: Mapping[str, Option], place: FrontPlace | None = None) -> None:
        self.settings = chosen_options(self.name, self.options, options)
        self.place = place or FrontPlace()
        self.run_as = unprivileged()  #: The user whose rights it gets; empty for ours.
        self._check()

    @property
    def parallel(self) -> int | None:
        """CPUs that it can use at once; None where that is not known."""
        return None

    @property
    def scheme(self) -> str:
        """What clients speak to it: "http", or "https" with a certificate that nobody signed."""
        return "https" if self.settings.get("tls") else "http"

    @abstractmethod
    def config_files(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, str]:
        """Files that the command line names: name below `place.folder` → content; pure."""

    @abstractmethod
    def argv(self) -> list[str]:
        """The command line that runs it in the foreground; pure."""

    def check_argv(self) -> list[str]:
        """The command line that only looks whether the configuration is right; empty for none."""
        return []

    def complaint_in(self, said: str) -> str:
        """What is wrong, in one line, of all that `check_argv()` printed."""
        return " ".join(said.split())

    @abstractmethod
    def expected_processes(self) -> int:
        """Processes of its tree once it is up."""

    def ensure_possible(self, instances: int) -> None:
        """Raises UsageError or UnavailableError for what can't be on this machine.

        Called before the first run, and again before each start.
        """
        if instances < 1:
            raise UsageError(f"{self.name} needs an instance behind it.")

    def ensure_servable(self) -> None:
        """Raises UsageError or UnavailableError when it can't serve the static files as asked.

        Called just before the start: what the target's settings say is not known earlier.
        """
        if not self.settings.get("static"):
            return
        files = self.place.static
        if files is None or not files.url.startswith("/"):
            raise UsageError(
                "static=yes needs STATIC_ROOT, and a STATIC_URL that begins with /, in the "
                "target's settings; set them and run collectstatic."
            )
        if not files.root.is_dir():
            raise UsageError(
                f"static=yes finds no folder {files.root} (STATIC_ROOT); run manage.py "
                "collectstatic."
            )
        if not can_read(files.root, self.run_as):
            raise UnavailableError(
                f"{self.name} runs as {self.run_as or 'you'} and can't read {files.root} "
                "(STATIC_ROOT); open it and the folders above it to others, or start the run as "
                "its owner."
            )

    @classmethod
    @abstractmethod
    def version(cls) -> str | None:
        """The version of the installed program, or None."""

    @classmethod
    @abstractmethod
    def available(cls) -> Available:
        """Whether it can run here and, if not, why and what would help."""

    @abstractmethod
    def _check(self) -> None:
        """Refuses options that it would not honour."""
