"""The figures of a run: what is known of them, how they are read, and all of them in order.

A new one is an entry in `METRICS`; one that the database is to filter or sort by also needs a
column of the same name.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Any

from benchsuite.core import readings, units
from benchsuite.core.readings import LOAD, TARGET
from benchsuite.core.results import RunResult

Of = Callable[[Any], float | None]  #: From a stored run, or from what has its columns.
Read = Callable[[RunResult], float | None]


class Unit(StrEnum):
    RATE = "per second"
    SECONDS = "seconds"
    BYTES = "bytes"
    COUNT = "count"
    CPUS = "percent of one CPU"  #: Written as a number of CPUs: 190 % is 1.90.
    PERCENT = "percent"
    SHARE = "share from 0 to 1"
    NUMBER = "number"


class Better(StrEnum):
    MORE = "more"
    LESS = "less"


class Scale(StrEnum):
    """What two sides are compared by."""

    RATIO = "ratio"  #: Candidate divided by baseline; 1 is no difference.
    DIFFERENCE = "difference"  #: Candidate less baseline: for shares, which may be 0.


class Place(Flag):
    """Where figures are told."""

    NOWHERE = 0
    LIST = auto()
    TILE = auto()  #: The run page.
    COMPARE = auto()  #: The compare page.
    TERMINAL = auto()  #: The table of `runbench`.
    STAGE = auto()  #: The table of stages, in the terminal.
    PART = auto()  #: Tables of journeys, requests and kinds of users.
    CSV = auto()
    JSON = auto()


def always(run: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of a run; docs/reading-results.md says what it means."""

    name: str  #: With its unit, as column, CSV and JSON have it: "p95_s".
    unit: Unit
    better: Better | None
    places: Place = Place.NOWHERE
    read: Read | None = None  #: Fills its column.
    of: Of | None = None  #: Where it has no column. In a CSV it may use columns of figures alone.
    only: Callable[[Any], bool] = always  #: Whether a run may have it at all.
    note: Callable[[Any], str] | None = None  #: What stands beside it on the run page.
    title: str = ""
    """Where its name won't do: brackets are for the run page, {units} is what was answered."""
    short: str = ""  #: As `comparebench` calls it: "p95"; empty: runs are not compared by it.
    margin: float = 0.01  #: A smaller change of the ratio, or difference of shares, doesn't matter.
    of_answers: bool = False  #: Of requests, messages or handshakes, which never mix.
    of_times: bool = False  #: A response time: stages and names have it among theirs.
    percent: int = 0  #: Of a percentile, which a small sample can't carry.
    summed: bool = False  #: Over several starts the sum is told, not the median.
    spare: int = 0  #: When a narrow terminal leaves it out: the least first; 0: never.

    def headline(self, units: str = "count") -> str:
        title = self.title or self.name.removesuffix("_s").replace("_", " ")
        return title.replace("{units}", units)

    @property
    def with_unit(self) -> str:
        """Its name as headers of a CSV have it: "goodput_per_s"."""
        suffix, _ = _WRITTEN[self.unit]
        return self.name if self.name.endswith(suffix) else f"{self.name}{suffix}"

    @property
    def heading(self) -> str:
        """Of its column in a table, and in a sentence."""
        return self.headline().partition(" (")[0]

    @property
    def scale(self) -> Scale:
        return Scale.DIFFERENCE if self.unit is Unit.SHARE else Scale.RATIO

    @property
    def more_is_better(self) -> bool:
        return self.better is Better.MORE

    @property
    def margin_words(self) -> str:
        """1 %, or 0.1 points of a share."""
        unit = "%" if self.scale is Scale.RATIO else "points"
        return f"{self.margin * 100:.3g} {unit}"

    @property
    def won(self) -> str:
        """What the best did: "had the shortest p95"."""
        if self.more_is_better:
            return "answered most" if self.unit is Unit.RATE else f"had the most {self.heading}"
        least = "had the shortest" if self.unit is Unit.SECONDS else "needed the least"
        return f"{least} {self.heading}"

    def beside(self, ratio: str, other: str) -> str:
        """What one has of it: "answers 1.23 × uvicorn", "has 0.77 × the p95 of uvicorn"."""
        if self.more_is_better and self.unit is Unit.RATE:
            return f"answers {ratio} × {other}"
        if self.scale is Scale.DIFFERENCE:
            return f"has {ratio} in {self.heading} against {other}"
        return f"has {ratio} × the {self.heading} of {other}"

    def value(self, run: Any) -> float | None:
        figure: float | None = self.of(run) if self.of else getattr(run, self.name)
        return figure

    def of_part(self, part: Any) -> float | None:
        """Of the stored figures of a stage, of a kind of users, or of a name."""
        times = part.response_time or {}
        figure: float | None = (
            times.get(self.name) if self.of_times else getattr(part, self.name, None)
        )
        return figure

    def show(self, value: float | None, answers: str = "") -> str:
        """With its unit, or "—"; `answers` are what was answered, where these are no requests."""
        if self.unit is Unit.RATE:
            return units.format_rate(value, answers if self.of_answers else "")
        _, written = _WRITTEN[self.unit]
        return written(value)


_WRITTEN: dict[Unit, tuple[str, Callable[[float | None], str]]] = {
    Unit.RATE: ("_per_s", units.format_rate),
    Unit.SECONDS: ("_s", units.format_duration),
    Unit.BYTES: ("_bytes", units.format_bytes),
    Unit.COUNT: ("", units.format_count),
    Unit.CPUS: ("_percent", lambda percent: _cpus(percent)),
    Unit.PERCENT: ("_percent", units.format_percent),
    Unit.SHARE: ("_share", lambda share: units.format_percent(share and share * 100)),
    Unit.NUMBER: ("", units.format_number),
}
"""How names of its figures end, and how their values are shown."""


def _cpus(percent: float | None) -> str:
    """With two decimals, or as many as a small one needs."""
    if percent is None or not 0 < percent < 1:
        return units.MISSING if percent is None else f"{percent / 100:.2f}"
    return units.format_number(percent / 100)


def result(path: str) -> Read:
    """ "total.goodput" of a result; None where there is no total."""

    def read(value: Any) -> Any:
        for name in path.split("."):
            value = None if value is None else getattr(value, name)
        return value

    return read


def percentile(percent: float) -> Read:
    return lambda result: result.total.response_time.at(percent) if result.total else None


def work(part: str) -> Read:
    return lambda result: readings.median_work_s(result.readings, part, result.window)


def cpu(result: RunResult) -> float | None:
    return readings.mean_cpu_percent(result.readings, TARGET, result.window)


def memory(result: RunResult) -> int | None:
    """With stages until the end of the one whose figures these are: higher ones need more."""
    until_s = math.inf
    if result.total and result.total.level is not None and result.window:
        until_s = result.window[1]
    until = (one for one in result.readings if one.part == TARGET and one.second <= until_s)
    return max((one.memory_bytes for one in until if one.memory_bytes), default=None)


def completed(result: RunResult) -> int | None:
    named = _journeys(result.spec.workload.workload, result.summaries)
    return sum(one.requests - one.failures for one in named) if named else None


def not_completed(result: RunResult) -> int | None:
    named = _journeys(result.spec.workload.workload, result.summaries)
    return sum(one.failures for one in named) if named else None


def completed_per_minute(run: Any) -> float | None:
    named = _journeys(run.workload, run.measurements.all())
    return sum(one.goodput for one in named) * 60 if named else None


def _journeys(workload: str, parts: Iterable[Any]) -> list[Any]:
    """Figures of journeys that have names of their own, such as "survey coffee"."""
    return [one for one in parts if one.scope == "journey" and one.name.startswith(f"{workload} ")]


def whole(run: Any) -> Any:
    """The stored figures of all requests together; None without any."""
    return next((one for one in run.measurements.all() if one.scope == "all"), None)


def of_whole(name: str) -> Of:
    return lambda run: getattr(whole(run), name, None)


def of_times(kind: str, name: str) -> Of:
    return lambda run: (getattr(whole(run), kind, None) or {}).get(name)


def has(name: str) -> Callable[[Any], bool]:
    return lambda run: getattr(run, name) is not None


def is_open(run: Any) -> bool:
    return getattr(whole(run), "offered_rate", None) is not None


def was_asked(run: Any) -> bool:
    """Whether answers were waited for: idle connections get none."""
    return run.requests is None or run.requests > 0 or not run.websockets


def failed(run: Any) -> float | None:
    """The share of all."""
    return None if run.failures is None or not run.requests else run.failures / run.requests


def lost(run: Any) -> float | None:
    """The same of WebSocket messages."""
    accounts = (run.websockets or {}).get("accounts")
    return accounts["lost"] / accounts["messages"] if accounts and accounts["messages"] else None


MORE, LESS = Better.MORE, Better.LESS
RATE, COUNT, NUMBER, SHARE = Unit.RATE, Unit.COUNT, Unit.NUMBER, Unit.SHARE
BYTES, CPUS, SECONDS = Unit.BYTES, Unit.CPUS, Unit.SECONDS
JSON, LIST, TILE, COMPARE = Place.JSON, Place.LIST, Place.TILE, Place.COMPARE
TERMINAL, STAGE, PART = Place.TERMINAL, Place.STAGE, Place.PART
EXPORTS = JSON | Place.CSV
PAGES = TILE | COMPARE | TERMINAL | EXPORTS
LISTED = PAGES | LIST
EVERYWHERE = LISTED | STAGE | PART


def in_place(place: Place) -> list[Metric]:
    """The figures that are told there, in their order."""
    return [one for one in METRICS if place in one.places]


def figure(name: str) -> Metric:
    """The figure of that name; KeyError for another."""
    return {one.name: one for one in METRICS}[name]


def compared() -> dict[str, Metric]:
    """The figures that runs are compared by: short name → figure."""
    return {one.short: one for one in METRICS if one.short}


def _total(name: str, unit: Unit, better: Better | None, places: Place, **more: Any) -> Metric:
    """Of what was answered, as the total has it."""
    return Metric(name, unit, better, places, result(f"total.{name}"), of_answers=True, **more)


def _time(
    name: str,
    places: Place = Place.NOWHERE,
    *,
    kind: str = "response",
    column: bool = False,
    percent: int = 0,
    spare: int = 0,
) -> Metric:
    """A response, service or wait time; runs are compared by those with a column."""
    path = f"total.response_time.{name}"
    return Metric(
        name,
        SECONDS,
        LESS,
        places,
        read=(percentile(percent) if percent else result(path)) if column else None,
        of=None if column else of_times(f"{kind}_time", name.removeprefix(f"{kind}_")),
        only=always if kind == "response" else is_open,
        short=name.removesuffix("_s") if column else "",
        of_answers=True,
        of_times=kind == "response",
        percent=percent,
        spare=spare,
    )


def _arrivals(name: str, unit: Unit, better: Better | None, places: Place, **more: Any) -> Metric:
    """Of the open model alone."""
    return Metric(name, unit, better, places, of=of_whole(name), only=is_open, **more)


def _goodput_per(name: str, column: str, amount: float, title: str) -> Metric:
    """Goodput for so much of another figure."""

    def of(run: Any) -> float | None:
        other = getattr(run, column)
        return None if run.goodput is None or not other else run.goodput / (other / amount)

    return Metric(name, NUMBER, MORE, COMPARE | EXPORTS, of=of, title=title, of_answers=True)


COMPLETES = has("completions")
CPU = "CPU (mean CPUs)"
METRICS: tuple[Metric, ...] = (
    Metric("completions", COUNT, MORE, PAGES, completed, only=COMPLETES),
    Metric("failed_completions", COUNT, LESS, PAGES, not_completed, only=COMPLETES, spare=11),
    Metric(
        *("completions_per_minute", NUMBER, MORE, TILE | JSON),
        of=completed_per_minute,
        only=COMPLETES,
        title="completions a minute",
    ),
    _total("goodput", RATE, MORE, EVERYWHERE, short="goodput"),
    _total("throughput", RATE, MORE, EXPORTS, short="throughput"),
    _time("min_s", STAGE, spare=3),
    _time("p10_s", STAGE, percent=10, spare=1),
    _time("p50_s", PAGES | STAGE | PART, column=True, percent=50, spare=7),
    _time("p75_s", percent=75),
    _time("p90_s", STAGE, percent=90, spare=2),
    _time("p95_s", EVERYWHERE, column=True, percent=95),
    _time("p99_s", PAGES | PART, column=True, percent=99, spare=9),
    _time("max_s", STAGE | PART, spare=4),
    _time("mean_s", TILE | EXPORTS, column=True),
    _total("requests", COUNT, None, TILE | PART | EXPORTS, title="{units}"),
    _total("failures", COUNT, LESS, EVERYWHERE, title="failed", summed=True, spare=12),
    Metric("failed_share", SHARE, LESS, of=failed, short="failures", margin=0.001, of_answers=True),
    _total(
        *("resent", COUNT, LESS, TILE | EXPORTS),
        only=lambda run: bool(run.resent),
        title="sent twice",
    ),
    Metric("sent", COUNT, None, EXPORTS, result("asked.sent")),
    Metric(
        *("seen", COUNT, None, TILE | EXPORTS, result("asked.seen")),
        only=lambda run: run.seen is not None and bool(run.sent),
        note=lambda run: f"of {units.format_count(run.sent)} sent in all",
        title="seen by the target",
        of_answers=True,
    ),
    Metric(
        *("concurrency", NUMBER, None, TILE | JSON),
        of=of_whole("concurrency"),
        only=lambda run: bool(of_whole("concurrency")(run)),
        title="in flight (mean)",
    ),
    _arrivals("offered_rate", RATE, None, TILE | JSON, title="offered"),
    _arrivals("achieved_rate", RATE, MORE, TILE | STAGE | JSON, title="sent", spare=5),
    _arrivals("late", COUNT, LESS, JSON),
    _arrivals("dropped", COUNT, LESS, TILE | STAGE | JSON),
    _time("wait_p99_s", TILE, kind="wait", percent=99),
    _time("service_p99_s", TILE, kind="service", percent=99),
    Metric("cpu_percent", CPUS, LESS, LISTED, cpu, title=CPU, short="cpu", spare=6),
    Metric(
        *("memory_bytes", BYTES, LESS, LISTED, memory),
        title="memory (highest)",
        short="memory",
        spare=10,
    ),
    Metric(
        *("connection_bytes", BYTES, LESS, COMPARE | EXPORTS),
        read=result("websockets.idle.each_bytes"),
        only=has("connection_bytes"),
        title="memory per connection",
        short="connection",
    ),
    Metric("lost_share", SHARE, LESS, of=lost, short="lost", margin=0.001, of_answers=True),
    _goodput_per("goodput_per_cpu_s", "cpu_percent", 100, "goodput per CPU-second"),
    _goodput_per("goodput_per_gib", "memory_bytes", 2**30, "goodput per GiB"),
    Metric("startup_s", SECONDS, LESS, TILE | EXPORTS, result("startup_s"), title="ready after"),
    Metric("level", NUMBER, None, EXPORTS, result("total.level")),
    Metric("target_work_s", SECONDS, None, EXPORTS, work(TARGET)),
    Metric("load_work_s", SECONDS, None, EXPORTS, work(LOAD)),
    Metric("sampler_cpu_percent", Unit.PERCENT, LESS, EXPORTS, result("sampler_cpu_percent")),
)
