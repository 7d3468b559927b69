"""From a stored run to what limits it: the evidence that its rows hold."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchsuite.bottlenecks.evidence import Alone, Diagnosis, LimitEvidence, Profiled
from benchsuite.core import readings as names
from benchsuite.core.metrics.every import whole
from benchsuite.core.plain import read
from benchsuite.core.readings import DATABASE, LOAD, TARGET, in_window, mean_cpu_percent, memory
from benchsuite.core.results import Level, Pattern, Verdict
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import OPEN, LoadProfile
from benchsuite.models import Measurement, Run
from benchsuite.stats import stacks
from benchsuite.stats.signs import IN_VAIN
from benchsuite.stats.steady import growth

NOT_ANSWERING = frozenset({LOAD, "delay", "api"})  #: Parts that measure, or are elsewhere.

ALONE = 0.25  #: Requests in flight, on average, of which hardly any meets another one.

STANDS_OUT = 0.05  #: Of the CPU time: a function of the project that takes less isn't named.

Counts = Sequence[Mapping[str, int]]  #: What readings count, each by name.


def evidence(run: Run, **more: Any) -> LimitEvidence | None:
    """The evidence of a run over its window; None without answered requests or a watched target.
    `more` are fields that rows don't hold. Of a diagnostic start only that counts.
    """
    total = whole(run)
    facts = run.server_facts
    readings: Sequence[Any] = list(run.readings.all())
    starts, parts = facts.get("starts", True), {one.part for one in readings} - NOT_ANSWERING
    if total is None or run.unit != REQUEST or not total.requests or not (starts or parts):
        return None
    # runs of before know but their interface
    reuses = bool(facts.get("reuses_connections", facts.get("interface") != "asgi"))
    if run.diagnosis:
        own = {"diagnosis": diagnosis(run), "reuses_connections": reuses}
        return LimitEvidence(**{**own, **more}) if own["diagnosis"] else None
    window = _window(run)
    response = total.response_time or {}
    in_vain = sum(total.failures_by_kind.get(kind.words, 0) for kind in IN_VAIN)
    server, load = run.part("server"), run.part("load")
    python = run.software.data.get("python", {}) if run.software else {}
    machine: Mapping[str, Any] = run.environment.data if run.environment else {}
    used = {part: mean_cpu_percent(readings, part, window) for part in parts}
    pinned = server.get("cpus") and load.get("cpus")
    shared = not pinned or not {*server["cpus"]}.isdisjoint(load["cpus"])
    if not starts:  # which B403 tells of a target that an agent watched
        shared = any(one.code.startswith("B403") for one in run.findings.all())
    memory_limit = str(machine.get("cgroup_memory_max") or "")
    grown = growth(memory(readings, TARGET, window))
    target = [one.counts for one in in_window(readings, TARGET, window) if one.counts]
    findings = [one for one in run.findings.all() if one.level != Level.INFO.value]
    weighty = {one.code.split()[0]: one for one in findings}
    limit, stall = weighty.get("B204"), weighty.get("B205")
    figures = {
        "window_s": window[1] - window[0] if window else None,
        "rate": total.throughput,
        "highest_rate": highest_rate(run),
        "offered_rate": total.offered_rate,
        "dropped": total.dropped or 0,
        "response_s": response.get("mean_s"),
        "wait_s": (total.wait_time or {}).get("mean_s") or 0.0,
        "p95_s": response.get("p95_s"),
        "patterns": read(list[Pattern], total.patterns),
        "in_flight": total.concurrency,
        "queued": total.queued,
        "failed_share": total.failures / total.requests,
        "in_vain_share": in_vain / total.requests,
        "processes": run.processes and run.processes * (server.get("instances") or 1),
        "threads": run.threads,
        "sets_threads": facts.get("threads_word") is not None,
        "slots": facts.get("at_once"),
        "connections_wanted": facts.get("connections"),
        "interface": facts.get("interface") or "",
        "reuses_connections": reuses,
        "holds_gil": python.get("gil", True) is not False,
        "pool": run.part("database").get("pool"),
        "cpus": _cpus(server.get("cpus"), machine),
        "cpu_percent": {part: percent for part, percent in used.items() if percent is not None},
        "load_percent": (mean_cpu_percent(readings, LOAD, window) or 0.0) if shared else 0.0,
        "memory_bytes": run.memory_bytes,
        "memory_limit_bytes": int(memory_limit)
        if memory_limit.isdecimal()
        else machine.get("memory_total_bytes"),
        "memory_grows": grown.value if grown else None,
        "busiest_percent": _mean(target, names.BUSIEST),
        "run_delay_percent": _mean(target, names.RUN_DELAY),
        "idle_percent": _mean(target, names.IDLE),
        "major_faults_per_s": _mean(target, names.MAJOR_FAULTS),
        "memory_pressure_percent": _mean(target, names.MEMORY_WAIT),
        "database_beside_percent": _mean(target, names.DATABASE_BESIDE) or 0.0,
        "reached": limit.causes if limit else (),
        "reached_words": limit.message if limit else "",
        "stall": stall.message if stall else "",
        **_sessions(in_window(readings, DATABASE, window)),
    }
    return LimitEvidence(**{**figures, **more})


def _sessions(readings: Sequence[Any]) -> dict[str, Any]:
    """Sessions at work are counted at each reading: their mean is that of the window."""
    counts: Counts = [one.counts for one in readings if one.counts]
    if not counts:
        return {}
    total: Counter[str] = Counter()
    for of_reading in counts:
        total.update(of_reading)
    active, start = total[names.ACTIVE], names.WAITS_FOR
    waits = {name.removeprefix(start): total[name] for name in total if name.startswith(start)}
    limits = [of_reading[names.LIMIT] for of_reading in counts if names.LIMIT in of_reading]
    return {
        "active": active / len(counts),
        "active_samples": active,
        "waits": {event: many / active for event, many in waits.items()} if active else {},
        "connections": names.most_sessions(readings),
        "connections_limit": max(limits, default=None),
    }


def highest_rate(run: Run, neighbours: Iterable[Run] = ()) -> float | None:
    """The most answers per second, at any level of it or of those that did the same work here."""

    def work(run: Run) -> tuple[Any, ...]:
        cpus = run.part("server").get("cpus")
        return run.part("workload"), cpus, run.revision, run.environment_id

    rates: list[float | None] = [one.throughput for one in run.measurements.all()]
    beside = [other for other in neighbours if other.pk != run.pk and not other.diagnosis]
    rates += [other.goodput for other in beside if work(other) == work(run)]
    return max(filter(None, rates), default=None)


def alone(run: Run, neighbours: Iterable[Run] = ()) -> Alone | None:
    """The times of one user: of its lowest stage, else of a run that differs in load alone."""

    def asked(run: Run) -> tuple[Any, ...]:
        keeps, is_diagnosed = run.part("load").get("keep_alive"), bool(run.diagnosis)
        made_with = (run.revision, run.software_id, run.environment_id)
        return run.asked("load"), keeps, is_diagnosed, made_with

    stages = [one for one in run.measurements.all() if one.scope == "stage"]
    lowest = min(stages, key=lambda item: item.level or 0.0, default=None)
    own = _alone(run, lowest) if lowest and lowest.level != run.level else None
    same = (one for one in neighbours if one.pk != run.pk and asked(one) == asked(run))
    return own or next(filter(None, map(one_user, same)), None)


def one_user(run: Run) -> Alone | None:
    """The times of a whole run, if it is of one user, and believable."""
    total = whole(run)
    if total is None or run.unit != REQUEST or run.verdict not in (Verdict.VALID, Verdict.WEAK):
        return None
    return _alone(run, total)


def _alone(run: Run, seen: Measurement) -> Alone | None:
    response, met = seen.response_time or {}, seen.concurrency
    if run.model == OPEN:
        was_alone = met is not None and met <= ALONE
    else:
        was_alone = (seen.level or run.users) == 1
    if not was_alone or seen.failures or not response.get("mean_s"):
        return None
    return Alone(mean_s=response["mean_s"], p95_s=response.get("p95_s"))


def diagnosis(run: Run) -> Diagnosis | None:
    """What a diagnostic start has seen of queries and pauses; None for others."""
    data = run.diagnosis or {}
    pages = data.get("pages", ())
    requests = sum(page["requests"] for page in pages)
    if not requests:
        return None
    named = ("request_s", "queries", "query_s", "connecting_s")
    sums = {name: sum(page["requests"] * page[name] for page in pages) for name in named}
    return Diagnosis(
        requests=requests,
        loaded=run.model == OPEN,
        pages=pages,
        collecting_share=data["paused_s"] / data["cpu_s"] if data["cpu_s"] else 0.0,
        longest_pause_s=data["longest_pause_s"],
        **{name: float(total / requests) for name, total in sums.items()},
    )


def profiled(run: Run) -> Profiled | None:
    """The function that a profiled start names; None for others."""
    data = (run.diagnosis or {}).get("flame")
    if not data:
        return None
    project = frozenset(data["project"])
    samples_by_call = stacks.nearest(stacks.unpacked(data["stacks"]), project.__contains__)
    call, samples = max(samples_by_call.items(), key=lambda item: item[1], default=("", 0))
    if samples < STANDS_OUT * data["samples"]:
        return Profiled()
    function, place = stacks.words(call)
    return Profiled(function=function, place=place, share=samples / data["samples"])


def _window(run: Run) -> tuple[float, float] | None:
    """The span that the figures of a run are of, in seconds since its first request."""
    data = run.part("load")
    if not data:
        return None
    load = LoadProfile.from_json(data)
    if load.iterations is not None:
        return 0.0, run.duration_s
    stages = [stage for stage in load.plan if run.level in (None, stage.level)]
    return (stages[0].window_start_s, stages[0].window_end_s) if stages else None


def _cpus(own: Sequence[int] | None, facts: Mapping[str, Any]) -> float | None:
    """How many the target may use, by its affinity and the quota of its control group."""
    usable = len(own) if own else facts.get("cpu_usable")
    quota = str(facts.get("cgroup_cpu_max") or "").split()
    worth = [float(one) for one in quota if one.isdecimal()]
    if usable and worth:
        _, period_us = (*worth, 100_000)[:2]  # where only the quota is known, the kernel's own
        return min(float(usable), worth[0] / period_us)
    return float(usable) if usable else None


def _mean(counts: Counts, name: str) -> float | None:
    known = [one[name] for one in counts if name in one]
    return fmean(known) if known else None
