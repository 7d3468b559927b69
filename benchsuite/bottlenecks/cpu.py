"""The target's CPUs, its processes and their threads: L01 to L03, L07 to L10, L14 and L17."""

import math
from collections.abc import Iterator

from benchsuite.bottlenecks.evidence import CPU, DATABASE, FAILED, RUN_DELAY, TARGET, LimitEvidence
from benchsuite.bottlenecks.registry import bottleneck
from benchsuite.core.units import (
    counted,
    format_duration,
    format_number,
    format_percent,
    format_rate,
    format_ratio,
    listed,
)

FULL = 0.9  #: Of the CPUs, or of one CPU for one process.
BUSY = 0.7  #: Of the CPUs: with less in use, they are free for most.
AWAITED = 0.5  #: Of the CPUs: with less in use, they are not what requests queue for.
MOSTLY = 1 / 3  #: Of the time in the server: so much of it, a wait is what makes requests slow.
SPARE = 0.8  #: Of the CPUs: with less in use, another process finds one.
UNEVEN = 1.5
WORTH = 60.0  #: Percent of a CPU: below it, uneven processes are in nobody's way.
WAITS = 0.2
TELLING = 0.1  #: CPUs that others of them use, our own watching among these, that are worth a word.
COSTS = 1.1
LOSES = 0.97
ASGI_COSTS = 1.15

LOADS, BESIDE, STRANGERS = "load generator", "other databases", "other programs"

APART = {
    DATABASE: "Give the database CPUs or a machine of its own",
    BESIDE: "Give the databases that the run did not start other CPUs",
    LOADS: "Give the load generator CPUs of its own (--cpus-load)",
    STRANGERS: "Stop other programs",
}
"""Who may leave the target's CPUs."""


def awaited_cpus(evidence: LimitEvidence) -> bool:
    """Full of what answers; or so busy that requests spend much of their time in the server waiting
    for one, as chance arrivals do long before CPUs are full.
    """
    if (evidence.own_share or 0.0) >= FULL:
        return True
    busy, is_pressed = evidence.busy_share or 0.0, evidence.is_pressed
    if evidence.run_delay_s is None or not evidence.inside_s:
        return busy >= FULL and is_pressed
    awaited = evidence.run_delay_s >= MOSTLY * evidence.inside_s
    return awaited and (busy >= FULL or (busy >= AWAITED and is_pressed))


def users_of_cpus(evidence: LimitEvidence) -> dict[str, float]:
    """Who uses how many of the CPUs that the target may use, the most first."""
    beside = min(evidence.database_beside_percent / 100, evidence.others_cpus)
    used = {part: percent / 100 for part, percent in evidence.cpu_percent.items()}
    used |= {LOADS: evidence.load_percent / 100, BESIDE: beside}
    used[STRANGERS] = evidence.others_cpus - beside
    return dict(sorted(used.items(), key=lambda item: -item[1]))


def cpus_words(evidence: LimitEvidence) -> str:
    """ "2 CPUs are busy 91 % of the time (target 1.2), and a request waits 21 ms for one"."""
    users = [
        f"{name} {format_number(used)}"
        for name, used in users_of_cpus(evidence).items()
        if used >= (TELLING if name in (BESIDE, STRANGERS) else 0.01)
    ]
    verb = "is" if evidence.cpus == 1 else "are"
    share = format_share(evidence.busy_share)
    words = f"{_cpus(evidence)} {verb} busy {share} of the time ({listed(users)})"
    if evidence.run_delay_s:
        words += f", and a request waits {format_duration(evidence.run_delay_s)} for one"
    return words


def ceiling(evidence: LimitEvidence) -> float | None:
    """Answers per second that the CPUs can make, while a request takes as much of them."""
    return evidence.cpus / evidence.cpu_s if evidence.cpus and evidence.cpu_s else None


def promised(evidence: LimitEvidence, rate: float | None, words: str) -> str:
    """ "3 would answer up to 165 /s."; nothing where more was seen, others use the CPUs, or many
    requests failed.
    """
    seen = max(evidence.highest_rate or 0.0, evidence.rate or 0.0)
    if evidence.failed_share > FAILED or not rate or rate <= seen:
        return ""
    used = evidence.others_cpus + evidence.load_percent / 100
    if used >= TELLING * (evidence.cpus or 0.0):
        return ""
    return f"{words} up to {format_rate(rate)}."


@bottleneck("L01", "cpu", unless=("L02", "L04a"))
def no_cpu_left(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """what answers keeps at least 90 % of the CPUs busy; or requests spend a third of their time in
    the server waiting for a CPU, while 90 % are busy, or 50 % and requests queue; and the database
    uses not most of that
    """
    if not awaited_cpus(evidence) or not evidence.cpu_s or not evidence.cpus:
        return
    most, profiled = ceiling(evidence) or 0.0, evidence.profiled
    where = "runbench --flame shows where their CPU time goes"
    if profiled and profiled.function:
        where = f"{format_share(profiled.share)} of their CPU time goes in {profiled.function}, "
        where += f"{profiled.place}, and what that calls"
    elif profiled:
        where = "the flame graph shows where: no function of the project stands out"
    fix = f"Make the pages cheaper ({where}), or add CPUs."
    for name, used in users_of_cpus(evidence).items():
        if name in APART and used >= TELLING * evidence.cpus:
            fix = f"{APART[name]}, then: {fix[:1].lower()}{fix[1:]}"
            break
    verb = "are full" if (evidence.busy_share or 0.0) >= FULL else "make requests wait"
    yield {
        "says": f"The CPUs {verb} at {format_rate(evidence.rate)}.",
        "evidence": f"{cpus_words(evidence)}; a request takes {format_duration(evidence.cpu_s)} "
        "of CPU.",
        "fix": fix,
        "gain": promised(evidence, most + 1 / evidence.cpu_s, "One more CPU would answer"),
    }


@bottleneck("L02", "one-process", unless=("L09",))
def too_few_processes(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """the busiest process uses at least 90 % of a CPU, at most 80 % of the CPUs are busy, and there
    are fewer processes than CPUs
    """
    busiest, share = evidence.busiest, evidence.busy_share
    count, cpus = evidence.processes, evidence.cpus
    if not evidence.holds_gil or busiest is None or share is None or not count or not cpus:
        return
    if evidence.in_flight is not None and evidence.in_flight <= count:  # each has its process
        return
    if busiest < 100 * FULL or share > SPARE or count >= cpus:
        return
    more = count + 1
    of_target = evidence.cpu_percent[TARGET] / 100 / evidence.rate if evidence.rate else 0.0
    gain = ""
    if of_target and (most := ceiling(evidence)):
        rate = min(min(cpus, more) / of_target, most)
        gain = promised(evidence, rate, f"{counted(more, 'process')} would answer")
    yield {
        "says": f"{counted(count, 'process')} can't use more than {format_number(count)} of "
        f"{_cpus(evidence)}: one thread of each runs Python at a time.",
        "evidence": f"The busiest process uses {format_percent(busiest)} of a CPU, while "
        f"{format_share(share)} of all CPUs are busy.",
        "fix": f"Add processes ({evidence.sized}{more}), or take a server that has several.",
        "gain": gain,
    }


@bottleneck("L07", "threads-hurt", explains=(CPU, RUN_DELAY))
def threads_hurt(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """twice the threads raise the CPU time of a request by at least 10 % or lower the rate by at
    least 3 %, shown by its interval
    """
    for other in evidence.alternatives:
        same = other.processes == evidence.processes and other.interface == evidence.interface
        if not same or (evidence.threads or 0) < 2 * other.threads:
            continue
        costs = other.cpu.value >= COSTS and other.cpu.low > 1
        loses = other.rate.value <= LOSES and other.rate.high < 1
        if costs or loses:
            yield {
                "says": f"{evidence.threads} threads a process do worse than {other.threads}.",
                "evidence": f"A request takes {format_ratio(other.cpu.value)} the CPU time that it "
                f"takes with {other.threads} threads.",
                "fix": f"Use fewer threads (--threads={other.threads}).",
                "gain": f"{format_ratio(1 / other.rate.value)} the rate." if loses else "",
            }
            return


@bottleneck("L08", "too-many-processes", explains=(CPU, RUN_DELAY))
def too_many_processes(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """there are more processes than CPUs, their threads wait for a CPU at least 20 % of the time
    that they want one, and the rate is no better than with as many processes as CPUs
    """
    cpus, delay, used = evidence.cpus, evidence.run_delay_percent, evidence.cpu_percent.get(TARGET)
    if not cpus or delay is None or not used or (evidence.processes or 0) <= cpus:
        return
    share = delay / (delay + used)
    for other in evidence.alternatives:
        same = other.threads == (evidence.threads or 1) and other.interface == evidence.interface
        if same and share >= WAITS and other.processes == int(cpus) and other.rate.low <= 1:
            yield {
                "says": f"{evidence.processes} processes take turns on {_cpus(evidence)} and "
                f"answer no more than {other.processes} do.",
                "evidence": f"Threads that want a CPU wait {format_share(share)} of that time.",
                "fix": f"Use as many processes as CPUs or one more ({evidence.sized}{int(cpus)}).",
                "gain": "The memory of the others.",
            }
            return


@bottleneck("L09", "uneven")
def uneven(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """the busiest process uses at least 1.5 times as much CPU as the mean, and at least 60 % of a
    CPU, while at most 90 % of the CPUs are busy
    """
    busiest, mean = evidence.busiest_percent, evidence.mean_process_percent
    count, in_flight = evidence.processes or 0, evidence.in_flight
    if not busiest or not mean or count < 2 or (evidence.busy_share or 0.0) >= FULL:
        return
    enough = in_flight is None or in_flight >= 0.9 * count  # for all of them to do something
    if enough and busiest >= WORTH and busiest >= UNEVEN * mean:
        yield {
            "says": f"One of {evidence.processes} processes does "
            f"{format_ratio(busiest / mean)} of its share.",
            "evidence": f"The busiest uses {format_percent(busiest)} of a CPU, on average they "
            f"use {format_percent(mean)}.",
            "fix": "See what --no-keep-alive changes: where connections stay with the process that "
            "accepted them, let each listen by itself (an option reuse_port), or put a front that "
            "balances requests before them.",
        }


@bottleneck("L14", "sync-under-asgi")
def sync_under_asgi(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """an ASGI server needs at least 1.15 times the CPU time of a request that WSGI needs, shown by
    its interval
    """
    if evidence.interface != "asgi":
        return
    for other in evidence.alternatives:
        if other.interface == "wsgi" and other.cpu.value >= ASGI_COSTS and other.cpu.low > 1:
            yield {
                "says": "These views cost more under ASGI than under WSGI.",
                "evidence": f"A request takes {format_ratio(other.cpu.value)} the CPU time that "
                "it takes under WSGI.",
                "fix": "Serve them by WSGI, or make those async that are sync.",
                "gain": f"{format_ratio(other.cpu.value)} the rate, where the CPU is the limit.",
            }
            return


def _cpus(evidence: LimitEvidence) -> str:
    return f"{format_number(evidence.cpus)} CPU{'s' * (evidence.cpus != 1)}"


def format_share(share: float | None) -> str:
    """In percent: "25 %"."""
    return format_percent(None if share is None else 100 * share)


TAKEN = 0.85  #: Of the slots.
QUEUES = 0.1  #: Of the response time.
FREE = 0.6
TAIL = 3.0


@bottleneck("L03", "slots-full", unless=("L02", "L04a", "L04b", "L05", "L06", "L09", "L13", "L17"))
def slots_full(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """at least 85 % of the threads have a request and others wait for one, while what answers uses
    less than 70 % of the CPUs, and L01 does not speak
    """
    taken = evidence.slots_share
    if evidence.served_alike is not None and evidence.slots:  # as one user's time and the rate say
        taken = min(1.0, evidence.served_alike / evidence.slots)
    inside_s = evidence.alone.mean_s if evidence.alone else evidence.inside_s
    if taken is None or taken < TAKEN or evidence.own_share is None or not evidence.response_s:
        return
    if awaited_cpus(evidence) or (evidence.own_share or 0.0) >= BUSY:
        return
    waits_s = (evidence.queue_s or 0.0) + evidence.wait_s
    if waits_s < QUEUES * evidence.response_s or (evidence.busiest or 0.0) >= 100 * FULL:
        return
    if not inside_s or not evidence.own_cpu_s or not evidence.cpus:
        return
    fix, gain = ASK_ONE_USER, ""
    if evidence.alone:  # as many as keep the CPUs busy
        slots = math.ceil(evidence.cpus * inside_s / evidence.own_cpu_s)
        each = math.ceil(slots / (evidence.processes or 1))
        wanted = f"--threads={each}" if evidence.sets_threads else f"{evidence.sized}{slots}"
        fix = f"As many as keep the CPUs busy would be {wanted}."
        rate = (evidence.rate or 0.0) * max(1.0, slots / (evidence.slots or slots))
        most = min(rate, ceiling(evidence) or rate)
        gain = promised(evidence, most, "If what they wait for bears it, they would answer")
    yield {
        "says": f"All {evidence.slots} slots are taken, by requests that wait and use no CPU.",
        "evidence": f"{format_share(taken)} of the slots have a request, "
        f"what answers uses {format_share(evidence.own_share)} of the CPUs; a request waits "
        f"{format_duration(waits_s)} for a slot, is {format_duration(inside_s)} in it, and "
        f"computes for {format_duration(evidence.own_cpu_s)} of that.",
        "fix": fix,
        "gain": gain,
    }


ASK_ONE_USER = (
    "Ask with one user, too (--users=1): that tells whether more slots help, or whether requests "
    "wait for each other, as for a lock."
)


SLOWED = 2.0  #: Times the response time of one user.
ONE = 0.7  #: Of one request at a time, that get on: with fewer it is no limit, but chance.


@bottleneck(
    "L17",
    "few-at-a-time",
    unless=("L01", "L02", "L04", "L04a", "L04b", "L05", "L06", "L09", "L11", "L13"),
)
def few_at_a_time(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """a request is at least twice as long in the server as one user's, while what answers uses less
    than half of the CPUs and of the busiest process, and requests don't wait for a CPU
    """
    # More users make requests longer and not more: a lock, or a semaphore.
    served, inside_s, alone = evidence.served_alike, evidence.inside_s, evidence.alone
    if not served or served < ONE or not inside_s or alone is None or evidence.slots is None:
        return
    waits_s = inside_s - (evidence.run_delay_s or 0.0)
    if waits_s < SLOWED * alone.mean_s or awaited_cpus(evidence):
        return
    own = evidence.own_share
    if own is None or own >= AWAITED or (evidence.busiest or 0.0) >= 100 * AWAITED:
        return
    yield {
        "says": "Requests wait for each other, and not for CPUs: as behind a lock or a semaphore.",
        "evidence": f"A request is {format_duration(inside_s)} in the server, and one user's "
        f"{format_duration(alone.mean_s)}; {format_share(own)} of the CPUs are used. "
        f"At {format_rate(evidence.rate)} that is as if only "
        f"{format_number(served)} of {format_number(evidence.inside)} got on at a time.",
        "fix": "Look for what lets so few in: a lock or semaphore of the project, a file that is "
        "locked, or another service that answers few at once. More threads don't help.",
    }


@bottleneck(
    "L10", "head-of-line", unless=("L03", "L04", "L04a", "L04b", "L05", "L06", "L09", "L13", "L17")
)
def head_of_line(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """less than 60 % of the threads and, by what answers, less than 70 % of the CPUs and of the
    busiest process are in use, and requests don't wait for a CPU; yet p95 is at least three times
    that of one user; with event loops, too, which have no limit of requests
    """
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
            f"{format_share(own if loops else taken)} of the "
            f"{'CPUs are used by what answers' if loops else 'slots have a request'}.",
            "fix": "See with --diagnose what they wait for: in an event loop each other, where "
            "something blocks it (sync code, files); more processes then help."
            if loops
            else "See with --diagnose what they wait for; where it is slow pages, give these "
            "processes of their own.",
        }
