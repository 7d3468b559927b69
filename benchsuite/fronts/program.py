"""Fronts that are system programs: configuration from a template, common options, the start."""

import re
import resource
import subprocess
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import StartError, UnavailableError, UsageError, choices
from benchsuite.core.specs import Limits, Option, Within
from benchsuite.core.specs.spec import refuse_outside
from benchsuite.fronts.base import Address, FrontAdapter, FrontPlace
from benchsuite.servers.base import BACKLOG, Available
from benchsuite.system import folders, network, programs
from benchsuite.system.account import hand_over
from benchsuite.system.process import Process, running

FOLDER = Path(__file__).parent / "conf"
PLACEHOLDER = re.compile(r"@\{([a-z_]+)\}")  #: A bare `@name` is a named location of nginx.


def filled(path: Path, values: Mapping[str, object]) -> str:
    """A template with the values filled in; UsageError for an unknown placeholder."""
    try:
        template = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The template {path} can't be read: {error}.") from error
    if unknown := sorted(set(PLACEHOLDER.findall(template)) - set(values)):
        raise UsageError(
            f"The template {path} has the unknown placeholder {unknown[0]!r}; "
            f"{choices(unknown[0], sorted(values))}"
        )
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), template)


FILES = 2  #: Open files for each client: its connection, and one to an instance.

CERTIFICATE = "certificate.pem"  #: Key and certificate for TLS, in the front's folder.

COMMON: Mapping[str, Option] = {
    "backlog": BACKLOG,
    "balance": "round_robin",
    "config": "",
    "connections": 4096,  # clients at once
    "keep_alive_s": 75,  # nginx's own
    "timeout_s": 3600,  # not before the load gives up; an idle WebSocket is silent for long
    "tls": False,
    # less than the 5 s after which our servers close them: closing while a request is on its way
    # would be a failure that the server alone would not have
    "upstream_idle_s": 4,
    "upstream_keep_alive": 256,  # idle connections to the instances; usually more than users
}
"""Options of every program."""

LIMITS: Limits = {
    **dict.fromkeys(("backlog", "connections", "keep_alive_s", "timeout_s"), Within(1)),
    "upstream_idle_s": Within(1),
    "upstream_keep_alive": Within(0),
}


class ProgramFront(FrontAdapter):
    """A program in front of instances that already run."""

    program: ClassVar[str]
    package: ClassVar[str]  #: The Debian package of the program.
    least_version: ClassVar[tuple[int, ...]] = ()  #: What the configuration needs.
    template: ClassVar[str]  #: Name of its configuration, and of our template in `fronts/conf`.
    balances: ClassVar[Mapping[str, str]]  #: Value of `balance` → the program's word.
    complaint: ClassVar[re.Pattern[str]]  #: A refused configuration; group 1 is the sentence.
    special = ""  #: What needs a backslash between double quotes in its configuration.
    parallel_option = ""  #: The one with the number of its processes or threads, each on a CPU.
    options = COMMON

    def __init__(self, options: Mapping[str, Option], place: FrontPlace | None = None) -> None:
        super().__init__(options, place)
        refuse_outside(self.name, self.settings, {**LIMITS, "balance": tuple(self.balances)})
        if (own := self.settings["config"]) and not Path(own).is_file():
            raise UsageError(f"{self.name}'s option config names no file: {own}; correct it.")

    @abstractmethod
    def values(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, object]:
        """Values of the template's placeholders, besides those that all templates have."""

    @classmethod
    def escaped(cls, path: Path) -> str:
        """A path as written between double quotes in the program's configuration."""
        return str(path).translate({ord(sign): f"\\{sign}" for sign in cls.special})

    def config_files(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, str]:
        """Its configuration; pure, except for reading the user's own template."""
        template = Path(self.settings["config"] or FOLDER / self.template)
        values = {
            **self.settings,
            "folder": self.escaped(self.place.folder),
            "host": host,
            "port": port,
            "connections": self.clients,
            "connect_s": min(self.settings["timeout_s"], 75),  # nginx's limit
            "certificate": self.escaped(self.place.folder / CERTIFICATE),
            "scheme": self.scheme,
            **self.values(host, port, upstreams),
        }
        return {self.template: filled(template, values)}

    @property
    def parallel(self) -> int | None:
        """As its option says; unknown for the user's own configuration."""
        if self.settings["config"] or not self.parallel_option:
            return None
        return int(self.settings[self.parallel_option])

    def complaint_in(self, output: str) -> str:
        match = self.complaint.search(output)
        return match.group(1).strip() if match else super().complaint_in(output)

    @property
    def clients(self) -> int:
        """As its option says, or as its files allow: a load of more has been refused by then."""
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        asked: int = self.settings["connections"]
        if limit == resource.RLIM_INFINITY:
            return asked
        return max(1, min(asked, (limit - network.LEAST) // FILES))

    def ensure_possible(self, instances: int) -> None:
        super().ensure_possible(instances)
        if self.settings["tls"] and programs.find_program("openssl") is None:
            raise UnavailableError(
                "tls=yes needs openssl, which makes the run's certificate: apt install openssl."
            )

    @classmethod
    def executable(cls) -> str:
        """Its path, or its bare name if not installed."""
        return programs.find_program(cls.program) or cls.program

    @classmethod
    def version(cls) -> str | None:
        return programs.program_version(cls.program, "-v")

    @classmethod
    def available(cls) -> Available:
        command = f"apt install {cls.package}"
        if programs.find_program(cls.program) is None:
            return Available(False, f"{cls.program} is not installed", command)
        if (version := cls.version()) is None:
            return Available(False, f"{cls.program} does not print its version", command)
        if tuple(map(int, re.findall(r"\d+", version)[:3])) < cls.least_version:
            least = ".".join(map(str, cls.least_version))
            return Available(False, f"{cls.program} {version} is older than {least}", command)
        return Available(True)


def make_certificate(path: Path, host: str) -> None:
    """Writes key and certificate for this IP address into one file that only its owner can read."""
    path.touch(mode=0o600)
    command = [programs.find_program("openssl") or "openssl", "req", "-x509", "-newkey", "ec"]
    command += ["-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={host}", "-addext", f"subjectAltName=IP:{host}"]
    command += ["-keyout", str(path), "-out", str(path)]  # appended where it is the same
    try:
        programs.asked(*command).check_returncode()
    except (OSError, subprocess.SubprocessError) as error:
        output = error.stdout or b"" if isinstance(error, subprocess.CalledProcessError) else b""
        *_, last = output.decode(errors="replace").strip().splitlines() or [f"{error}."]
        raise StartError(f"openssl could not make a certificate: {last}") from error


def front(
    adapter: FrontAdapter,
    address: Address,
    upstreams: Sequence[Address],
    *,
    log: Path,
    env: Mapping[str, str],
    marker: str,
    on_cpus: Collection[int] | None = None,
) -> AbstractContextManager[Process]:
    """The front at that address, in `adapter.place.folder`, until the block is left.

    It is ready when an answer of the run, not one of its own, passes through it. Raises
    UnavailableError or UsageError for what can't work on this machine, and StartError with the
    program's own sentence when it refuses its configuration.
    """
    itself = adapter.place.instances
    adapter.ensure_possible(itself.count if itself else len(upstreams))
    folder = adapter.place.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in adapter.config_files(*address, upstreams).items():
        folders.write_private(folder / name, content)
    if adapter.scheme == "https":
        make_certificate(folder / CERTIFICATE, address[0])
    for path in (folder, *folder.iterdir()):
        hand_over(path, adapter.run_as)
    if checking := adapter.check_argv():
        try:
            done = programs.asked(*checking, env=env, folder=folder, run_as=adapter.run_as)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StartError(f"{adapter.name} can't check its configuration: {error}.") from error
        if done.returncode != 0:
            complaint = adapter.complaint_in(done.stdout.decode(errors="replace"))
            raise StartError(f"{adapter.name} refuses its configuration: {complaint}")
    return running(
        adapter.argv(),
        name=adapter.name,
        log=log,
        env=env,
        cwd=folder,
        stop_signal=adapter.stop_signal,
        grace_s=adapter.grace_s,
        marker=marker,
        on_cpus=on_cpus,
        run_as=adapter.run_as,
    )
