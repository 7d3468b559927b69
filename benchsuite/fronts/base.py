"""The contract of a front: facts, pure configuration and command line. It never starts anything."""

import re
import resource
import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from benchsuite import programs
from benchsuite.account import can_read, unprivileged
from benchsuite.exceptions import UnavailableError, UsageError
from benchsuite.fronts.template import filled
from benchsuite.servers.base import Available
from benchsuite.specs import Option, chosen_options, refuse_below, refuse_unless_one_of

Address = tuple[str, int]
"""Host and port."""

CONNECTIONS = 4096
"""Clients at once."""
IDLE_UPSTREAM = 256
"""Idle connections kept to the instances, more than users are usual."""
IDLE_UPSTREAM_S = 4
"""Less than the 5 s after which our servers close them: one that closes just when a request is on
its way is a failure that the server would not have had."""
KEEP_ALIVE_S = 75
"""nginx's own."""
TIMEOUT_S = 3600
"""A front gives nothing up before the load does; an idle WebSocket is silent for long."""
BACKLOG = 2048
"""As the servers have."""
MOST_CONNECT_S = 75
"""nginx says that it can't wait longer for a connection to an instance."""
SPARE_DESCRIPTORS = 128
"""Files that a front has open beside the connections."""

CERTIFICATE = "certificate.pem"
"""In the front's folder: key and certificate, where it speaks TLS."""

ROUND_ROBIN = "round_robin"
LEAST_CONNECTIONS = "least_connections"
IP_HASH = "ip_hash"

COMMON: Mapping[str, Option] = {
    "backlog": BACKLOG,
    "balance": ROUND_ROBIN,
    "config": "",
    "connections": CONNECTIONS,
    "keep_alive_s": KEEP_ALIVE_S,
    "timeout_s": TIMEOUT_S,
    "tls": False,
    "upstream_idle_s": IDLE_UPSTREAM_S,
    "upstream_keep_alive": IDLE_UPSTREAM,
}
"""Options of every front, under one name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFiles:
    """The project's static files, where the front is asked to serve them."""

    url: str
    """STATIC_URL."""
    root: Path
    """STATIC_ROOT; `collectstatic` has filled it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPlace:
    """Where a front is started: what it may write, and what it is given of the run."""

    folder: Path = Path()
    """The front's own; what `config_files()` names is written into it."""
    static: StaticFiles | None = None
    token: str = ""
    """The run's, for answers of the front's own: the load takes none without it."""


class FrontAdapter(ABC):
    """One program that shares requests among instances.

    Subclasses declare facts as class attributes and write `values()` and `argv()`. An adapter
    checks its options when it is made: what the program can't honour is a UsageError.
    """

    name: ClassVar[str]
    program: ClassVar[str]
    package: ClassVar[str]
    """The Debian package that brings the program."""
    least_version: ClassVar[tuple[int, ...]] = ()
    """What the configuration needs."""
    template: ClassVar[str]
    """The name of its configuration: in the run's folder, and of our template in `fronts/conf`."""
    balances: ClassVar[Mapping[str, str]]
    """What `balance` may be → the program's words for it."""
    complaint: ClassVar[re.Pattern[str]]
    """How it tells what is wrong with a configuration; its first group is the sentence."""
    websocket: ClassVar[bool] = True
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    grace_s: ClassVar[float] = 10.0
    """How long it may take to end after the stop signal before it is killed."""
    options: ClassVar[Mapping[str, Option]] = COMMON
    """What `--front-option name=value` may set, with the defaults; the type is the default's."""

    def __init__(self, options: Mapping[str, Option], place: FrontPlace | None = None) -> None:
        self.settings = chosen_options(self.name, self.options, options)
        self.place = place or FrontPlace()
        self.run_as = unprivileged()
        self._check()

    @property
    def scheme(self) -> str:
        """What clients speak to it: "http", or "https" with a certificate that nobody signed."""
        return "https" if self.settings["tls"] else "http"

    @abstractmethod
    def argv(self) -> list[str]:
        """The command line that runs it in the foreground; pure."""

    @abstractmethod
    def check_argv(self) -> list[str]:
        """The command line that only looks whether the configuration is right; pure."""

    @abstractmethod
    def expected_processes(self) -> int:
        """Processes of its tree once it is up."""

    @abstractmethod
    def values(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, object]:
        """What the template's placeholders stand for, beside those that all templates have."""

    def config_files(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, str]:
        """Files that the command line names: name below `place.folder` → content.

        Pure, but for a template of the user's own, which is read.
        """
        own = str(self.settings["config"])
        values = {
            "folder": self.place.folder,
            "host": host,
            "port": port,
            "connections": self.settings["connections"],
            "backlog": self.settings["backlog"],
            "keep_alive_s": self.settings["keep_alive_s"],
            "timeout_s": self.settings["timeout_s"],
            "connect_s": min(int(self.settings["timeout_s"]), MOST_CONNECT_S),
            "upstream_idle_s": self.settings["upstream_idle_s"],
            "certificate": self.place.folder / CERTIFICATE,
            "scheme": self.scheme,
            **self.values(host, port, upstreams),
        }
        return {self.template: filled(self.template, values, own=Path(own) if own else None)}

    def descriptors(self) -> int:
        """Files that one of its processes may have open: two connections for each client."""
        return 2 * int(self.settings["connections"]) + SPARE_DESCRIPTORS

    def ensure_descriptors(self) -> None:
        """Raises UnavailableError when this machine doesn't let it open that many files."""
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        wanted = self.descriptors()
        if limit == resource.RLIM_INFINITY or limit >= wanted:
            return
        fitting = max(1, (limit - SPARE_DESCRIPTORS) // 2)
        raise UnavailableError(
            f"{self.name} needs {wanted} open files for {self.settings['connections']} "
            f"connections, and a process may open {limit} here; raise the limit (ulimit -Hn "
            f"{wanted}), or add --front-option connections={fitting}."
        )

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
    def executable(cls) -> str:
        """Its path, or its bare name where it is not installed."""
        return programs.find(cls.program) or cls.program

    @classmethod
    def version(cls) -> str | None:
        """The version of the installed program, or None."""
        found = programs.version(cls.program, "-v")
        return found or None

    @classmethod
    def available(cls) -> Available:
        """Whether it is installed and new enough and, if not, what would install it."""
        command = f"apt install {cls.package}"
        if programs.find(cls.program) is None:
            return Available(False, f"{cls.program} is not installed", command)
        version = cls.version()
        if version is None:
            return Available(False, f"{cls.program} does not tell its version", command)
        if _numbers(version) < cls.least_version:
            least = ".".join(map(str, cls.least_version))
            return Available(False, f"{cls.program} {version} is older than {least}", command)
        return Available(True)

    def _check(self) -> None:
        refuse_unless_one_of(self.name, self.settings, "balance", *self.balances)
        refuse_below(self.name, self.settings, 0, "upstream_keep_alive")
        refuse_below(
            self.name,
            self.settings,
            1,
            *("backlog", "connections", "keep_alive_s", "timeout_s", "upstream_idle_s"),
        )
        own = str(self.settings["config"])
        if own and not Path(own).is_file():
            raise UsageError(f"{self.name}'s option config names {own}, and there is no such file.")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
