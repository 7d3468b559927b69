"""From samples to figures, and when a sample is large enough for a percentile. Pure functions."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import chain, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.results import PERCENTILES, Arrivals, Distribution, Interval, Phase, Summary
from benchsuite.core.samples import ENDS, FIELDS, MOMENTS, Kind
from benchsuite.stats import histogram
from benchsuite.stats.histogram import Histogram

RISK = 0.025  #: Accepted chance that no sample at all lies beyond the percentile.
ABOUT_HALF = 0.05  #: Of all samples.


def samples_needed(percent: float) -> int:
    """Samples that a percentile asks for: 72 for p95, 368 for p99, 3 688 for p99.9.

    The smallest n with q**n <= 2.5 %: with fewer, the estimate may be the maximum by another name.
    The one-sided order-statistic interval (David & Nagaraja, Order Statistics, 3rd ed., 7.1).
    """
    return math.ceil(math.log(RISK) / math.log(percent / 100))


def about_half(count: int) -> float:
    """So many percent of samples to either side of the median lie in its 95 % interval, and 5 more:
    a step so close to the middle may be chance.
    """
    return min(49.0, 100 * (ABOUT_HALF + 1 / math.sqrt(count)))  # 1.96 / 2 of the root


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Two of the values between which the median lies, but for `RISK` on either side; no
    distribution assumed (David & Nagaraja, 7.1). The extremes for samples of fewer than six.
    """
    ordered = sorted(values)
    count = len(ordered)
    beyond, rank = 0.5**count, 0
    while rank + 1 <= (count - 1) // 2 and beyond <= RISK:
        rank += 1
        beyond += math.comb(count, rank) * 0.5**count
    at = max(rank - 1, 0)
    return ordered[at], ordered[count - 1 - at]


DTYPE = np.dtype(list(FIELDS))
Samples = NDArray[np.void]
Window = tuple[float, float]  #: Monotonic seconds, [begin, end).
Pauses = Sequence[Window]  #: Parts of a window that don't count.
LATE_S = 0.01  #: A journey that starts no later than this found a free slot.
EDGE_S = 0.01  #: So little early or late, a second of the window is whole.


def distribution(seconds: NDArray[np.float64]) -> Distribution:
    """Mean, extremes and the percentiles that so many samples carry, none above the largest."""
    if not len(seconds):
        return Distribution(count=0)
    extremes = float(seconds.min()), float(seconds.max())
    return _distribution(histogram.of(seconds), float(seconds.sum()), *extremes)


def _distribution(counted: Histogram, sum_s: float, min_s: float, max_s: float) -> Distribution:
    count = histogram.size(counted)
    return Distribution(
        count=count,
        mean_s=sum_s / count,
        min_s=min_s,
        max_s=max_s,
        percentiles={percent: min(value, max_s) for percent, value in percentiles(counted).items()},
        histogram=histogram.encode(counted),
    )


def percentiles(counted: Histogram, wanted: Sequence[float] = PERCENTILES) -> dict[float, float]:
    """Seconds at each of these percentiles that the histogram has samples enough for."""
    total = histogram.size(counted)
    enough = [percent for percent in wanted if total >= samples_needed(max(percent, 100 - percent))]
    return histogram.values_at(counted, enough)


def summarise(
    samples: Samples,
    *,
    name: str,
    scope: str,
    window: Window,
    pauses: Pauses = (),
    examples: Mapping[int, str] | None = None,
    waits: bool = False,
) -> Summary:
    """The figures of these samples over a window, less its pauses: the settling between stages.

    Times and failures are those of the requests that were *meant to start* in the window, also when
    they finished after it. Throughput and goodput count what *finished* in it: the late ones would
    flatter a slow server.
    """
    length_s = _length_s(window, pauses)
    started = samples[inside(samples["intended_start"], window, pauses)]
    finished = samples[inside(samples["finish"], window, pauses)]
    finished = finished[finished["kind"] != Kind.UNFINISHED]
    right = started[started["kind"] == Kind.OK]
    timed = right[:0] if scope in MOMENTS else right
    kinds, counts = np.unique(started["kind"][started["kind"] != Kind.OK], return_counts=True)
    failed = {Kind(int(kind)): int(count) for kind, count in zip(kinds, counts, strict=True)}
    messages = {Kind(kind).words: text for kind, text in (examples or {}).items() if kind in failed}
    return Summary(
        name=name,
        scope=scope,
        requests=len(started),
        failures=sum(failed.values()),
        failures_by_kind={kind.words: count for kind, count in failed.items()},
        failure_examples=messages,
        throughput=len(finished) / length_s,
        goodput=int((finished["kind"] == Kind.OK).sum()) / length_s,
        body_bytes=int(right["body_bytes"].sum()),
        response_time=distribution(timed["finish"] - timed["intended_start"]),
        service_time=distribution(timed["finish"] - timed["start"]),
        concurrency=concurrency(samples, window=window, pauses=pauses),
        wait_time=distribution(timed["start"] - timed["intended_start"]) if waits else None,
    )


def arrivals(
    journeys: Samples, *, window: Window, pauses: Pauses = (), sent: int, dropped: int
) -> Arrivals:
    """What became of arrivals, each a journey; `sent` and `dropped` are of the same window."""
    length_s = _length_s(window, pauses)
    begun = inside(journeys["start"], window, pauses)
    meant = journeys[inside(journeys["intended_start"], window, pauses)]
    return Arrivals(
        offered_rate=(sent + dropped) / length_s,
        achieved_rate=int(begun.sum()) / length_s,
        late=int((meant["start"] - meant["intended_start"] > LATE_S).sum()),
        dropped=dropped,
    )


def concurrency(
    samples: Samples, *, window: Window, pauses: Pauses = (), since: str = "start"
) -> float:
    """Mean number in flight over a window; with `since="intended_start"` of the waiting, too."""
    overlap = _overlap_s(samples, window, since)
    overlap -= sum(_overlap_s(samples, pause, since) for pause in pauses)
    return overlap / _length_s(window, pauses)


def _overlap_s(samples: Samples, window: Window, since: str) -> float:
    begin, end = window
    overlap = np.minimum(samples["finish"], end) - np.maximum(samples[since], begin)
    return float(np.maximum(overlap, 0.0).sum())


def inside(moments: NDArray[np.float64], window: Window, pauses: Pauses = ()) -> NDArray[np.bool_]:
    """Which of these moments lie in the window, and in none of its pauses."""
    within: NDArray[np.bool_] = (moments >= window[0]) & (moments < window[1])
    for begin, end in pauses:
        within &= (moments < begin) | (moments >= end)
    return within


def _length_s(window: Window, pauses: Pauses) -> float:
    return window[1] - window[0] - sum(end - begin for begin, end in pauses)


def intervals(
    samples: Samples,
    *,
    origin: float,
    window: Window,
    pauses: Pauses = (),
    users: Sequence[tuple[float, int]] = (),
    connections: Sequence[tuple[float, int]] = (),
    strays: Samples | None = None,
) -> Iterator[Interval]:
    """One interval for each whole second since `origin`, empty seconds included.

    `users` are (monotonic second, users then running), `connections` the same of open WebSockets;
    each interval takes the last before its end. `strays` are None where there are no WebSockets.
    """
    if not len(samples) and not connections:
        return
    by_finish = samples[np.argsort(samples["finish"], kind="stable")]
    seconds = np.floor(by_finish["finish"] - origin).astype(np.int64)
    last = int(max([*seconds[-1:], np.ceil(window[1] - origin - EDGE_S) - 1]))
    edges = np.searchsorted(seconds, np.arange(0, last + 2))
    asides = None if strays is None else np.floor(strays["finish"] - origin).astype(np.int64)
    for second in range(last + 1):
        part = by_finish[edges[second] : edges[second + 1]]
        right = part[part["kind"] == Kind.OK]
        aside = None if strays is None else strays[asides == second]
        interval = Interval(
            second=second,
            phase=_phase(origin + second, window, pauses),
            successes=len(right),
            failures=len(part) - len(right),
            users=_known_before(users, origin + second + 1),
            connections=_known_before(connections, origin + second + 1),
            strays=None if aside is None else int((~np.isin(aside["kind"], ENDS)).sum()),
            closed=None if aside is None else int(np.isin(aside["kind"], ENDS).sum()),
        )
        yield _timed(interval, histogram.of(right["finish"] - right["intended_start"]))


def _timed(interval: Interval, counted: Histogram) -> Interval:
    """With what the histogram of its successes tells."""
    if not len(counted):
        return interval
    figures = percentiles(counted, (50, 95, 99))
    return replace(
        interval,
        p50_s=figures.get(50),
        p95_s=figures.get(95),
        p99_s=figures.get(99),
        histogram=histogram.encode(counted),
    )


def with_users(
    intervals: Iterable[Interval], users: Sequence[tuple[float, int]], origin: float
) -> Iterator[Interval]:
    for interval in intervals:
        yield replace(interval, users=_known_before(users, origin + interval.second + 1))


SHARED = ("level", "order", "second", "users", "window")  #: Numbers that parts have in common.


def added(parts: Sequence[Any]) -> Any:
    """Figures of parts of the samples, summed up field by field: the figures of all. What one part
    doesn't know isn't known; texts are those of the first.
    """
    first = parts[0]
    if any(part is None for part in parts):
        return None
    if isinstance(first, Distribution):
        if not (some := [part for part in parts if part.count]):
            return first
        return _distribution(
            histogram.merged(part.histogram for part in some),
            sum(part.count * part.mean_s for part in some),
            min(part.min_s for part in some),
            max(part.max_s for part in some),
        )
    if is_dataclass(first) and not isinstance(first, type):
        names = [one.name for one in fields(first) if one.name not in SHARED]
        sums = {name: added([getattr(part, name) for part in parts]) for name in names}
        whole = replace(first, **sums)
        if isinstance(whole, Interval):
            whole = _timed(whole, histogram.merged(filter(None, (p.histogram for p in parts))))
        return whole
    if isinstance(first, Mapping):
        keys = dict.fromkeys(chain.from_iterable(parts))
        return {key: added([part[key] for part in parts if key in part]) for key in keys}
    if isinstance(first, list | tuple):
        rows = zip_longest(*parts)
        return tuple(added([part for part in row if part is not None]) for row in rows)
    return sum(parts) if type(first) in (int, float) else first


def _known_before(counts: Sequence[tuple[float, int]], moment: float) -> int | None:
    """The last of these counts that was taken before that moment."""
    before = bisect_left(counts, (moment, -1))
    return counts[before - 1][1] if before else None


def _phase(moment: float, window: Window, pauses: Pauses) -> Phase:
    """The phase in which a second begins; a stage settles in a warm-up of its own."""
    settling = any(begin - EDGE_S <= moment < end - EDGE_S for begin, end in pauses)
    if moment < window[0] - EDGE_S or settling:
        return Phase.WARM_UP
    return Phase.WINDOW if moment < window[1] - EDGE_S else Phase.DRAIN
