"""The figures of a run, in the order in which they are shown. A new one is one entry in `METRICS`;
one that the database is to filter or sort by also needs a column of the same name.
"""

from typing import Any

from benchsuite.core.metrics import reading
from benchsuite.core.metrics.metric import Better, Metric, Of, Place, Unit, always
from benchsuite.core.metrics.reading import result
from benchsuite.core.readings import LOAD, TARGET
from benchsuite.core.units import format_count

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
        read=(reading.percentile(percent) if percent else result(path)) if column else None,
        of=None if column else reading.of_times(f"{kind}_time", name.removeprefix(f"{kind}_")),
        only=always if kind == "response" else reading.is_open,
        short=name.removesuffix("_s") if column else "",
        of_answers=True,
        of_times=kind == "response",
        percent=percent,
        spare=spare,
    )


def _share(name: str, of: Of, short: str) -> Metric:
    return Metric(name, SHARE, LESS, of=of, short=short, margin=0.001, of_answers=True)


def _arrivals(name: str, unit: Unit, better: Better | None, places: Place, **more: Any) -> Metric:
    """Of the open model alone."""
    return Metric(
        name, unit, better, places, of=reading.of_whole(name), only=reading.is_open, **more
    )


def _goodput_per(name: str, column: str, amount: float, title: str) -> Metric:
    of = reading.goodput_per(column, amount)
    return Metric(name, NUMBER, MORE, COMPARE | EXPORTS, of=of, title=title, of_answers=True)


COMPLETES = reading.has("completions")
CPU = "CPU (mean CPUs)"
METRICS: tuple[Metric, ...] = (
    Metric("completions", COUNT, MORE, PAGES, reading.completed, only=COMPLETES),
    Metric(
        "failed_completions", COUNT, LESS, PAGES, reading.not_completed, only=COMPLETES, spare=11
    ),
    Metric(
        *("completions_per_minute", NUMBER, MORE, TILE | JSON),
        of=reading.completed_per_minute,
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
    _share("failed_share", reading.failed, "failures"),
    _total(
        *("resent", COUNT, LESS, TILE | EXPORTS),
        only=lambda run: bool(run.resent),
        title="sent twice",
    ),
    Metric("sent", COUNT, None, EXPORTS, result("asked.sent")),
    Metric(
        *("seen", COUNT, None, TILE | EXPORTS, result("asked.seen")),
        only=lambda run: run.seen is not None and bool(run.sent),
        note=lambda run: f"of {format_count(run.sent)} sent in all",
        title="seen by the target",
        of_answers=True,
    ),
    Metric(
        *("concurrency", NUMBER, None, TILE | JSON),
        of=reading.of_whole("concurrency"),
        only=lambda run: bool(reading.of_whole("concurrency")(run)),
        title="in flight (mean)",
    ),
    _arrivals("offered_rate", RATE, None, TILE | JSON, title="offered"),
    _arrivals("achieved_rate", RATE, MORE, TILE | STAGE | JSON, title="sent", spare=5),
    _arrivals("late", COUNT, LESS, JSON),
    _arrivals("dropped", COUNT, LESS, TILE | STAGE | JSON),
    _time("wait_p99_s", TILE, kind="wait", percent=99),
    _time("service_p99_s", TILE, kind="service", percent=99),
    Metric("cpu_percent", CPUS, LESS, LISTED, reading.cpu, title=CPU, short="cpu", spare=6),
    Metric(
        *("memory_bytes", BYTES, LESS, LISTED, reading.memory),
        title="memory (highest)",
        short="memory",
        spare=10,
    ),
    Metric(
        *("connection_bytes", BYTES, LESS, COMPARE | EXPORTS),
        read=result("websockets.idle.each_bytes"),
        only=reading.has("connection_bytes"),
        title="memory per connection",
        short="connection",
    ),
    _share("lost_share", reading.lost, "lost"),
    _goodput_per("goodput_per_cpu_s", "cpu_percent", 100, "goodput per CPU-second"),
    _goodput_per("goodput_per_gib", "memory_bytes", 2**30, "goodput per GiB"),
    Metric("startup_s", SECONDS, LESS, TILE | EXPORTS, result("startup_s"), title="ready after"),
    Metric("level", NUMBER, None, EXPORTS, result("total.level")),
    Metric("target_work_s", SECONDS, None, EXPORTS, reading.work(TARGET)),
    Metric("load_work_s", SECONDS, None, EXPORTS, reading.work(LOAD)),
    Metric("sampler_cpu_percent", Unit.PERCENT, LESS, EXPORTS, result("sampler_cpu_percent")),
)
