"""The same comparison as if the CPUs had always been equally fast: B404 between sides."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from statistics import median

from benchsuite.comparing.contrasts import Contrast, Pair
from benchsuite.comparing.sides import Side
from benchsuite.core.metrics.metric import Metric
from benchsuite.core.units import format_percent
from benchsuite.findings.host import cpu_speed
from benchsuite.stats.compare import Comparison, compare

NARROWER = 0.01  #: By so much at least, which is more than resampling makes by chance.


def corrected(one: Contrast) -> str:
    """Ratio and interval, each start's figure taken to the speed of its target's CPUs; empty where
    that is not known, where nothing follows from it (memory; a rate that was given), and where the
    result is no surer than what was measured.
    """
    sides = [_figures(side, one.metric) for side in (one.baseline, one.candidate)]
    if not all(sides):
        return ""
    found = compare(*sides, scale=one.found.scale, margin=one.found.margin)
    if not _is_surer(found, one.found):
        return ""
    text = replace(one, found=found)
    figures = " ".join(filter(None, (text.value_text, text.interval_text)))
    return f"{one.name}, corrected for the CPUs' speed: {figures}."


def notes(pairs: Iterable[Pair]) -> Iterator[str]:
    """What is to be known where one side's CPUs were slower than the other's."""
    rule = cpu_speed.rule
    for sides in pairs:
        (first, before), (second, after) = ((one, _work_s(one)) for one in sides)
        if before is None or after is None:
            continue
        (fast, least), (slow, most) = sorted(
            ((first.title, before), (second.title, after)), key=lambda side: side[1]
        )
        percent = (most / least - 1) * 100
        if rule.level(percent) is not None:
            yield (
                f"{rule.code}: a fixed piece of work took {format_percent(percent)} longer on the "
                f"CPUs of {slow} than on those of {fast}. Ratios corrected for it stand below the "
                "others, where that narrows their intervals."
            )


def _figures(side: Side, metric: Metric) -> list[float]:
    found = []
    for run in side.starts:
        value, work_s = metric.value(run), run.target_work_s
        is_open = run.spec.get("load", {}).get("model") == "open"
        grows = metric.with_speed > 0
        if value is None or not work_s or not metric.with_speed or (is_open and grows):
            return []
        found.append(value * work_s if grows else value / work_s)
    return found


def _is_surer(found: Comparison, measured: Comparison) -> bool:
    """Whether its interval is narrower, and leaves a clear difference as it was measured."""
    if not (found.low and found.high and measured.low and measured.high):
        return False
    if found.high / found.low > (1 - NARROWER) * measured.high / measured.low:
        return False
    more, less = measured.low > measured.nothing, measured.high < measured.nothing
    return not ((more and found.low <= found.nothing) or (less and found.high >= found.nothing))


def _work_s(side: Side) -> float | None:
    known = [run.target_work_s for run in side.starts if run.target_work_s]
    return median(known) if known else None
