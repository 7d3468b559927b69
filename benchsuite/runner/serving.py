"""All programs that a run serves with: the server or its instances, and what stands beside them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchsuite import logfile
from benchsuite.probe import answers_as
from benchsuite.proc import Process, ensure_port_free, free_port, running, wait_until_ready
from benchsuite.results import Program
from benchsuite.runner.surroundings import surroundings
from benchsuite.servers.base import Place, ServerAdapter
from benchsuite.specs import RunSpec

HOST = "127.0.0.1"
READY_TIMEOUT_S = 60.0

TARGET = "target"
WORKERS = "workers"
"""Programs beside the server that do a part of its work."""

LOG_LINES = 40


@dataclass(frozen=True, slots=True)
class Member:
    """One program of a run, and the part of the system to which its CPU and memory count."""

    part: str
    process: Process
    version: str | None = None


@dataclass(slots=True)
class Serving:
    """What has been started so far, in that order; readable also after a start that failed."""

    address: tuple[str, int] = (HOST, 0)
    """Host and port under which the load reaches the target."""
    members: list[Member] = field(default_factory=list)
    startup_s: float | None = None
    """From the start of the first server process to the first answer of this run."""
    log: str = ""
    """The end of the log, as it was before anything was ended."""

    @property
    def base_url(self) -> str:
        host, port = self.address
        return f"http://{host}:{port}"

    def add(self, part: str, process: Process, version: str | None = None) -> None:
        self.members.append(Member(part, process, version))

    def pids(self, part: str) -> list[int]:
        """The living processes of a part."""
        return [pid for one in self.members if one.part == part for pid in one.process.living()]

    @property
    def parts(self) -> Mapping[str, Callable[[], list[int]]]:
        """Each part with what lists its living processes."""
        names = dict.fromkeys(one.part for one in self.members)
        return {name: lambda name=name: self.pids(name) for name in names}  # type: ignore[misc]

    @property
    def programs(self) -> tuple[Program, ...]:
        """What was started, in words that can be stored."""
        return tuple(
            Program(
                part=one.part,
                name=one.process.name,
                argv=one.process.argv,
                version=one.version,
            )
            for one in self.members
        )

    def ended(self) -> Member | None:
        """A program that has ended though nobody asked it to."""
        return next((one for one in self.members if one.process.poll() is not None), None)

    @property
    def argv(self) -> tuple[str, ...]:
        """The command line of the server, or of its first instance."""
        return next((one.process.argv for one in self.members if one.part == TARGET), ())

    def log_tail(self, lines: int) -> str:
        """The ends of the target's logs, those of its workers after them."""
        own = [one for part in (TARGET, WORKERS) for one in self.members if one.part == part]
        tails = [(one.process.name, one.process.log_tail(lines)) for one in own]
        if len(own) == 1:
            return tails[0][1]
        return "\n".join(f"--- {name}\n{tail}" for name, tail in tails if tail)

    def first_error(self) -> str | None:
        """What the first of the target's logs that tells of an error says."""
        found = (logfile.first_error(one.process.log) for one in self.members)
        return next((error for error in found if error), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What all programs of one run are started with."""

    spec: RunSpec
    make: Callable[[Place], ServerAdapter]
    folder: Path
    """The run's own."""
    token: str
    plan: Path
    ready_path: str


@contextmanager
def serving(found: Serving, start: Start, port: int | None) -> Iterator[None]:
    """Starts everything in order and ends it in reverse; inside the block the target answers.

    `found` is filled while it starts. Raises StartError with the end of the log of what did not
    come up.
    """
    port = port or free_port(HOST)
    ensure_port_free(HOST, port)
    with ExitStack() as stack:
        try:
            found.address = (HOST, port)
            _server(start, stack, found)
            found.startup_s = _wait(start, found.members[0].process, found.address)
            yield
        finally:
            found.log = found.log_tail(LOG_LINES)


def _server(start: Start, stack: ExitStack, found: Serving) -> None:
    """One copy of the server, and what its adapter wants beside it."""
    host, port = found.address
    place = Place(folder=start.folder / f"server-{len(found.members)}")
    adapter = start.make(place)
    _write(place.folder, adapter.config_files(host, port))
    env = surroundings(adapter, token=start.token, plan=start.plan, seed=start.spec.seed)
    programs: list[tuple[str, str, Sequence[str], str | None]] = [
        (TARGET, adapter.name, adapter.argv(host, port), adapter.version(place.interpreter))
    ]
    programs += [(WORKERS, name, argv, None) for name, argv in adapter.beside().items()]
    for part, name, argv, version in programs:
        process = stack.enter_context(
            running(
                argv,
                name=name,
                log=start.folder / f"{part}-{len(found.members)}.log",
                env=env,
                stop_signal=adapter.stop_signal,
                grace_s=adapter.grace_s,
                marker=start.token,
                on_cpus=start.spec.server.cpus,
            )
        )
        found.add(part, process, version)


def _wait(start: Start, process: Process, address: tuple[str, int]) -> float:
    """Seconds from the start of a process until this run answers there."""
    host, port = address
    url = f"http://{host}:{port}{start.ready_path}"
    return wait_until_ready(
        process, lambda: answers_as(url, start.token), timeout_s=READY_TIMEOUT_S
    )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
