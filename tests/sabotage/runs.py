"""Makes real runs, broken or not, and says what was found about them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.test import override_settings

from benchsuite.core.results import Ceiling, Finding, Level, RunResult
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.load.job import Tick
from benchsuite.runner import Session, planning
from tests.integration.runs import Quiet

HERE = "tests.sabotage"
SICK = f"{HERE}.sick.settings"

PLUGGED = {
    "SERVERS": {
        "few-descriptors": f"{HERE}.servers.FewDescriptors",
        "cached": f"{HERE}.servers.Cached",
        "connection-bound": f"{HERE}.servers.ConnectionBound",
        "reuse-port": f"{HERE}.servers.ReusePort",
        "supervised": f"{HERE}.servers.Supervised",
        "unattended": f"{HERE}.servers.Unattended",
    },
    "WORKLOADS": {
        "burning": f"{HERE}.workloads.Burning",
        "dawdling": f"{HERE}.workloads.Dawdling",
        "keeping": f"{HERE}.workloads.Keeping",
        "losing": f"{HERE}.workloads.Losing",
        "marked": f"{HERE}.workloads.Marked",
        "storing": f"{HERE}.workloads.Storing",
    },
}

LOAD = {"users": 4, "warmup_s": 0.7, "duration_s": 2.0, "timeout_s": 20.0, "drain_s": 3.0}
BRIEF = {"warmup_s": 0.3, "duration_s": 1.0}
"""For what neither the prober nor a steady second has to tell."""

TRIES = 2

Act = Callable[[], object]


class Saboteur(Quiet):
    """Acts when the server is ready, and in the seconds of the load that are given."""

    def __init__(self, at_ready: Act | None, at_second: Mapping[float, Act]) -> None:
        super().__init__()
        self._at_ready = at_ready
        self._acts = sorted(at_second.items(), key=lambda pair: pair[0])

    def stage(self, text: str) -> None:
        super().stage(text)
        if text.startswith("ready") and self._at_ready is not None:
            self._at_ready()

    def tick(self, tick: Tick) -> None:
        super().tick(tick)
        while self._acts and tick.elapsed_s >= self._acts[0][0]:
            self._acts.pop(0)[1]()


class Laboratory:
    """One session in which all runs are made: databases are made once for each workload."""

    def __init__(self, at_work: Session, ceilings: list[Ceiling]) -> None:
        self._at_work = at_work
        self.ceilings = ceilings

    def run(
        self,
        server: str = "gunicorn-gthread",
        path: str = "/well/",
        *,
        workload: str = "url",
        asked: Mapping[str, Any] | None = None,
        expect: str = "all is well",
        processes: int | None = None,
        threads: int | None = None,
        on_cpus: tuple[int, ...] | None = None,
        options: Mapping[str, Any] | None = None,
        front: str = "",
        instances: int = 1,
        front_options: Mapping[str, Any] | None = None,
        database: DatabaseSpec | None = None,
        at_ready: Act | None = None,
        at_second: Mapping[float, Act] | None = None,
        diagnosed: bool = False,
        **load: Any,
    ) -> RunResult:
        """One run of the sick project, or of the target app when `workload` is one of its; `asked`
        are the workload's options, and `on_cpus` is where the server may run.
        """
        if workload == "url":
            asked = {"path": path, "expect": expect, **(asked or {})}
        spec = RunSpec(
            server=ServerSpec(
                server=server,
                processes=processes,
                threads=threads,
                cpus=on_cpus,
                options=options or {},
                front=front,
                instances=instances,
                front_options=front_options or {},
            ),
            workload=WorkloadSpec(workload=workload, options=asked or {}),
            load=LoadProfile(**{**LOAD, **load}),
            database=database or DatabaseSpec(rows=100),
        )
        # For the time of a run only: the laboratory outlasts the tests of this folder.
        with override_settings(BENCHSUITE=PLUGGED):
            plan = planning.resolve(spec.diagnosed if diagnosed else spec)
            return self._at_work.run(plan, Saboteur(at_ready, at_second or {}))


@contextmanager
def laboratory(settings_module: str = SICK) -> Iterator[Laboratory]:
    ceilings: list[Ceiling] = []
    made = Session(settings_module=settings_module, ceilings=lambda _: ceilings)
    with made.opened() as at_work:
        yield Laboratory(at_work, ceilings)


def findings(result: RunResult, number: str) -> list[Finding]:
    return [one for one in result.findings if one.code.startswith(number)]


def message(result: RunResult, number: str) -> str:
    """All messages of that number."""
    return " ".join(one.message for one in findings(result, number))


def only(result: RunResult, number: str, level: Level, words: str = "") -> Finding:
    """The one finding of that number that it has, at that level, with these words."""
    assert [one.level for one in findings(result, number)] == [level], told(result)
    assert words in message(result, number), told(result)
    return findings(result, number)[0]


def found(
    number: str, make: Callable[[], RunResult], level: Level | None = None, words: str = ""
) -> Finding:
    """The finding of that number that weighs, at that level, with these words in it or in its hint;
    the run is made again when neighbours disturbed it, who take the CPU that a saboteur needs, too.
    """
    for left in reversed(range(TRIES)):
        result = make()
        seen = [one for one in weighing(result) if one.code.startswith(number)]
        if seen:
            assert level in (None, seen[0].level), told(result)
            assert words in f"{seen[0].message} {seen[0].hint}", told(result)
            return seen[0]
        if not (left and findings(result, "B401")):
            break
    raise AssertionError(f"no {number}, but {told(result)}")


def told(result: RunResult) -> str:
    """All that is known of a run, for the message of a failing test."""
    lines = [f"{result.status}: {result.failure}"]
    lines += [f"{one.code} ({one.level}): {one.message}" for one in result.findings]
    if result.total is not None:
        total = result.total
        lines.append(
            f"{total.requests} requests, {dict(total.failures_by_kind)}, "
            f"p50 {total.service_time.at(50)}"
        )
    return "\n".join(lines)


def weighing(result: RunResult) -> Sequence[Finding]:
    """The findings that make the verdict."""
    return [one for one in result.findings if one.level is not Level.INFO]
