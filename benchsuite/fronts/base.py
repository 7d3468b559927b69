"""The contract of a front: facts, pure configuration and command line; it starts nothing."""

import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Limits, Option, chosen_options
from benchsuite.servers.base import Available
from benchsuite.system.account import unprivileged

Address = tuple[str, int]  #: Host and port.


@dataclass(frozen=True, slots=True, kw_only=True)
class Instances:
    """The instances to start, for a front that runs them itself."""

    count: int
    argv: Sequence[str]  #: Local command line of each; it listens on INSIDE.
    env: Mapping[str, str]  #: What a run adds; nothing else of our environment is passed on.
    folders: Sequence[Path]  #: That each needs at the same path; only the first is writable.
    cpus: Sequence[int] = ()  #: Those they may use; empty for all.


INSIDE: Address = ("0.0.0.0", 8000)  #: Where an instance with its own network listens.


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPlace:
    """Where a front is started: its folder, and what it gets from the run."""

    folder: Path = Path()  #: The front's own; `config_files()` are written into it.
    token: str = ""  #: The run's, for the front's own answers: the load rejects others.
    instances: Instances | None = None  #: For fronts that run them.


class FrontAdapter(ABC):
    """One program that shares requests among instances. Subclasses declare facts as class
    attributes. Making one raises UsageError for options that the program can't honour.
    """

    name: ClassVar[str]
    runs_instances = False  #: Whether it starts `place.instances`, too, and gets no upstreams.
    as_ourselves = False  #: Whether it runs as root, too, where we do.
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    grace_s = 10.0  #: How long it may take to end after the stop signal before it is killed.
    ready_timeout_s = 60.0  #: How long it may take until an answer of the run passes through it.
    options: ClassVar[Mapping[str, Option]] = {}
    """Options of `--front-option` with their defaults, which also set the type."""
    limits: ClassVar[Limits] = {}  #: Of its options.

    def __init__(self, options: Mapping[str, Option], place: FrontPlace | None = None) -> None:
        settings = chosen_options(self.name, self.options, options, self.limits)
        self.settings: dict[str, Any] = settings
        self.place = place or FrontPlace()
        self.run_as = "" if self.as_ourselves else unprivileged()  #: Its user; empty for ours.

    @property
    def parallel(self) -> int | None:
        """CPUs that it can use at once; None if unknown."""
        return None

    @property
    def scheme(self) -> str:
        """What clients speak to it: "http", or "https" with a self-signed certificate."""
        return "https" if self.settings.get("tls") else "http"

    @abstractmethod
    def config_files(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, str]:
        """Files that the command line names: name below `place.folder` → content; pure."""

    @abstractmethod
    def argv(self) -> list[str]:
        """The command line that runs it in the foreground; pure."""

    def check_argv(self) -> list[str]:
        """The command line that only checks the configuration; empty for none."""
        return []

    def complaint_in(self, output: str) -> str:
        """The error in the output of `check_argv()`, in one line."""
        return " ".join(output.split())

    def ensure_possible(self, instances: int) -> None:
        """Raises UsageError or UnavailableError for what can't work; before each start, too."""
        if instances < 1:
            raise UsageError(f"{self.name} needs an instance behind it; add --instances=1.")

    @classmethod
    @abstractmethod
    def version(cls) -> str | None:
        """The version of the installed program, or None."""

    @classmethod
    @abstractmethod
    def available(cls) -> Available:
        """Whether it can run here; if not, the reason and a command that helps."""
