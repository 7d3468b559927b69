"""Fronts that are a program of the system: its configuration from a template, options in common."""

import re
import resource
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import Option, refuse_below, refuse_unless_one_of
from benchsuite.fronts.base import Address, FrontAdapter
from benchsuite.fronts.template import filled
from benchsuite.servers.base import Available
from benchsuite.system import programs

CONNECTIONS = 4096  #: Clients at once.
IDLE_UPSTREAM = 256  #: Idle connections kept to the instances, more than users are usual.
IDLE_UPSTREAM_S = 4
"""Less than the 5 s after which our servers close them: one that closes just when a request is on
its way is a failure that the server would not have had."""
KEEP_ALIVE_S = 75  #: nginx's own.
TIMEOUT_S = 3600
"""A front gives nothing up before the load does; an idle WebSocket is silent for long."""
BACKLOG = 2048  #: As the servers have.
MOST_CONNECT_S = 75  #: nginx says that it can't wait longer for a connection to an instance.
SPARE_DESCRIPTORS = 128  #: Files that a front has open beside the connections.

CERTIFICATE = "certificate.pem"  #: In the front's folder: key and certificate, where it speaks TLS.

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
"""Options of every one of them."""


class ProgramFront(FrontAdapter):
    """A program before instances that were started already."""

    program: ClassVar[str]
    package: ClassVar[str]  #: The Debian package that brings the program.
    least_version: ClassVar[tuple[int, ...]] = ()  #: What the configuration needs.
    template: ClassVar[str]
    """The name of its configuration: in the run's folder, and of our template in `fronts/conf`."""
    balances: ClassVar[Mapping[str, str]]  #: What `balance` may be → the program's words for it.
    complaint: ClassVar[re.Pattern[str]]
    """How it tells what is wrong with a configuration; its first group is the sentence."""
    parallel_option: ClassVar[str] = ""
    """Which option says how many of it answer at once, each on a CPU."""
    options = COMMON

    @abstractmethod
    def values(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, object]:
        """What the template's placeholders stand for, beside those that all templates have."""

    @staticmethod
    def escaped(path: Path) -> str:
        """A path as the program's configuration has it between double quotes."""
        return str(path)

    def config_files(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, str]:
        """Its configuration; pure, but for a template of the user's own, which is read."""
        own = str(self.settings["config"])
        values = {
            "folder": self.escaped(self.place.folder),
            "host": host,
            "port": port,
            "connections": self.settings["connections"],
            "backlog": self.settings["backlog"],
            "keep_alive_s": self.settings["keep_alive_s"],
            "timeout_s": self.settings["timeout_s"],
            "connect_s": min(int(self.settings["timeout_s"]), MOST_CONNECT_S),
            "upstream_idle_s": self.settings["upstream_idle_s"],
            "certificate": self.escaped(self.place.folder / CERTIFICATE),
            "scheme": self.scheme,
            **self.values(host, port, upstreams),
        }
        return {self.template: filled(self.template, values, own=Path(own) if own else None)}

    @property
    def parallel(self) -> int | None:
        """As its option says; a configuration of the user's own may say something else."""
        if self.settings["config"] or not self.parallel_option:
            return None
        return int(self.settings[self.parallel_option])

    def complaint_in(self, said: str) -> str:
        found = self.complaint.search(said)
        return found.group(1).strip() if found else super().complaint_in(said)

    def descriptors(self) -> int:
        """Files that one of its processes may have open: two connections for each client."""
        return 2 * int(self.settings["connections"]) + SPARE_DESCRIPTORS

    def ensure_possible(self, instances: int) -> None:
        super().ensure_possible(instances)
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        wanted = self.descriptors()
        if limit != resource.RLIM_INFINITY and limit < wanted:
            fitting = max(1, (limit - SPARE_DESCRIPTORS) // 2)
            raise UnavailableError(
                f"{self.name} needs {wanted} open files for {self.settings['connections']} "
                f"connections, and a process may open {limit} here; raise the limit (ulimit -Hn "
                f"{wanted}), or add --front-option connections={fitting}."
            )
        if self.settings["tls"] and programs.find("openssl") is None:
            raise UnavailableError(
                "tls=yes needs openssl, which makes the run's certificate: apt install openssl."
            )

    @classmethod
    def executable(cls) -> str:
        """Its path, or its bare name where it is not installed."""
        return programs.find(cls.program) or cls.program

    @classmethod
    def version(cls) -> str | None:
        return programs.version(cls.program, "-v")

    @classmethod
    def available(cls) -> Available:
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
