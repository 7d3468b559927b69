"""Runs one load against a responder and reads back what it wrote."""

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchsuite.core.plain import plain
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.job import Done, Job, Tick
from benchsuite.load.parent import driver
from benchsuite.load.parent.driver import load_pool
from tests.integration.command import ROOT
from tests.integration.stubs_http import RUN, Responder

WORKLOADS = "tests.integration.load_workloads"


@dataclass
class Loaded:
    """What came of a load."""

    done: Done
    ticks: list[Tick]
    samples: driver.Samples
    names: list[driver.NameEntry]
    job: Job | None = None

    def of(self, name: str) -> Any:
        """The samples of a name; none when it is unknown."""
        known = [entry.name for entry in self.names]
        return self.samples[self.samples["name"] == known.index(name)] if name in known else []

    def kinds(self, name: str) -> dict[Kind, int]:
        samples = self.of(name)
        if not len(samples):
            return {}
        kinds, counts = np.unique(samples["kind"], return_counts=True)
        return {Kind(int(kind)): int(count) for kind, count in zip(kinds, counts, strict=True)}

    def requests(self) -> int:
        scopes = np.array([entry.scope for entry in self.names], dtype=object)
        return int((scopes[self.samples["name"]] == "request").sum())

    def example(self, name: str, kind: Kind) -> str:
        return next(entry for entry in self.names if entry.name == name).examples[kind]


class Responding(Protocol):
    """Something to load: it listens there."""

    base_url: str


def a_job(responder: Responding | str, workload: str = "Get", **changes: Any) -> Job:
    """A short load of two users; options of the workload and of the profile by name."""
    of_events = ("events", "numbered", "rate")
    of_workload = ("path", "messages", "size", "binary", "publishers", *of_events)
    options = {name: changes.pop(name) for name in of_workload if name in changes}
    of_job = ("locustfile", "cookies", "unit", "dialect", "handshake_headers", "visitor")
    job = {name: changes.pop(name) for name in of_job if name in changes}
    profile = {"users": 2, "warmup_s": 0.0, "duration_s": 0.5, "timeout_s": 5.0, **changes}
    return Job(
        base_url=responder if isinstance(responder, str) else responder.base_url,
        run_header=changes.pop("run_header", RUN),
        workload_class=workload if "." in workload else f"{WORKLOADS}.{workload}",
        workload=WorkloadSpec(workload=workload.lower(), options=options),
        load=LoadProfile(**{k: v for k, v in profile.items() if k != "run_header"}),
        spool="",
        **job,
    )


def load(tmp_path: Path, job: Job, stop_at: float | None = None) -> Loaded:
    """Checks and runs a job; `stop_at` is the second of the tick at which it is stopped."""
    ticks: list[Tick] = []
    processes = job.load.processes
    with load_pool(processes, spool=tmp_path / "spool", log=tmp_path / "load.log") as pool:
        pool.check(job)

        def on_tick(tick: Tick) -> None:
            ticks.append(tick)
            if stop_at is not None and tick.elapsed_s >= stop_at:
                pool.stop()

        done = pool.run(on_tick)
        return Loaded(done, ticks, *pool.samples(), job)


def served(tmp_path, behaviours=None, workload="Get", *, stop_at=None, tls=None, **changes):
    """The load of a responder that behaves like this, which has counted for itself."""
    with Responder(behaviours, tls=tls) as responder:
        return load(tmp_path, a_job(responder, workload, **changes), stop_at), responder


MEMORY_BYTES = 256 * 1024 * 1024
CHECKING = f"""
from benchsuite.load.process import worker
import json, resource, sys
from types import SimpleNamespace
resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY_BYTES}, {MEMORY_BYTES}))
for job in sys.stdin:
    orders = SimpleNamespace(get=lambda: job)
    print(json.dumps(worker._work(SimpleNamespace(orders=orders))["message"]))
"""


def refusals(spool, *jobs):
    """What a load process that has little memory says of each of these jobs, all of which it must
    refuse. It is one for all: what it imports takes longer than they do.
    """
    told = [json.dumps(plain(replace(job, spool=str(spool)))) for job in jobs]
    done = subprocess.run(
        [sys.executable, "-c", CHECKING],
        cwd=ROOT,
        input="\n".join(told),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
