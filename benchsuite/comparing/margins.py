"""The figures of a run that sides are compared by, under the names that commands use, and how much
of a difference in each matters.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.suggestions import choices
from benchsuite.core.units import (
    MISSING,
    format_bytes,
    format_duration,
    format_number,
    format_percent,
    format_rate,
    listed,
)
from benchsuite.models import Run
from benchsuite.stats.compare import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One figure: where it stands, how it is written, and which way is better."""

    name: str
    value: Callable[[Run], float | None]
    show: Callable[[float | None], str]
    higher_is_better: bool = False
    scale: Scale = Scale.RATIO
    margin: float = 0.01  #: A smaller change of the ratio, or difference of shares, doesn't matter.

    @property
    def is_of_answers(self) -> bool:
        """Whether it tells of answers, which may be requests, messages or handshakes."""
        return self.name not in ("cpu", "memory", "connection")

    @property
    def margin_words(self) -> str:
        """1 %, or 0.1 points of a share."""
        unit = "%" if self.scale is Scale.RATIO else "points"
        return f"{self.margin * 100:.3g} {unit}"


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
    Metric(name="failures", value=_failed_share, show=_share, scale=Scale.DIFFERENCE, margin=0.001),
    Metric(name="cpu", value=lambda run: run.cpu_percent, show=_cpus),
    Metric(name="memory", value=lambda run: run.memory_bytes, show=format_bytes),
    Metric(name="connection", value=lambda run: run.connection_bytes, show=format_bytes),
    Metric(name="lost", value=_lost_share, show=_share, scale=Scale.DIFFERENCE, margin=0.001),
)
"""Failures and losses are shares that may well be 0, so they are compared by difference, not by
ratio; a share of 0.1 % failed is what makes a run weak.
"""

METRICS = {one.name: one for one in _EVERY}
DEFAULT = ("goodput", "p95", "memory")

ALL = "all"  #: In margins: every figure that is compared by ratio and has none of its own.


MARGIN = re.compile(r"(?:([a-z0-9]+)\s*=)?\s*(\d+(?:\.\d+)?)\s*%?")
MOST_PERCENT = 100


def metric(name: str, margins: Mapping[str, float] | None = None) -> Metric:
    """The metric of that name with its margin: from `margins` (see `parsed`), else from
    BENCHSUITE["MARGINS_PERCENT"], else its own. Raises UsageError with the valid names.
    """
    known = _known(name)
    set_ = {each: percent / 100 for each, percent in conf.config()["MARGINS_PERCENT"].items()}
    for given in (margins or {}, set_):
        for key in (name, ALL):
            if key in given and (key == name or known.scale is Scale.RATIO):
                return replace(known, margin=given[key])
    return known


def parsed(texts: Iterable[str]) -> dict[str, float]:
    """Margins from "2%" (of all that are compared by ratio) and "p95=5%"; raises UsageError."""
    found = {}
    for text in texts:
        match = MARGIN.fullmatch(text.strip())
        if match is None or not 0 <= float(match[2]) < MOST_PERCENT:
            raise UsageError(
                f"--margin {text!r} is not a margin; write a percentage below 100, for one figure "
                'or for all: "p95=5%" or "2%".'
            )
        name = match[1] or ALL
        found[name if name == ALL else _known(name).name] = float(match[2]) / 100
    return found


def margins_sentence(metrics: Iterable[Metric]) -> str:
    """What counts as too small in each of these figures."""
    names: dict[str, list[str]] = {}
    for one in metrics:
        names.setdefault(one.margin_words, []).append(one.name)
    told = ", ".join(f"{words} in {listed(each)}" for words, each in names.items())
    return f"Too small to matter is a difference below {told} (--margin)."


def _known(name: str) -> Metric:
    if name not in METRICS:
        raise UsageError(f"There is no metric {name!r}; {choices(name, METRICS)}")
    return METRICS[name]
