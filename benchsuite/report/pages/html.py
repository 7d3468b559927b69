"""Pieces of HTML for pages, and a page as one HTML file that opens without a network."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from benchsuite.comparing.titles import units_beside
from benchsuite.core.metrics.metric import Metric
from benchsuite.core.results import UNREADABLE, Status
from benchsuite.core.units import MISSING
from benchsuite.models import Run
from benchsuite.report.charts.drawing import CONFIG, Chart, figure
from benchsuite.report.charts.series import HEIGHT
from benchsuite.report.sentences import missing_reason
from benchsuite.store.abandoned import planned_s

SHAPES = {
    "valid": "●",
    "weak": "◐",
    "invalid": "○",
    "running": "▶",
    "failed": "✗",
    "interrupted": "■",
    UNREADABLE: "✗",
}


def figure_text(run: Run, metric: Metric) -> SafeString | str:
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


STYLES = Path(__file__).parents[2] / "static" / "benchsuite" / "benchsuite.css"


def one_file(name: str, title: str, charts: Sequence[Chart], context: Mapping[str, Any]) -> str:
    """By that template, an extension of `file.html`; plotly.js stands in it once, with the first
    chart. Templates that a page shares with its file know the file by `offline`.
    """
    drawn = []
    for number, one in enumerate(charts):
        drawing = figure(one).update_layout(title=None, height=HEIGHT)
        chart = drawing.to_html(config=CONFIG, include_plotlyjs=number == 0, full_html=False)
        drawn.append((one.series.title, chart))
    own = {"title": title, "drawn": drawn, "styles": STYLES.read_text(), "offline": True}
    return render_to_string(f"benchsuite/{name}.html", {**own, **context})
