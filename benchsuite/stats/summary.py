"""From samples to figures. Pure functions over one array of samples."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from benchsuite.results import PERCENTILES, Distribution, Interval, Phase, Summary
from benchsuite.stats import histogram
from benchsuite.stats.percentiles import samples_needed
from benchsuite.stats.samples import FIELDS, Kind

DTYPE = np.dtype(list(FIELDS))
Samples = NDArray[np.void]


def distribution(seconds: NDArray[np.float64]) -> Distribution:
    """Mean, extremes and the percentiles that so many samples can carry."""
    if not len(seconds):
        return Distribution(count=0)
    counted = histogram.of(seconds)
    return Distribution(
        count=len(seconds),
        mean_s=float(seconds.mean()),
        min_s=float(seconds.min()),
        max_s=float(seconds.max()),
        percentiles=percentiles(counted),
        histogram=histogram.encode(counted),
    )


def percentiles(counted: HdrHistogram) -> dict[float, float]:
    """Seconds at each percentile of `PERCENTILES` that the histogram has samples enough for."""
    total = counted.get_total_count()
    return {
        percent: histogram.value_at(counted, percent)
        for percent in PERCENTILES
        if total >= samples_needed(max(percent, 100 - percent))
    }


def summarise(
    samples: Samples,
    *,
    name: str,
    scope: str,
    window: tuple[float, float],
    examples: Mapping[Kind, str] | None = None,
) -> Summary:
    """The figures of these samples over a window of monotonic seconds [begin, end).

    Times and failures are those of the requests that were *meant to start* in the window, also
    when they finished after it. Throughput and goodput count what *finished* in it: counting the
    late ones too would flatter a slow server with work it did afterwards.
    """
    begin, end = window
    started = samples[(samples["intended_start"] >= begin) & (samples["intended_start"] < end)]
    finished = samples[(samples["finish"] >= begin) & (samples["finish"] < end)]
    finished = finished[finished["kind"] != Kind.UNFINISHED]
    right = started[started["kind"] == Kind.OK]
    kinds, counts = np.unique(started["kind"][started["kind"] != Kind.OK], return_counts=True)
    failed = {Kind(int(kind)): int(count) for kind, count in zip(kinds, counts, strict=True)}
    return Summary(
        name=name,
        scope=scope,
        requests=len(started),
        failures=sum(failed.values()),
        failures_by_kind={kind.words: count for kind, count in failed.items()},
        failure_examples={
            kind.words: text for kind, text in (examples or {}).items() if kind in failed
        },
        throughput=len(finished) / (end - begin),
        goodput=int((finished["kind"] == Kind.OK).sum()) / (end - begin),
        body_bytes=int(right["body_bytes"].sum()),
        response_time=distribution(right["finish"] - right["intended_start"]),
        service_time=distribution(right["finish"] - right["start"]),
        concurrency=concurrency(samples, window=window),
    )


def concurrency(samples: Samples, *, window: tuple[float, float]) -> float:
    """Mean number of requests in flight over the window: the sum of their overlaps with it, by
    its length.
    """
    begin, end = window
    overlap = np.minimum(samples["finish"], end) - np.maximum(samples["start"], begin)
    return float(np.maximum(overlap, 0.0).sum() / (end - begin))


def intervals(
    samples: Samples,
    *,
    origin: float,
    window: tuple[float, float],
    users: Sequence[tuple[float, int]] = (),
) -> Iterator[Interval]:
    """One interval for each whole second since `origin`, empty seconds included.

    `users` are (monotonic second, users then running); each interval takes the last one before
    its end.
    """
    if not len(samples):
        return
    by_finish = samples[np.argsort(samples["finish"], kind="stable")]
    seconds = np.floor(by_finish["finish"] - origin).astype(np.int64)
    last = int(max(seconds[-1], np.ceil(window[1] - origin) - 1))
    edges = np.searchsorted(seconds, np.arange(0, last + 2))
    for second in range(last + 1):
        part = by_finish[edges[second] : edges[second + 1]]
        right = part[part["kind"] == Kind.OK]
        counted = histogram.of(right["finish"] - right["intended_start"]) if len(right) else None
        figures = percentiles(counted) if counted is not None else {}
        before = [count for moment, count in users if moment < origin + second + 1]
        yield Interval(
            second=second,
            phase=_phase(origin + second, window),
            successes=len(right),
            failures=len(part) - len(right),
            users=before[-1] if before else None,
            p50_s=figures.get(50),
            p95_s=figures.get(95),
            p99_s=figures.get(99),
            histogram=histogram.encode(counted) if counted is not None else "",
        )


def _phase(moment: float, window: tuple[float, float]) -> Phase:
    """The phase in which a second begins, to a hundredth: window edges are seldom whole seconds."""
    if moment < window[0] - 0.01:
        return Phase.WARM_UP
    return Phase.WINDOW if moment < window[1] - 0.01 else Phase.DRAIN
