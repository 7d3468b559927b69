"""From a stored run to what limits it: the evidence that its rows hold."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchsuite.bottlenecks.evidence import Alone, Diagnosis, LimitEvidence, Profiled, Repeated
from benchsuite.core.metrics.reading import whole
from benchsuite.core.plain import read
from benchsuite.core.readings import (
    ACTIVE,
    BUSIEST,
    DATABASE,
    DATABASE_BESIDE,
    IDLE,
    LIMIT,
    LOAD,
    MAJOR_FAULTS,
    MEMORY_WAIT,
    RUN_DELAY,
    TARGET,
    WAITS_FOR,
    in_window,
    mean_cpu_percent,
    memory,
)
from benchsuite.core.results import Level, Pattern, Reading, Verdict
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import OPEN, LoadProfile
from benchsuite.models import Finding, Measurement, Run
from benchsuite.stats import stacks
from benchsuite.stats.memory import growth
from benchsuite.stats.signs import IN_VAIN

NOT_ANSWERING = frozenset({LOAD, "delay", "api"})
"""Parts that measure, or stand for what is not on the machine."""

PERIOD_US = 100_000  #: Of a quota of CPU time, where only the quota is known.

ALONE = 0.25
"""Requests in flight, on average, of which hardly any meets another one, though they come by
chance."""

LOADS = frozenset({"load", "label", "repetition", "seed"})
"""What the spec of a run says of its load and its place in a series, not of what is measured."""

STANDS_OUT = 0.05
"""Of the CPU time, which a function of the project must take at least to be named."""


def evidence(run: Run, stage: Measurement | None = None, **more: Any) -> LimitEvidence | None:
    """The evidence of a run over the window of its figures, or over that of a stage.

    `more` are fields of it that rows don't hold: one user's times, other configurations, an
    objective, a diagnosis. None where no requests were answered. Of a diagnostic start only its
    diagnosis counts.
    """
    total = stage or whole(run)
    if total is None or run.unit != REQUEST or not total.requests:
        return None
    if run.diagnosis:
        own = diagnosis(run)
        if own is None:
            return None
        facts = {"diagnosis": own, "reuses_connections": _reuses_connections(run)}
        return LimitEvidence(**{**facts, **more})
    window = _window(run, stage)
    readings: Sequence[Any] = list(run.readings.all())
    seen = {part: in_window(readings, part, window) for part in {one.part for one in readings}}
    figures = {
        **_load(run, total),
        **_server(run),
        **_machine(run, readings, window),
        **_target(seen.get(TARGET, [])),
        "window_s": window[1] - window[0] if window else None,
        **_database(seen.get(DATABASE, [])),
        **_findings(run.findings.all()),
        "highest_rate": highest_rate(run),
    }
    return LimitEvidence(**{**figures, **more})


def highest_rate(run: Run, neighbours: Iterable[Run] = ()) -> float | None:
    """The most answers per second, right ones of neighbours, at any level of it or of those that
    did the same work on this machine, whatever served them.
    """
    rates: list[float | None] = [one.throughput for one in run.measurements.all()]
    rates += [
        one.goodput
        for one in neighbours
        if one.pk != run.pk and _work(one) == _work(run) and not one.diagnosis
    ]
    return max((one for one in rates if one), default=None)


def alone(run: Run, neighbours: Iterable[Run] = ()) -> Alone | None:
    """The times of one user: of the lowest of its own stages, if its requests met nobody, else of
    another run that differs in its load alone. None where nobody was ever alone.
    """
    stages = [one for one in run.measurements.all() if one.scope == "stage"]
    lowest = min(stages, key=lambda item: item.level or 0.0, default=None)
    own = _alone(run, lowest) if lowest and lowest.level != run.level else None
    same = (one for one in neighbours if one.pk != run.pk and _asked(one) == _asked(run))
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


def _asked(run: Run) -> tuple[Any, ...]:
    """What was served of which code on which machine: everything but the load."""
    parts = {name: one for name, one in run.spec.items() if name not in LOADS}
    keeps = _part(run, "load").get("keep_alive")
    return parts, keeps, run.revision, run.software_id, run.environment_id, bool(run.diagnosis)


def _work(run: Run) -> tuple[Any, ...]:
    """What was asked of which code on which machine, and of how many CPUs."""
    server = _part(run, "server")
    return _part(run, "workload"), server.get("cpus"), run.revision, run.environment_id


def diagnosis(run: Run) -> Diagnosis | None:
    """What a diagnostic start has seen of queries and pauses; None for others."""
    data = run.diagnosis
    if not data or "pages" not in data:
        return None
    pages = data["pages"]
    requests = sum(one["requests"] for one in pages)
    if not requests:
        return None

    def mean(name: str) -> float:
        return float(sum(one["requests"] * one[name] for one in pages) / requests)

    return Diagnosis(
        requests=requests,
        loaded=run.model == OPEN,
        request_s=mean("request_s"),
        queries=mean("queries"),
        query_s=mean("query_s"),
        connecting_s=mean("connecting_s"),
        repeated=[
            Repeated(
                query=one["query"],
                place=one["place"],
                page=page["page"],
                times=one["times"],
                share=one["query_s"] / page["request_s"] if page["request_s"] else 0.0,
            )
            for page in pages
            for one in page["shapes"]
        ],
        collecting_share=data["paused_s"] / data["cpu_s"] if data["cpu_s"] else 0.0,
        longest_pause_s=data["longest_pause_s"],
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


def _load(run: Run, total: Measurement) -> dict[str, Any]:
    response = total.response_time or {}
    in_vain = sum(total.failures_by_kind.get(kind.words, 0) for kind in IN_VAIN)
    return {
        "rate": total.throughput,
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
    }


def _server(run: Run) -> dict[str, Any]:
    server, facts = _part(run, "server"), run.server_facts
    python = run.software.data.get("python", {}) if run.software else {}
    database = _part(run, "database")
    return {
        "processes": run.processes and run.processes * (server.get("instances") or 1),
        "threads": run.threads,
        "sets_threads": facts.get("threads_word") is not None,
        "slots": facts.get("at_once"),
        "connections_wanted": facts.get("connections"),
        "interface": facts.get("interface") or "",
        "reuses_connections": _reuses_connections(run),
        "holds_gil": python.get("gil", True) is not False,
        "pool": database.get("pool"),
    }


def _reuses_connections(run: Run) -> bool:
    """Runs of before know but their interface."""
    facts = run.server_facts
    return bool(facts.get("reuses_connections", facts.get("interface") != "asgi"))


def _machine(
    run: Run, readings: Sequence[Any], window: tuple[float, float] | None
) -> dict[str, Any]:
    facts: Mapping[str, Any] = run.environment.data if run.environment else {}
    parts = {one.part for one in readings} - NOT_ANSWERING
    used = {part: mean_cpu_percent(readings, part, window) for part in parts}
    own, loads = _part(run, "server").get("cpus"), _part(run, "load").get("cpus")
    shared = not own or not loads or bool({*own} & {*loads})
    grown = growth(memory(readings, TARGET, window))
    return {
        "cpus": _cpus(own, facts),
        "cpu_percent": {part: one for part, one in used.items() if one is not None},
        "load_percent": (mean_cpu_percent(readings, LOAD, window) or 0.0) if shared else 0.0,
        "memory_bytes": run.memory_bytes,
        "memory_limit_bytes": _memory_limit(facts),
        "memory_grows": grown.value if grown else None,
    }


def _target(readings: Sequence[Reading]) -> dict[str, Any]:
    counts = [one.counts for one in readings if one.counts]
    return {
        "busiest_percent": _mean(counts, BUSIEST),
        "run_delay_percent": _mean(counts, RUN_DELAY),
        "idle_percent": _mean(counts, IDLE),
        "major_faults_per_s": _mean(counts, MAJOR_FAULTS),
        "memory_pressure_percent": _mean(counts, MEMORY_WAIT),
        "database_beside_percent": _mean(counts, DATABASE_BESIDE) or 0.0,
    }


def _database(readings: Iterable[Reading]) -> dict[str, Any]:
    """Sessions at work are counted at each reading: their mean is that of the window."""
    counts = [of_reading.counts for of_reading in readings if of_reading.counts]
    if not counts:
        return {}
    limits = [of_reading[LIMIT] for of_reading in counts if LIMIT in of_reading]
    active = sum(of_reading.get(ACTIVE, 0) for of_reading in counts)
    waits: Counter[str] = Counter()
    for of_reading in counts:
        waits.update(
            {
                name.removeprefix(WAITS_FOR): many
                for name, many in of_reading.items()
                if name.startswith(WAITS_FOR)
            }
        )
    return {
        "active": active / len(counts),
        "active_samples": active,
        "waits": {event: many / active for event, many in waits.items()} if active else {},
        "connections": max(
            sum(
                many
                for name, many in of_reading.items()
                if name != LIMIT and not name.startswith(WAITS_FOR)
            )
            for of_reading in counts
        ),
        "connections_limit": max(limits, default=None),
    }


def _findings(findings: Iterable[Finding]) -> dict[str, Any]:
    weighty = {one.code.split()[0]: one for one in findings if one.level != Level.INFO.value}
    limit, stall = weighty.get("B204"), weighty.get("B205")
    return {
        "reached": limit.causes if limit else (),
        "reached_words": limit.message if limit else "",
        "stall": stall.message if stall else "",
    }


def _window(run: Run, stage: Measurement | None) -> tuple[float, float] | None:
    """The span that the figures of a run are of, in seconds since its first request."""
    data = _part(run, "load")
    if not data:
        return None
    load = LoadProfile.from_json(data)
    if load.iterations is not None:
        return 0.0, run.duration_s
    level = stage.level if stage else run.level
    stages = [one for one in load.plan if level in (None, one.level)]
    return (stages[0].window_start_s, stages[0].window_end_s) if stages else None


def _cpus(own: Sequence[int] | None, facts: Mapping[str, Any]) -> float | None:
    """How many the target may use, by its affinity and the quota of its control group."""
    usable = len(own) if own else facts.get("cpu_usable")
    quota = str(facts.get("cgroup_cpu_max") or "").split()
    worth = [float(one) for one in quota if one.isdecimal()]
    if usable and worth:
        return min(float(usable), worth[0] / (worth[1] if len(worth) > 1 else PERIOD_US))
    return float(usable) if usable else None


def _memory_limit(facts: Mapping[str, Any]) -> int | None:
    limit = str(facts.get("cgroup_memory_max") or "")
    return int(limit) if limit.isdecimal() else facts.get("memory_total_bytes")


def _part(run: Run, name: str) -> Mapping[str, Any]:
    part = run.spec.get(name)
    return part if isinstance(part, Mapping) else {}


def _mean(counts: Sequence[Mapping[str, int]], name: str) -> float | None:
    known = [one[name] for one in counts if name in one]
    return fmean(known) if known else None
