"""The evidence of a run that nothing limits, and which rules speak of a changed one."""

from dataclasses import replace
from typing import Any

from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import LimitEvidence, Other
from benchsuite.bottlenecks.registry import Limit
from benchsuite.stats.compare import Estimate

HEALTHY = LimitEvidence(
    rate=40.0,
    offered_rate=40.0,
    response_s=0.05,
    wait_s=0.0005,
    p95_s=0.08,
    in_flight=2.0,
    queued=0.02,
    processes=2,
    threads=4,
    slots=8,
    interface="wsgi",
    reached_words="A limit was reached.",
    cpus=2.0,
    cpu_percent={"target": 80.0, "database": 10.0},
    busiest_percent=45.0,
    run_delay_percent=8.0,
    active=1.0,
    active_samples=20,
    waits={"Client:ClientRead": 0.1, "IO:WALSync": 0.05},
    connections=8,
    connections_limit=97,
    connections_wanted=8,
    memory_bytes=200 * 2**20,
    memory_limit_bytes=2**30,
    memory_pressure_percent=0.1,
    major_faults_per_s=0.0,
)
"""40 requests a second of 20 ms CPU and 25 ms in the database, on two CPUs."""


def of(**changes: Any) -> dict[str, Limit]:
    """Number of the rule → what it says."""
    limits = bottlenecks.name(replace(HEALTHY, **changes))
    assert all(one.says and one.evidence and one.fix for one in limits)
    return {one.code.split()[0]: one for one in limits}


def other(rate: float = 1.0, cpu: float = 1.0, **fields: Any) -> Other:
    """Another configuration, with this run's figures in relation to its, ±1 %."""
    ratios = {
        name: Estimate(value=value, low=value * 0.99, high=value * 1.01)
        for name, value in (("rate", rate), ("cpu", cpu))
    }
    return Other(**{"processes": 2, "threads": 4, "interface": "wsgi", **ratios, **fields})
