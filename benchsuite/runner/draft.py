"""A run's result while it is being made: what is known so far, whatever happens next."""

import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchsuite.load import spool
from benchsuite.load.job import Done
from benchsuite.proc import Process
from benchsuite.results import Reading, RunResult, Status, Summary
from benchsuite.servers.base import ServerAdapter
from benchsuite.specs import RunSpec
from benchsuite.stats import summary, validity
from benchsuite.stats.samples import Kind
from benchsuite.stats.validity import Evidence
from benchsuite.telemetry import Sampler

LOG_LINES = 40


class Draft:
    """Filled in step by step; `result()` makes the frozen value of it at any moment."""

    def __init__(self, spec: RunSpec, adapter: ServerAdapter, *, started_at: datetime) -> None:
        self.spec = spec
        self.adapter = adapter
        self.started_at = started_at
        self.status = Status.FINISHED
        self.failure = ""
        self.died = False
        self.argv: tuple[str, ...] = ()
        self.startup_s: float | None = None
        self.settings_changed: Mapping[str, str] = {}
        self.log_tail = ""
        self.done: Done | None = None
        self.total: Summary | None = None
        self.summaries: tuple[Summary, ...] = ()
        self.intervals: tuple[Any, ...] = ()
        self.readings: tuple[Reading, ...] = ()
        self.sampler_cpu_percent: float | None = None

    def fail(self, status: Status, failure: str) -> None:
        """The first reason stands; what follows from it doesn't replace it."""
        if not self.failure:
            self.status = status
            self.failure = failure

    def keep_log(self, process: Process) -> None:
        self.log_tail = process.log_tail(LOG_LINES)

    @contextmanager
    def watched(self, sampler: Sampler) -> Iterator[None]:
        """Telemetry while the body runs, kept also when the body fails."""
        sampler.start()
        try:
            yield
        finally:
            seen = sampler.stop()
            self.readings = tuple(seen.readings)
            self.sampler_cpu_percent = seen.cpu_percent

    def read_samples(self, folder: Path) -> None:
        """Figures from the load's samples; nothing when it was stopped before its window began."""
        done = self.done
        if done is None:
            return
        samples, names = spool.read(folder)
        self.readings = tuple(
            replace(reading, second=reading.second - done.origin) for reading in self.readings
        )
        requests = np.isin(
            samples["name"], [index for index, name in enumerate(names) if name.scope == "request"]
        )
        self.intervals = tuple(
            summary.intervals(
                samples[requests], origin=done.origin, window=done.window, users=done.users
            )
        )
        if done.window[1] <= done.window[0]:
            self.fail(Status.INTERRUPTED, "Stopped before the window began: nothing was measured.")
            return
        examples: dict[Kind, str] = {}
        for name in names:
            if name.scope == "request":
                examples = {**name.examples, **examples}
        self.total = summary.summarise(
            samples[requests],
            name="all requests",
            scope="all",
            window=done.window,
            examples=examples,
        )
        self.summaries = tuple(
            summary.summarise(
                samples[samples["name"] == index],
                name=name.name,
                scope=name.scope,
                window=done.window,
                examples=name.examples,
            )
            for index, name in enumerate(names)
        )

    def _waiting_users(self) -> float | None:
        """Users not pausing on average: all of them, less those who think between journeys."""
        load = self.spec.load
        journeys = [one for one in self.summaries if one.scope == "journey"]
        if self.done is None or self.done.stopped or not journeys:
            return None
        return load.users - load.think_time_s * sum(journey.throughput for journey in journeys)

    def result(self, environment: Mapping[str, Any]) -> RunResult:
        findings = ()
        if self.total is not None and self.done is not None:
            findings = validity.assess(
                Evidence(
                    total=self.total,
                    load_cpu_percent=self.done.cpu_percent,
                    load_lag_p99_s=self.done.lag_p99_s,
                    waiting_users=self._waiting_users(),
                    died=self.died,
                )
            )
        return RunResult(
            spec=self.spec,
            status=self.status,
            started_at=self.started_at,
            failure=self.failure,
            argv=self.argv,
            server_version=self.adapter.version(),
            python_version=platform.python_version(),
            processes=self.adapter.processes,
            threads=self.adapter.threads,
            startup_s=self.startup_s,
            window=self._window(),
            total=self.total,
            summaries=self.summaries,
            intervals=self.intervals,
            readings=self.readings,
            findings=findings,
            verdict=validity.verdict(findings) if self.total is not None else None,
            environment=environment,
            settings_changed=self.settings_changed,
            log_tail=self.log_tail,
            sampler_cpu_percent=self.sampler_cpu_percent,
        )

    def _window(self) -> tuple[float, float] | None:
        """Begin and end of the window in seconds since the first request."""
        if self.done is None:
            return None
        return (self.done.window[0] - self.done.origin, self.done.window[1] - self.done.origin)
