"""What `runbench` says before its first run: the plan in a line, and run by run."""

from collections.abc import Sequence

from benchsuite.comparing.setup import Around
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import USER, DatabaseSpec, LoadProfile, RunSpec
from benchsuite.core.units import format_period
from benchsuite.runner.plan import Plan
from benchsuite.system.cpus import words


def line(plans: Sequence[Plan], estimate_s: float) -> str:
    """One line: how many servers and repeats, which work, which load, how long."""
    runs = [plan.spec for plan in plans]
    first = runs[0]
    cells = {run.key: run.server for run in runs}.values()
    pythons = len({(server.python, server.environment) for server in cells})
    servers = len(cells) // pythons
    repeats = max(run.repetition for run in runs)
    load = first.load
    parts = [
        f"{servers} server{'s' * (servers > 1)}"
        + f" × {pythons} Pythons" * (pythons > 1)
        + f" × {repeats} repeats" * (repeats > 1),
        first.workload.workload,
        load.words_of(_who(plans[0])),
        _periods(load),
        *["cookies kept"] * load.keep_cookies,
        *_around(first),
    ]
    seconds = format_period(round(estimate_s))
    return f"{', '.join(parts)} · {cpus_words(first)} · about {seconds}"


def _around(run: RunSpec) -> list[str]:
    """What stands around every server of the plan, where it is not the default."""
    around = Around.of_spec(run)
    data = around.database if run.database != DatabaseSpec(rows=run.database.rows) else ""
    delay = around.delay and f"{around.delay} added"
    told = (around.visitor, around.front, data, around.layer, delay, around.static)
    return [words for words in told if words]


def _who(plan: Plan) -> str:
    """Who asks: connections, where those are what the workload is about."""
    return USER if plan.workload.unit == REQUEST else "connection"


def cpus_words(run: RunSpec) -> str:
    """Where server and load run: a server that may use fewer CPUs than there are must know it."""
    if run.server.cpus is None or run.load.cpus is None:
        return "server and load share all CPUs"
    crowded = run.server.processes is not None and run.server.processes > len(run.server.cpus)
    processes = f" with {run.server.processes} processes" * crowded
    return f"server{processes} on {words(run.server.cpus)}, load on {words(run.load.cpus)}"


def _periods(load: LoadProfile) -> str:
    if load.stages:
        return (
            f"{len(load.stages)} stages of {format_period(load.warmup_s)} warm-up + "
            f"{format_period(load.duration_s)}"
        )
    return f"{format_period(load.window_start_s)} warm-up + {format_period(load.duration_s)} each"


def rows(plans: Sequence[Plan]) -> list[str]:
    """One line a run, in order: what `--dry-run` shows."""
    return [
        f"{number:>3}  {_server(run)}  {run.workload.workload}"
        f"  repetition {run.repetition}  seed {run.seed}"
        for number, run in enumerate((plan.spec for plan in plans), start=1)
    ]


def _server(run: RunSpec) -> str:
    python = run.server.python_words
    return f"{run.server.server} ({python})" if python else run.server.server
