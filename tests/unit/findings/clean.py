"""The evidence of a run with nothing wrong, and what the checks say of a changed one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchsuite import findings as validity
from benchsuite.core.observations import (
    ClockCheck,
    Cluster,
    Connection,
    Evidence,
    HostShares,
    Probes,
    Turnover,
)
from benchsuite.core.results import Arrivals, Distribution, Finding, Interval, Phase, Summary


def planned(offered: float, achieved: float, dropped: int = 0) -> Arrivals:
    return Arrivals(offered_rate=offered, achieved_rate=achieved, late=0, dropped=dropped)


def summary(**changes: Any) -> Summary:
    """1 000 requests in 10 s at 100 ms each, as 10 users make them."""
    times = Distribution(
        count=1000, mean_s=0.1, min_s=0.09, max_s=0.2, percentiles={50: 0.1, 95: 0.15, 99: 0.18}
    )
    clean = Summary(
        name="all requests",
        scope="all",
        requests=1000,
        failures=0,
        throughput=100.0,
        goodput=100.0,
        response_time=times,
        service_time=times,
        concurrency=10.0,
    )
    return replace(clean, **changes)


def intervals(counts: list[int], medians: list[float | None] | None = None) -> list[Interval]:
    """One interval a second."""
    times = medians or [0.1] * len(counts)
    return [
        Interval(second=second, phase=Phase.WINDOW, successes=count, failures=0, p50_s=median)
        for second, (count, median) in enumerate(zip(counts, times, strict=True))
    ]


CLEAN = Evidence(
    total=summary(),
    intervals=intervals([100, 99, 101, 100, 102, 98, 100, 101, 99, 100]),
    window=(0.0, 10.0),
    load_cpu_percent=30.0,
    load_lag_p99_s=0.0004,
    ceiling_rate=5000.0,
    arrivals=planned(100.0, 100.0),
    waiting_users=10.0,
    probes=Probes(
        sent=50,
        answered=50,
        connections=(Connection(times_s=(0.1, 0.1)),) * 25,
        lateness_s=0.0001,
        load=summary(),
        users=10.0,
    ),
    turnover=Turnover(),
    log="Booting worker\n",
    cluster=Cluster(at_s=0.04, percent=1.0),
    answers_by_user=(100,) * 10,
    host=HostShares(
        steal_percent=0.1,
        others_percent=2.0,
        throttled_percent=0.0,
        memory_pressure_percent=0.0,
        listen_overflows=0,
    ),
    clock=ClockCheck(wall_step_s=0.0001, gap_s=0.02),
    cpus_shared=(frozenset(),) * 10,
    work_s={"target": (0.0001,) * 10, "load": (0.0001,) * 10},
)


def found(**changes: Any) -> dict[str, Finding]:
    """Findings by number, of the clean run with these changes."""
    findings = validity.assess(replace(CLEAN, **changes))
    return {finding.code.split()[0]: finding for finding in findings}


def words(findings: dict[str, Finding] | Sequence[Finding] | Finding | None) -> str:
    """All that they say."""
    if findings is None or isinstance(findings, Finding):
        findings = [findings] if findings else []
    several = findings.values() if isinstance(findings, dict) else findings
    return "\n".join(map(_words, several)) or "no finding"


def _words(finding: Finding) -> str:
    value = "" if finding.value is None else f" ({finding.value:.6g}{finding.unit})"
    stages = f" at {', '.join(finding.stages)}" if finding.stages else ""
    lines = [f"{finding.code}, {finding.level.value}{value}{stages}: {finding.message}"]
    lines += [f"Hint: {finding.hint}"] if finding.hint else []
    return "\n".join(lines).replace("\u2009", "_")
