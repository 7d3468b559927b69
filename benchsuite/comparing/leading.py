"""Who is first in a metric, with the interval, once there are enough starts to say so."""

from collections.abc import Sequence

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import Contrast, ranked
from benchsuite.core.metrics.metric import Metric
from benchsuite.stats.ranks import FEWEST_STARTS


def leading_sentence(cells: Sequence[Cell], metric: Metric) -> str:
    """ "granian-wsgi answered most: 1.31× gunicorn-gthread’s goodput [1.24, 1.38], p = 0.008.": the
    best against the next. Where these can't be told apart, why not, and the best against the
    nearest that is different.

    Empty when there are fewer than two cells, or one of the two has fewer than five starts: then
    one can only say what was seen.
    """
    found = ranked(cells, metric)
    if not found or min(found[0].found.starts) < FEWEST_STARTS:
        return ""
    nearest = found[0]
    best, other = _best_and_other(nearest)
    told = ""
    if not nearest.is_shown:
        figures = " ".join(part for part in (nearest.value_text, nearest.interval_text) if part)
        told = f"{best} and {other}, {metric.short} {figures}: {nearest.says}."
    different = next((one for one in found if one.is_shown), None)
    if different is None:
        return told
    ratio = metric.lost.format(
        ratio=f"{different.value_text}×",
        other=_best_and_other(different)[1],
        figure=f" {metric.short}",
    )
    first = f"{best} {metric.won}" if not told else f"{best} against the next that differs"
    return f"{told} {first}: {ratio} {different.interval_text}, {different.p_text}.".strip()


def _best_and_other(nearest: Contrast) -> tuple[str, str]:
    titles = (nearest.baseline.title, nearest.candidate.title)
    return (titles[1], titles[0]) if nearest.metric.more_is_better else titles
