"""Figures and verdicts of a run as small pieces of HTML."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from benchsuite.comparing.titles import units_beside
from benchsuite.core.results import Status
from benchsuite.core.units import (
    MISSING,
    format_bytes,
    format_count,
    format_duration,
    format_rate,
)
from benchsuite.models import Run
from benchsuite.report.sentences import missing_reason
from benchsuite.store.periods import planned_s

SHAPES = {
    "valid": "●",
    "weak": "◐",
    "invalid": "○",
    "running": "▶",
    "failed": "✗",
    "interrupted": "■",
}


def format_cpus(percent: float | None) -> str:
    """CPU share as a number of CPUs: 190 % is 1.90."""
    return MISSING if percent is None else f"{percent / 100:.2f}"


FORMATS: dict[str, Callable[[Any], str]] = {
    "goodput": format_rate,
    "throughput": format_rate,
    "mean_s": format_duration,
    "p50_s": format_duration,
    "p95_s": format_duration,
    "p99_s": format_duration,
    "startup_s": format_duration,
    "requests": format_count,
    "failures": format_count,
    "completions": format_count,
    "cpu_percent": format_cpus,
    "memory_bytes": format_bytes,
    "connection_bytes": format_bytes,
}


def figure(run: Run, column: str) -> SafeString | str:
    """The figure with its unit, or "—" with the reason as its title."""
    value = getattr(run, column)
    if value is None:
        return missing(missing_reason(run, column))
    return format_of(run, column)(value)


def format_of(run: Run, column: str) -> Callable[[Any], str]:
    """How that column of a run is written; rates of what are no requests with their unit."""
    if column in ("goodput", "throughput"):
        return partial(format_rate, units=units_beside(run))
    return FORMATS[column]


def missing(reason: str) -> SafeString:
    return format_html('<span class="missing" title="{}">{}</span>', reason, MISSING)


def state(run: Run) -> str:
    """The one word for a run: its verdict or, when it has none, what became of it."""
    if run.status == Status.FINISHED.value and run.verdict:
        return run.verdict
    return run.status


def badge(word: str) -> SafeString:
    """A verdict or a status as a shape and a word, never as a colour alone."""
    return format_html(
        '<span class="verdict {}"><span aria-hidden="true">{}</span> {}</span>',
        word,
        SHAPES.get(word, "·"),
        word,
    )


def progress(run: Run) -> SafeString:
    """How much of its planned time a running run has had."""
    had = (timezone.now() - run.started_at).total_seconds()
    percent = min(99, max(0, round(had / planned_s(run) * 100)))
    return format_html('<progress max="100" value="{0}">{0} %</progress>', percent)


def reason(run: Run, most: int = 200) -> str:
    """The first line of why a run has no result, or not a whole one."""
    lines = run.failure.strip().splitlines() or [""]
    return lines[0] if len(lines[0]) <= most else f"{lines[0][: most - 1]}…"
