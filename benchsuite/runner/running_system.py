"""All programs that a run serves with: servers, the front before them, what stands around them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchsuite.core.results import Program
from benchsuite.isolation.served import counting
from benchsuite.isolation.served.errors import Error, read
from benchsuite.services.base import Service
from benchsuite.system import logfile
from benchsuite.system.process import Process
from benchsuite.telemetry.base import ServiceProbe

TARGET = "target"
WORKERS = "workers"  #: Programs beside the server that do a part of its work.
FRONT = "front"
DELAY = "delay"
API = "api"
ELSEWHERE = (DELAY, API)  #: Parts that stand for what is not on the machine.
LOG_LINES = 40


@dataclass(frozen=True, slots=True)
class Member:
    """A program of a run as it is stored, and its process, which counts to that part."""

    program: Program
    process: Process


@dataclass(slots=True)
class RunningSystem:
    """What has been started so far, in that order; readable also after a start that failed."""

    base_url: str = ""  #: Under which the load reaches the target.
    starts: bool = True  #: Whether the run starts the target; else none of it can be watched.
    token: str = ""  #: Marks all processes of the run.
    run_header: str = ""  #: What each answer must carry; empty for a target that knows of no run.
    members: list[Member] = field(default_factory=list)
    startup_s: float | None = None  #: From the first start to each instance's answer.
    delay: Mapping[str, Any] = field(default_factory=dict)  #: What made added latency, how exactly.
    log: str = ""  #: The end of the log, as it was before anything was ended.
    instructions: Path | None = None  #: What servers were told; beside it they write errors.
    seen: Callable[[], int | None] = lambda: None
    """What a target that already runs says it was asked in this run; None where it says nothing."""
    services: list[Service] = field(default_factory=list)
    doing: Callable[[], str] = str  #: What is awaited of the program that was started last.
    begun: bool = False  #: Whether the services know that the load has.
    service_probes: dict[str, ServiceProbe] = field(default_factory=dict)  #: Part → what asks it.

    def counts(self) -> tuple[int | None, int | None, int]:
        """What servers have counted until now: requests and runs of views, None where nothing
        counts them, and messages that found a channel full.
        """
        if self.instructions is None:
            return self.seen(), None, 0
        prefixes = (counting.PREFIX, counting.VIEWS_PREFIX, counting.CACHED_PREFIX)
        seen, views, cached = (counting.read_counts(self.instructions, one) for one in prefixes)
        left_out = counting.read_counts(self.instructions, counting.OVERFLOW_PREFIX) or 0
        return seen, None if views is None else views - (cached or 0), left_out

    def add(
        self, part: str, process: Process, version: str | None, settings: Mapping[str, str] = {}
    ) -> None:
        program = Program(
            part=part, name=process.name, argv=process.argv, version=version, settings=settings
        )
        self.members.append(Member(program, process))

    def serve(self, service: Service) -> None:
        """A service that answers is a part of it, and is asked what only it knows."""
        self.services.append(service)
        self.add(service.part, service.process, service.version, service.settings)
        if (reading := service.reading()) is not None:
            self.service_probes[service.part] = reading

    def begin(self, moment: float) -> None:
        """Tells the services once that the load has begun, at that moment."""
        if not self.begun:
            self.begun = True
            for service in self.services:
                service.begun(moment)

    def processes(self, part: str) -> list[Process]:
        """Of a part, in the order in which they were started, each with its children."""
        return [member.process for member in self.members if member.program.part == part]

    def pids(self, part: str) -> list[int]:
        """The living processes of a part."""
        return [pid for process in self.processes(part) for pid in process.living()]

    def known(self) -> list[int]:
        """The processes of all parts, as they were last listed."""
        return [pid for member in self.members for pid in member.process.tree.known]

    def reaped_s(self, part: str) -> float:
        """CPU time of the part's processes that ended as orphans until now."""
        return sum(process.tree.reaped_s for process in self.processes(part))

    @property
    def parts(self) -> Mapping[str, Callable[[], list[int]]]:
        """Each part with what lists its living processes."""
        return {program.part: partial(self.pids, program.part) for program in self.programs}

    @property
    def programs(self) -> tuple[Program, ...]:
        return tuple(member.program for member in self.members)

    @property
    def argv(self) -> tuple[str, ...]:
        """The command line of the server, or of its first instance."""
        return next((program.argv for program in self.programs if program.part == TARGET), ())

    def ended(self) -> Process | None:
        """A program that has ended though nobody asked it to."""
        processes = (member.process for member in self.members)
        return next((process for process in processes if process.poll() is not None), None)

    def log_tail(self, lines: int) -> str:
        """The ends of the logs: the target's, then those of its workers and its front."""
        own = (process for part in (TARGET, WORKERS, FRONT) for process in self.processes(part))
        tails = [(process.name, process.log_tail(lines)) for process in own]
        if len(tails) == 1:
            return tails[0][1]
        return "\n".join(f"--- {name}\n{tail}" for name, tail in tails if tail)

    @property
    def errors(self) -> list[Error]:
        """What has gone wrong in the servers, whatever the project logs."""
        return read(self.instructions) if self.instructions is not None else []

    def start_error(self) -> str | None:
        """Why the project could not be loaded."""
        return next((error.words for error in self.errors if error.status is None), None)

    def first_error(self) -> str | None:
        """What the first of the logs that tells of an error says."""
        errors = (logfile.first_error(member.process.log) for member in self.members)
        return next((error for error in errors if error), None)
