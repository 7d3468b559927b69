"""The runs of one command: made one after another, each stored as soon as it has ended."""

import os
from collections.abc import Callable, Sequence

from benchsuite import conf
from benchsuite.core.results import RunResult, Status
from benchsuite.core.specs import RunSpec
from benchsuite.core.units import format_bytes, format_duration, format_rate
from benchsuite.management.keeping import Results
from benchsuite.report.terminal.progress import Progress
from benchsuite.runner import environments, planning, session
from benchsuite.store.abandoned import sweep
from benchsuite.system.interrupts import terminable
from benchsuite.system.lock import alone


def make(
    runs: Sequence[RunSpec],
    progress: Progress,
    results: Results,
    *,
    port: int | None,
    start_timeout_s: float | None = None,
    on_wait: Callable[[int | None], None],
    on_build: Callable[[str], None],
) -> None:
    """Makes these runs and gives their results away; ends early on Ctrl-C.

    Environments that they need and that have not been built are built first.
    """
    results.check()
    with terminable(), alone(on_wait):
        sweep()
        environments.prepare(runs, on_build)
        for run in runs:
            planning.check_installed(run)
        with (
            session(
                settings_module=_target_settings(),
                port=port,
                start_timeout_s=start_timeout_s,
                ceilings=results.ceilings,
            ) as at_work,
            progress,
        ):
            for spec in runs:
                progress.begin(spec)
                with results.run(spec) as keep:
                    result = at_work.run(spec, progress)
                    keep(result)
                progress.end(_line(result))
                if result.status is Status.INTERRUPTED:
                    break


def _line(result: RunResult) -> str:
    """One run's outcome in a line."""
    if result.total is None:
        return f"{result.status.value}: {result.failure}"
    total, idle = result.total, result.websockets and result.websockets.idle
    if idle and not total.requests:
        verdict = result.verdict.value if result.verdict else ""
        return f"{format_bytes(idle.each_bytes)} per connection · {verdict}"
    parts = [
        f"{format_rate(total.goodput)}" + (f" at {total.name}" if total.level is not None else ""),
        f"p50 {format_duration(total.response_time.at(50))}",
        f"p95 {format_duration(total.response_time.at(95))}",
        f"{total.failures} failed",
        *([f"{total.resent} sent twice"] if total.resent else []),
        result.verdict.value if result.verdict else "",
    ]
    if result.failure:
        parts.append(f"{result.status.value}: {result.failure}")
    return " · ".join(parts)


def _target_settings() -> str:
    """The settings module that the measured server starts from."""
    module: str = conf.config()["TARGET_SETTINGS"] or os.environ["DJANGO_SETTINGS_MODULE"]
    return module
