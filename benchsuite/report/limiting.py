"""What limits runs, by the evidence in their rows, and which functions use their CPU time."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import fmean
from types import SimpleNamespace
from typing import Any

from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import (
    REST,
    Alone,
    Budget,
    Diagnosis,
    LimitEvidence,
    Profiled,
    budget,
)
from benchsuite.bottlenecks.registry import UNNAMED, Limit
from benchsuite.comparing.cells import Cell, alternatives, cells, per_journey
from benchsuite.comparing.titles import cell_titles
from benchsuite.core import readings as names
from benchsuite.core import units
from benchsuite.core.answer import Table
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics.every import whole
from benchsuite.core.plain import read
from benchsuite.core.readings import DATABASE, LOAD, TARGET, in_window, mean_cpu_percent, memory
from benchsuite.core.results import Level, Pattern, Verdict
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import OPEN, LoadProfile, RunSpec
from benchsuite.models import Measurement, Run
from benchsuite.report.parts import stages_of
from benchsuite.stats import stacks
from benchsuite.stats.signs import IN_VAIN
from benchsuite.stats.stacks import Stacks, boxes, words
from benchsuite.stats.steady import growth

HEADINGS = ("function", "own", "total")
TOP = 10
PASSES_ON = 0.95  #: Of its time in one other: a framework's function would but fill the totals.
NOT_ANSWERING = frozenset({LOAD, "delay", "api"})  #: Parts that measure, or are elsewhere.
ALONE = 0.25  #: Requests in flight, on average, of which hardly any meets another one.
STANDS_OUT = 0.05  #: Of the CPU time: a function of the project that takes less isn't named.
Counts = Sequence[Mapping[str, int]]  #: What readings count, each by name.


@dataclass(frozen=True, slots=True)
class Row:
    function: str
    place: str
    own_percent: float  #: In its own code.
    total_percent: float  #: With what it calls.
    is_project: bool
    passes_on: bool

    @property
    def cells(self) -> list[str]:
        figures = (self.own_percent, self.total_percent)
        file = f" ({self.place.rpartition('/')[2]})" if self.place else ""
        return [f"{self.function}{file}", *map(units.format_percent, figures)]


@dataclass(frozen=True, kw_only=True)
class Flame:
    run: Run
    stacks: Stacks
    samples: int
    rate_hz: int
    least: int  #: Calls that were seen less often do not stand for themselves.
    project: frozenset[str]  #: Calls of the project's code.

    @property
    def sentence(self) -> str:
        rare = f" Calls in fewer than {self.least} samples are put together as {stacks.RARE}."
        period = units.format_period(self.run.duration_s)
        alone = " with one user" * (self.run.model != OPEN)  # tunings profile at a rate
        return (
            f"{units.format_count(self.samples)} samples of Python code at work, taken "
            f"{self.rate_hz} times a second for {period} of a run of its own{alone}. "
            f"Who waits is not sampled.{rare if self.least > 1 else ''}"
        )

    @cached_property
    def tables(self) -> dict[str, list[Row]]:
        """The top functions by their own time, and by that with what they call."""
        rows = [
            Row(
                *words(one.call),
                own_percent=100 * one.own / self.samples,
                total_percent=100 * one.total / self.samples,
                is_project=one.call in self.project,
                passes_on=one.passed >= PASSES_ON * one.total,
            )
            for one in stacks.functions(self.stacks)
        ]
        worth = [row for row in rows if row.is_project or not row.passes_on]
        by_total = sorted(worth, key=lambda row: -row.total_percent)
        return {
            "By own time": [row for row in rows if row.own_percent][:TOP],
            "By total time, with what they call": by_total[:TOP],
        }

    @property
    def stands_out(self) -> Profiled:
        """The function of the project in which most of the time goes."""
        samples_by_call = stacks.nearest(self.stacks, self.project.__contains__)
        call, samples = max(samples_by_call.items(), key=lambda item: item[1], default=("", 0))
        if samples < STANDS_OUT * self.samples:
            return Profiled()
        function, place = words(call)
        return Profiled(function=function, place=place, share=samples / self.samples)


def flame(run: Run) -> Flame | None:
    """None for a start that was not profiled."""
    if not (data := (run.diagnosis or {}).get("flame")):
        return None
    kept = {name: data[name] for name in ("samples", "rate_hz", "least")}
    project = frozenset(data["project"])
    return Flame(run=run, stacks=stacks.unpacked(data["stacks"]), project=project, **kept)


def top_tables(runs: Iterable[Run]) -> list[Table]:
    every = cells([run for run in runs if run.diagnosis])
    return [
        Table(
            HEADINGS,
            [one.cells for one in rows],
            title=f"CPU time of {title} {what[:1].lower()}{what[1:]}",
            figures=HEADINGS[1:],
        )
        for title, cell in zip(cell_titles(every), every, strict=True)
        if (graph := flame(cell.first)) is not None
        for what, rows in graph.tables.items()
    ]


WIDTH, ROW = 1200.0, 18
LEAST = 1.2  #: Narrower boxes are not drawn.
LETTER = 6.6  #: Width of a letter.
MARGIN = 4.0  #: Free on both sides of a text: `dx` in _flame.html.
FEW_LETTERS = 3


def drawing(flame: Flame) -> dict[str, Any]:
    """The boxes of `_flame.html`, their height, and how many calls are too narrow to be drawn."""
    every = list(boxes(flame.stacks))
    scale = WIDTH / max((box.start + box.samples for box in every), default=1)
    drawn = []
    for box in every:
        call, width, samples = box.path[-1], box.samples * scale, units.format_count(box.samples)
        if round(width, 2) < LEAST:
            continue
        name, fits = words(call)[0], int((width - 2 * MARGIN) / LETTER)
        text = name if len(name) <= fits else f"{name[: fits - 1]}…"
        x, y = round(box.start * scale, 2), (len(box.path) - 1) * ROW
        is_project = call in flame.project
        share = units.format_percent(100 * box.samples / flame.samples)
        title = f"{call}{', of the project' * is_project}: {samples} samples, {share}"
        text = text if fits >= FEW_LETTERS else ""  # as much of the name as fits
        place = {"x": x, "y": y, "width": round(width, 2)}
        drawn.append(SimpleNamespace(**place, text=text, title=title, is_project=is_project))
    height = max((box.y for box in drawn), default=0) + ROW
    return {"boxes": drawn, "height": height, "narrow": len(every) - len(drawn)}


def evidence(run: Run, **more: Any) -> LimitEvidence | None:
    """Of its window, with `more` fields; None without answered requests or a watched target."""
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
    limit, stall, instances = weighty.get("B204"), weighty.get("B205"), server.get("instances") or 1
    figures = {
        "window_s": window[1] - window[0] if window else None,
        "rate": total.throughput,
        "highest_rate": highest_rate(run),
        "offered_rate": total.offered_rate and total.offered_rate * per_journey(run),
        "dropped": total.dropped or 0,
        "response_s": response.get("mean_s"),
        "wait_s": (total.wait_time or {}).get("mean_s") or 0.0,
        "p95_s": response.get("p95_s"),
        "patterns": read(list[Pattern], total.patterns),
        "in_flight": total.concurrency,
        "queued": total.queued,
        "failed_share": total.failures / total.requests,
        "in_vain_share": in_vain / total.requests,
        "processes": run.processes and run.processes * instances,
        "sized": "in all " if instances > 1 else "--processes=",
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
    total = sum(map(Counter, counts), Counter[str]())
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
    if not (requests := sum(page["requests"] for page in pages)):
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


def _window(run: Run) -> tuple[float, float] | None:
    """The span that the figures of a run are of, in seconds since its first request."""
    if not (data := run.part("load")):
        return None
    load = LoadProfile.from_json(data)
    if load.iterations is not None:
        return 0.0, run.duration_s
    levels = stages_of(run.measurements.all())  # the run's figures are those of one of them
    beside = {level.order for level in levels if level.goodput != run.goodput}
    planned = [stage for number, stage in enumerate(load.plan, 1) if number not in beside]
    stages = [stage for stage in planned if run.level in (None, stage.level)]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where the time of a request goes, what limits the run, and which functions use the CPU."""

    limits: Sequence[Limit] = ()
    time: Budget | None = None
    sentence: str = ""
    flame: Flame | None = None


def limits_of(run: Run, starts: Iterable[Run] = (), **more: Any) -> Limits:
    """What a run tells with `more` evidence, with diagnostic `starts`, and one user of the same."""
    own, shown, starts, keys = diagnosis(run), flame(run), list(starts), set[str]()
    if beside := [start for start in starts if start.pk != run.pk]:
        with suppress(UsageError):  # of another format
            spec = RunSpec.from_json(run.spec)
            keys = {spec.diagnosed.key, spec.profiled.key}
    for start in (start for start in beside if start.key in keys):
        if seen := diagnosis(start):
            more["diagnosis"] = seen
        if graph := flame(start):
            more["profiled"], shown = graph.stands_out, graph
    more.setdefault("alone", alone(run, starts))
    more.setdefault("highest_rate", highest_rate(run, starts))
    if (figures := evidence(run, **more)) is None:
        return Limits(flame=shown)
    time, limits = budget(figures), bottlenecks.name(figures)
    sentence = time.sentence if time else ""
    if own:
        times_s = (own.request_s, own.query_s, own.connecting_s)
        request, queries, connecting = map(units.format_duration, times_s)
        sentence = (
            f"A diagnostic run: a request took {request} in Django, {queries} of that in "
            f"{units.format_number(own.queries)} queries and {connecting} in opening and closing "
            f"connections; the garbage collector took "
            f"{units.format_percent(100 * own.collecting_share)} of the CPU time."
        )
    elif any(limit.code == UNNAMED.code for limit in limits):
        sentence = ""  # it is said there
    return Limits(limits=limits, time=time, sentence=sentence, flame=shown)


def as_json(run: Run) -> dict[str, Any]:
    """With the samples of a flame graph, and the top functions with their shares of these."""
    limits, sampled = limits_of(run), None
    if graph := limits.flame:
        top = dict.fromkeys(row for rows in graph.tables.values() for row in rows)
        functions = [asdict(row) for row in top]
        sampled = {"samples": graph.samples, "rate_hz": graph.rate_hz, "functions": functions}
    return {
        "request_time": limits.time and {**limits.time.parts, REST: limits.time.rest_s},
        "limits": [asdict(limit) for limit in limits.limits],
        "flame": sampled,
    }


def limit_lines(cells: Sequence[Cell], diagnosed: Iterable[Run] = ()) -> list[str]:
    """What limits the middle run of each cell: who has which, evidence and remedy of the first."""
    starts = [*diagnosed, *(run for cell in cells for run in cell.shown)]
    having: dict[str, dict[str, list[Limit]]] = {}
    for title, cell in zip(cell_titles(cells), cells, strict=True):
        if (run := middle(cell)) is None:
            continue
        for limit in limits_of(run, starts, alternatives=alternatives(cell, cells)).limits:
            having.setdefault(limit.code, {}).setdefault(title, []).append(limit)
    lines = []
    for code, of_code in having.items():
        title, limits = next(iter(of_code.items()))
        whose = f"{units.listed([*of_code])}. {title}" if len(of_code) > 1 else title
        for limit in limits:
            advice = " ".join(filter(None, (f"  {limit.fix}", limit.gain)))
            lines += [f"{code}  {whose}: {limit.says} {limit.evidence}", advice]
    return lines


def middle(cell: Cell) -> Run | None:
    """The start whose goodput is the median of those that are shown."""
    ordered = sorted(cell.shown, key=lambda run: run.goodput or 0.0)
    return ordered[(len(ordered) - 1) // 2] if ordered else None
