"""Requests that wait for a thread: L03 and L10."""

import math
from collections.abc import Iterator

from benchsuite.bottlenecks.cpu import BUSY, FULL, MOSTLY, awaited_cpus, ceiling
from benchsuite.bottlenecks.evidence import Evidence
from benchsuite.bottlenecks.registry import bottleneck
from benchsuite.core.units import format_duration, format_number, format_percent, format_rate

TAKEN = 0.85  #: Of the slots.
QUEUES = 0.1  #: Of the response time.
FREE = 0.6
TAIL = 3.0


@bottleneck(
    "L03",
    "slots-full",
    when="at least 85 % of the threads have a request and others wait for one, while what answers "
    "uses less than 70 % of the CPUs, and L01 does not speak",
    unless=("L02", "L04a", "L04b", "L05", "L06", "L09", "L13"),
)
def slots_full(evidence: Evidence) -> Iterator[dict[str, str]]:
    taken, busy = _taken(evidence), evidence.busy_share
    processes, inside_s, cpu_s = evidence.processes, _inside_s(evidence), evidence.own_cpu_s
    if taken is None or busy is None or taken < TAKEN or not evidence.response_s:
        return
    if awaited_cpus(evidence) or (evidence.own_share or 0.0) >= BUSY:
        return
    waits_s = (evidence.queue_s or 0.0) + evidence.wait_s
    if waits_s < QUEUES * evidence.response_s or (evidence.busiest or 0.0) >= 100 * FULL:
        return
    if not processes or not inside_s or not cpu_s or not evidence.cpus or not evidence.rate:
        return
    slots = math.ceil(evidence.cpus * inside_s / cpu_s)
    each = math.ceil(slots / processes)
    wanted = f"--threads={each}" if evidence.sets_threads else f"--processes={slots}"
    fix = f"As many as keep the CPUs busy would be {wanted}"
    if evidence.connections_limit and slots > evidence.connections_limit:
        fix += f", but the database gives {evidence.connections_limit} connections"
    if not evidence.sets_threads:
        fix += "; a server with threads needs less memory for that"
    rate = evidence.rate * max(1.0, slots / (evidence.slots or slots))
    most = min(rate, ceiling(evidence) or rate)
    yield {
        "says": f"All {evidence.slots} slots are taken, by requests that wait and use no CPU.",
        "evidence": f"{format_percent(100 * taken)} of the slots have a request, "
        f"{format_percent(100 * busy)} of the CPUs are busy; a request waits "
        f"{format_duration(waits_s)} for a slot, is {format_duration(inside_s)} in it, and "
        f"computes for {format_duration(cpu_s)} of that.",
        "fix": f"{fix}.",
        "gain": f"Up to {format_rate(most)}, if what they wait for bears it.",
    }


@bottleneck(
    "L10",
    "head-of-line",
    when="less than 60 % of the threads and, by what answers, less than 70 % of the CPUs and of "
    "the busiest process are in use, and requests don't wait for a CPU; yet p95 is at least three "
    "times that of one user; with event loops, too, which have no limit of requests",
    unless=("L03", "L04", "L04a", "L04b", "L05", "L06", "L09", "L13"),
)
def head_of_line(evidence: Evidence) -> Iterator[dict[str, str]]:
    loops = evidence.slots is None and evidence.interface == "asgi"
    taken = 0.0 if loops else evidence.slots_share
    own, alone, p95_s = evidence.own_share, evidence.alone, evidence.p95_s
    if taken is None or own is None or alone is None or not alone.p95_s or p95_s is None:
        return
    if taken >= FREE or own >= BUSY or (evidence.busiest or 0.0) >= 100 * BUSY:
        return
    if evidence.run_delay_s is None:
        awaits = (evidence.busy_share or 0.0) >= BUSY
    else:
        awaits = evidence.run_delay_s >= MOSTLY * (evidence.inside_s or 0.0)
    if not awaits and p95_s >= TAIL * alone.p95_s:
        yield {
            "says": "Requests take longer among others, and not for want of CPUs or threads.",
            "evidence": f"p95 is {format_duration(p95_s)}, of one user "
            f"{format_duration(alone.p95_s)} ({format_number(p95_s / alone.p95_s)} times); "
            f"{format_percent(100 * (own if loops else taken))} of the "
            f"{'CPUs are used by what answers' if loops else 'slots have a request'}.",
            "fix": "See with --diagnose what they wait for: in an event loop each other, where "
            "something blocks it (sync code, files); more processes then help."
            if loops
            else "See with --diagnose what they wait for; where it is slow pages, give these "
            "processes of their own.",
        }


def _inside_s(evidence: Evidence) -> float | None:
    return evidence.alone.mean_s if evidence.alone else evidence.inside_s


def _taken(evidence: Evidence) -> float | None:
    """Share of the slots: as one user's time and the rate make it, else as it was counted."""
    if evidence.alone and evidence.slots and evidence.rate:
        return min(1.0, evidence.rate * evidence.alone.mean_s / evidence.slots)
    return evidence.slots_share
