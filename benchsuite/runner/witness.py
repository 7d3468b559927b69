"""Who looks on while a load runs, and says afterwards what else happened."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchsuite import probing
from benchsuite.load.job import Done, Job
from benchsuite.results import Summary
from benchsuite.runner.serving import TARGET, Serving
from benchsuite.stats.validity import ClockCheck, HostShares, Probes, Turnover
from benchsuite.telemetry import Sampler
from benchsuite.telemetry.census import Census
from benchsuite.telemetry.clocks import Clocks
from benchsuite.telemetry.host import Host
from benchsuite.workloads.base import Workload

INTERVAL_S = 1.0
LOG_LINES = 500
"""In which the server is heard to complain about its limits."""


class Witness:
    """Watches the machine, the target's processes and a page of it, second by second."""

    def __init__(
        self, serving: Serving, load_pids: Sequence[int], clocks: Clocks | None = None
    ) -> None:
        self.census = Census(lambda: serving.pids(TARGET))
        self.host = Host(lambda: self.census.last, cpus=os.cpu_count() or 1, clocks=clocks)
        self.cpus_target: frozenset[int] | None = None
        self.cpus_load: frozenset[int] | None = None
        self.log = ""
        self._serving = serving
        self._load_pids = load_pids
        self._probes: list[probing.Probe] = []

    def sampler(self) -> Sampler:
        """Reads the telemetry of every part and of the load, and takes this witness along."""
        return Sampler(
            {
                **self._serving.parts,
                TARGET: self.census,
                "load": lambda: list(self._load_pids),
            },
            interval_s=INTERVAL_S,
            also=(self.host.look,),
        )

    @contextmanager
    def looking_on(self, workload: Workload, job: Job, folder: Path) -> Iterator[None]:
        """From before the load until after it."""
        with ExitStack() as stack:
            path = probing.probed_path(workload)
            written = folder / "none"
            if path is not None:
                written = stack.enter_context(
                    probing.prober(
                        base_url=job.base_url,
                        path=path,
                        token=job.run_header,
                        folder=folder,
                        users=job.load.users,
                        timeout_s=job.load.timeout_s,
                        keep_alive=job.load.keep_alive,
                        cookies=job.cookies,
                        seed=job.seed,
                    )
                )
            self.census()
            self.cpus_load = _affinity(self._load_pids)
            self.cpus_target = _affinity(self.census.last)
            try:
                yield
            finally:
                self.census()
                self.host.look()
                self.log = self._serving.log_tail(LOG_LINES)
                self._probes = probing.read(written)

    def turnover(self, done: Done) -> Turnover | None:
        return self.census.turnover(*done.window)

    def shares(self, done: Done) -> HostShares | None:
        return self.host.shares(*done.window)

    def clock(self) -> ClockCheck | None:
        return self.host.clock(INTERVAL_S)

    def probes(
        self, done: Done, summaries: Iterable[Summary], users: float | None
    ) -> Probes | None:
        """What the prober saw, if the journey asks nothing but its page."""
        seen = probing.between(self._probes, done.window)
        requests = [summary for summary in summaries if summary.scope == "request"]
        if seen is None or len(requests) != 1:
            return None
        return Probes(
            sent=seen.sent,
            service_times_s=seen.service_times_s,
            lateness_s=seen.lateness_s,
            load_median_s=requests[0].service_time.at(50),
            users=users,
        )


def _affinity(pids: Iterable[int]) -> frozenset[int] | None:
    """The CPUs on which any of these processes may run; None when that can't be known."""
    cpus: set[int] = set()
    for pid in pids:
        try:
            cpus |= os.sched_getaffinity(pid)
        except OSError:
            continue
    return frozenset(cpus) or None
