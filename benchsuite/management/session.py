"""What the runs of one command share: the machine's lock, clean-up, databases, where results go."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from django.db import Error

from benchsuite import conf, runner
from benchsuite.core.results import RunResult
from benchsuite.core.specs import RunSpec
from benchsuite.core.units import format_bytes, format_duration, format_rate
from benchsuite.management.keeping import Results
from benchsuite.models import Run, StudyCell
from benchsuite.runner import environments, preflight
from benchsuite.runner.plan import Plan
from benchsuite.runner.planning import Estimate
from benchsuite.store.abandoned import sweep, sweep_executions
from benchsuite.store.periods import durations, overheads
from benchsuite.system.interrupts import terminable
from benchsuite.system.lock import Claim, alone


class Watcher(runner.Watcher, Protocol):
    """Who shows how the runs are getting on."""

    def begin(self, spec: RunSpec) -> None:
        """The next run begins."""

    def end(self, summary: str) -> None:
        """It is over; one line says how it went."""


def estimated(plans: Sequence[Plan]) -> Estimate:
    """How long such runs will take, as far as past ones are known."""
    try:
        return Estimate(
            overheads(plan.spec.server.server for plan in plans),
            durations(plan.spec.key for plan in plans),
        )
    except Error:  # whoever needs the database says so; nobody needs it for an estimate
        return Estimate()


@contextmanager
def session(
    results: Results,
    watcher: Watcher,
    *,
    port: int | None = None,
    start_timeout_s: float | None = None,
    estimate: Estimate | None = None,
    on_wait: Callable[[Claim], None],
    on_build: Callable[[str], None],
) -> Iterator["Session"]:
    """The machine for as many runs as are made in the block, which may be decided one by one.

    Raises BenchsuiteError when nothing could be stored. `estimate` learns what each run took;
    `on_wait` is told who has the machine, `on_build` what is being built.
    """
    results.check()
    with terminable(), alone(on_wait):
        sweep()
        sweep_executions()
        with runner.session(
            settings_module=conf.config()["TARGET_SETTINGS"]
            or os.environ["DJANGO_SETTINGS_MODULE"],
            port=port,
            start_timeout_s=start_timeout_s,
            ceilings=results.ceilings,
        ) as at_work:
            yield Session(at_work, results, watcher, on_build, estimate or Estimate())


@dataclass(frozen=True, slots=True)
class Session:
    """Makes one run after another; each is stored as soon as it has ended."""

    at_work: runner.Session
    results: Results
    watcher: Watcher
    on_build: Callable[[str], None]
    estimate: Estimate = field(default_factory=Estimate)

    def prepared(self, plans: Sequence[Plan]) -> tuple[Plan, ...]:
        """The same plans with their environments, built where they were not, and looked through.

        Whoever knows the plans of several runs begins with it: nothing is built between two of
        them then.
        """
        plans = environments.prepared(plans, self.on_build)
        for plan in plans:
            preflight.check_installed(plan)
        return tuple(plans)

    def one(
        self, plan: Plan, later: Sequence[Plan] | None = None, cell: StudyCell | None = None
    ) -> tuple[Run, RunResult]:
        """Makes one run: its stored row, and its result, which says how it ended.

        After Ctrl-C that is INTERRUPTED, and whoever makes several stops there. Where the
        `later` runs are known, databases that none of them will use are dropped first.
        """
        (plan,) = self.prepared([plan])
        if later is not None:
            self.at_work.keep_for([plan, *later])
        self.watcher.begin(plan.spec)
        begun = monotonic()
        with self.results.run(plan, cell) as (row, keep):
            result = self.at_work.run(plan, self.watcher)
            keep(result)
        self.estimate.learn(plan, monotonic() - begun, result)
        self.watcher.end(_line(result))
        return row, result


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
