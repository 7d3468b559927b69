"""Figures and verdicts of a run as small pieces of HTML."""

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from benchsuite.comparing.titles import units_beside
from benchsuite.core.metrics.metric import Metric
from benchsuite.core.results import UNREADABLE, Status
from benchsuite.core.units import MISSING
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
    UNREADABLE: "✗",
}


def figure(run: Run, metric: Metric) -> SafeString | str:
    """The figure with its unit, or "—" with the reason as its title."""
    value = metric.value(run)
    if value is None:
        return missing(missing_reason(run, metric))
    return metric.show(value, units_beside(run))


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
