"""A run with several levels: goodput and the band of response times against users or rate."""

from collections.abc import Sequence

from benchsuite.core.units import format_count, format_number, format_rate
from benchsuite.models import Measurement
from benchsuite.report.charts import marks, styles
from benchsuite.report.charts.series import RESPONSE_TIME, Axis, Column, Series
from benchsuite.report.stages import band

MARKS = {
    "p50_s": marks.dotted_line(styles.GOOD, name="median"),
    "p95_s": marks.dotted_line(styles.GOOD, "dash"),
    "p90_s": marks.band(styles.GOOD, "p10_s", "p10 to p90", 0.25),
    "max_s": marks.band(styles.GOOD, "min_s", "min to max", 0.12),
}


def goodput(levels: Sequence[Measurement], units: str, who: str) -> Series:
    """Goodput and failures of each level; `units` are what is answered, `who` asks for it."""
    axis = _axis(levels, who)
    mark = marks.dotted_line(styles.GOOD)
    return Series(
        "stage-goodput",
        f"Goodput against {axis.title}",
        axis,
        Axis(f"goodput ({units} per second)", "/s"),
        (
            Column("level", axis.title, format_number),
            Column("goodput_per_s", "goodput", format_rate, mark=mark),
            Column("achieved_per_s", "sent", format_rate),
            Column("failures", "failed", format_count),
            Column("dropped", "dropped", format_count),
        ),
        tuple(
            (one.level, one.goodput, one.achieved_rate, one.failures, one.dropped) for one in levels
        ),
        "One point a level, each measured by itself.",
    )


def response_times(levels: Sequence[Measurement], who: str) -> Series:
    """Least, p10, median, p90, p95 and longest response time of each level."""
    axis = _axis(levels, who)
    return Series(
        "stage-response-times",
        f"Response time against {axis.title}",
        axis,
        RESPONSE_TIME,
        (
            Column("level", axis.title, format_number),
            *(Column(one.name, one.heading, one.show, mark=MARKS.get(one.name)) for one in band()),
        ),
        tuple((one.level, *(time.of_part(one) for time in band())) for one in levels),
        "The line is the median; the areas reach from p10 to p90, and from least to longest.",
    )


def _axis(levels: Sequence[Measurement], who: str) -> Axis:
    is_open = any(one.achieved_rate is not None for one in levels)
    return Axis("arrivals per second" if is_open else f"{who}s")
