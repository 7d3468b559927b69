"""How figures are read: from what a run found out, and from stored runs."""

import math
from collections.abc import Callable
from typing import Any

from benchsuite.core.metrics.metric import Of, Read
from benchsuite.core.readings import TARGET, mean_cpu_percent, median_work_s, most_memory_bytes
from benchsuite.core.results import RunResult, Summary, is_completion


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
    return lambda result: median_work_s(result.readings, part, result.window)


def cpu(result: RunResult) -> float | None:
    return mean_cpu_percent(result.readings, TARGET, result.window)


def memory(result: RunResult) -> int | None:
    """With stages until the end of the one whose figures these are: higher ones need more."""
    until_s = math.inf
    if result.total and result.total.level is not None and result.window:
        until_s = result.window[1]
    return most_memory_bytes(result.readings, TARGET, until_s)


def completed(result: RunResult) -> int | None:
    named = _journeys(result)
    return sum(one.requests - one.failures for one in named) if named else None


def not_completed(result: RunResult) -> int | None:
    named = _journeys(result)
    return sum(one.failures for one in named) if named else None


def _journeys(result: RunResult) -> list[Summary]:
    """Those that have names of their own."""
    workload = result.spec.workload.workload
    return [one for one in result.summaries if is_completion(workload, one.scope, one.name)]


def completed_per_minute(run: Any) -> float | None:
    every = run.measurements.all()
    named = [one for one in every if is_completion(run.workload, one.scope, one.name)]
    return sum(one.goodput for one in named) * 60 if named else None


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


def goodput_per(name: str, amount: float) -> Of:
    """Goodput for so much of another figure."""

    def quotient(run: Any) -> float | None:
        other = getattr(run, name)
        return None if run.goodput is None or not other else run.goodput / (other / amount)

    return quotient
