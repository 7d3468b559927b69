"""Watches a run while its load runs, and says afterwards what else happened."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchsuite.agent.client import Watching
from benchsuite.core.observations import Probes, Segment, Turnover
from benchsuite.core.readings import DATABASE, LOAD
from benchsuite.core.results import Reading, Summary
from benchsuite.core.samples import Stall
from benchsuite.findings.host import clock, noisy, shared_cpus
from benchsuite.findings.target import NO_SESSION, died
from benchsuite.load.job import Done, Job, Tick
from benchsuite.runner.running_system import TARGET, RunningSystem
from benchsuite.stats.signs import Traffic
from benchsuite.system import logfile
from benchsuite.system.tree import ProcessTree
from benchsuite.telemetry.base import Clocks, Device
from benchsuite.telemetry.devices import Scheduling, Speed, affinity
from benchsuite.telemetry.host import Host
from benchsuite.telemetry.prober import probes
from benchsuite.telemetry.prober.program import RIGHT
from benchsuite.telemetry.sampler import DEVICES, Census, Sampler
from benchsuite.workloads.base import Workload

INTERVAL_S = 1.0
LOG_LINES = 500  #: In which the server is heard to complain about its limits.


class Monitor:
    """Watches the machine, the target's processes and a page of it, second by second."""

    def __init__(
        self,
        serving: RunningSystem,
        load_pids: Sequence[int],
        clocks: Clocks | None = None,
        devices: Sequence[type[Device]] = (),
        agent: Watching | None = None,
    ) -> None:
        """`devices` are asked beside the built-in ones; an `agent` watches a target elsewhere."""
        self.agent = agent
        self._serving, self._load_pids, self._devices = serving, load_pids, devices
        self.census = Census(lambda: serving.pids(TARGET))
        self.host = Host(serving.known, cpus=os.cpu_count() or 1, clocks=clocks)
        self.cpus_target: frozenset[int] | None = None
        self.cpus_load: frozenset[int] | None = None
        self.cpus_shared: list[frozenset[int]] = []  #: Those of both, look by look.
        self.log = ""
        self.sessions_refused: int | None = None  #: By the run's PostgreSQL, in the load.
        self.errors: tuple[str, ...] = ()  #: What the sampler could not read.
        self._probes: list[probes.Probe] = []
        self._request: Mapping[str, object] | None = None  #: What the prober asks, if anything.
        self.page = ""  #: The name of that request, as the load knows it.
        self._prober: probes.Watch | None = None

    def sampler(self, on_cpus: Collection[int] | None, measured: str) -> Sampler:
        """Reads the telemetry of every part and of the load, and takes this monitor along."""
        load = ProcessTree(self._load_pids)
        parts = {**self._serving.parts, LOAD: lambda: [stat.pid for stat in load.living()]}
        return Sampler(
            {**parts, TARGET: self.census} if self._serving.starts else parts,
            interval_s=INTERVAL_S,
            also=(self.host.look, self.see_cpus),
            service_probes={**self._serving.service_probes, TARGET: self.host},
            devices=(*DEVICES, Speed, Scheduling, *self._devices),
            reaped_s=self._serving.reaped_s,
            elsewhere=tuple if self.agent is None else self.agent.readings,
            on_cpus=on_cpus,
            measured=measured,
        )

    @contextmanager
    def watching(self, workload: Workload, job: Job, folder: Path) -> Iterator[None]:
        """From before the load until after it."""
        with ExitStack() as asking:
            load, token = job.load, self._serving.token
            if (page := probes.probed_page(workload)) is not None:
                self.page = page.name
                self._request = probes.request_for(
                    page.path,
                    status=page.status,
                    base_url=job.base_url,
                    token=job.run_header,
                    load=load,
                    headers=job.visitor.sent(job.cookies),
                    seed=job.seed,
                )
                prober = probes.prober(self._request, load, folder=folder, marker=token)
                self._prober = asking.enter_context(prober)
            databases = self._serving.processes(DATABASE)
            logs = {process.log: process.log.stat().st_size for process in databases}
            self.census()
            self.host.look()
            self.see_cpus()
            try:
                yield
            finally:
                self.census()
                self.host.look()
                added = (logfile.since(log, size) for log, size in logs.items())
                self.log = "\n".join([self._serving.log_tail(LOG_LINES), *added])
                refused = [logfile.count(log, size, NO_SESSION) for log, size in logs.items()]
                self.sessions_refused = sum(refused) if refused else None
                asking.close()  # it asks once more while it runs
                if self._prober is not None:
                    self._probes = self._prober.probes()

    def see_cpus(self) -> None:
        """On which CPUs server and load may run: it changes when one of them pins itself."""
        self.cpus_load = affinity(self._load_pids) or self.cpus_load
        self.cpus_target = affinity(self.census.last) or self.cpus_target
        if self.cpus_load and self.cpus_target:
            self.cpus_shared.append(self.cpus_load & self.cpus_target)

    def ended(self, window: tuple[float, float]) -> Sequence[Reading]:
        """Asks an agent for what is known when the load is over, and for its last readings."""
        if self.agent is None:
            return ()
        readings = self.agent.ended(window)
        self.cpus_target = frozenset(self.agent.seen.cpus) or None
        if self.agent.is_here and self.cpus_load and self.cpus_target:
            self.cpus_shared.append(self.cpus_load & self.cpus_target)
        return readings

    def turnover(self, window: tuple[float, float]) -> Turnover | None:
        """Which processes of the target went and came; None where that wasn't seen."""
        if self.agent is not None:
            return self.agent.seen.turnover
        return self.census.turnover(*window) if self._serving.starts else None

    def tick(self, tick: Tick) -> None:
        if self._prober is not None:
            self._prober.tick(tick.elapsed_s, tick.requests, tick.p50_s)

    @property
    def asked(self) -> list[bool]:
        """The prober's requests: whether each was answered right."""
        return [probe.outcome == RIGHT for probe in self._probes]

    def unwatched(self, done: Done) -> tuple[str, ...]:
        """What could not be seen, and which check could not be made for it."""
        if not (self._serving.starts or self.agent):
            return self.errors
        host, errors = self.host.shares(*done.window), self.errors
        if self.agent is not None:
            host, errors = self.agent.seen.host, (*errors, *self.agent.seen.errors)
        missing = (
            (self.turnover(done.window), "which processes of the server came and went", died),
            (host, "what else the machine did", noisy),
            (self.host.clock(INTERVAL_S), "whether time passed evenly", clock),
            (self.cpus_target, "on which CPUs the server may run", shared_cpus),
        )
        unseen = [f"{words} ({check.number})" for seen, words, check in missing if seen is None]
        return (*unseen, *errors)

    def probes(self, of: Segment, load: Summary, traffic: Traffic | None) -> Probes | None:
        """What the prober saw in the window of a segment; None when it was not there."""
        if self._request is None or traffic is None:
            return None
        return probes.between(self._probes, of.window, load, of.waiting_users, traffic)

    def stall(self) -> Stall | None:
        """Whether a page waits for acknowledgements; None when the prober can ask nothing."""
        return None if self._request is None else probes.stall(self._request)
