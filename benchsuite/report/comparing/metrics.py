"""The figures of a run that sides are compared by, under the names that commands use."""

from collections.abc import Callable
from dataclasses import dataclass

from benchsuite.exceptions import UsageError
from benchsuite.models import Run
from benchsuite.stats.compare import Scale
from benchsuite.units import (
    MISSING,
    format_bytes,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One figure: where it stands, how it is written, and which way is better."""

    name: str
    value: Callable[[Run], float | None]
    show: Callable[[float | None], str]
    higher_is_better: bool = False
    scale: Scale = Scale.RATIO


def _cpus(percent: float | None) -> str:
    return MISSING if percent is None else format_number(percent / 100)


def _share(share: float | None) -> str:
    return MISSING if share is None else format_percent(share * 100)


def _failed_share(run: Run) -> float | None:
    if run.failures is None or not run.requests:
        return None
    return run.failures / run.requests


def _lost_share(run: Run) -> float | None:
    """Of WebSocket messages."""
    accounts = (run.websockets or {}).get("accounts")
    return accounts["lost"] / accounts["messages"] if accounts and accounts["messages"] else None


_EVERY = (
    Metric(name="goodput", value=lambda run: run.goodput, show=format_rate, higher_is_better=True),
    Metric(
        name="throughput", value=lambda run: run.throughput, show=format_rate, higher_is_better=True
    ),
    Metric(name="p50", value=lambda run: run.p50_s, show=format_duration),
    Metric(name="p95", value=lambda run: run.p95_s, show=format_duration),
    Metric(name="p99", value=lambda run: run.p99_s, show=format_duration),
    Metric(name="mean", value=lambda run: run.mean_s, show=format_duration),
    Metric(name="failures", value=_failed_share, show=_share, scale=Scale.DIFFERENCE),
    Metric(name="cpu", value=lambda run: run.cpu_percent, show=_cpus),
    Metric(name="memory", value=lambda run: run.memory_bytes, show=format_bytes),
    Metric(name="connection", value=lambda run: run.connection_bytes, show=format_bytes),
    Metric(name="lost", value=_lost_share, show=_share, scale=Scale.DIFFERENCE),
)
"""Failures and losses are shares that may well be 0, so they are compared by difference, not by
ratio.
"""

METRICS = {one.name: one for one in _EVERY}
DEFAULT = ("goodput", "p95", "memory")


def metric(name: str) -> Metric:
    """The metric of that name; raises UsageError with the valid names."""
    if name not in METRICS:
        raise UsageError(f"There is no metric {name!r}; there are: {', '.join(METRICS)}.")
    return METRICS[name]
