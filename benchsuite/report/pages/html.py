"""Pieces of HTML for pages, and a page as one HTML file that opens without a network."""

import base64
import gzip
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchsuite.comparing.titles import level_title
from benchsuite.core.commands import as_called
from benchsuite.core.glossary import meaning
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import UNREADABLE, Status
from benchsuite.core.units import MISSING, format_count
from benchsuite.models import Run
from benchsuite.report.charts.drawing import checked
from benchsuite.report.sentences import figure

SHAPES = {
    "valid": "●",
    "weak": "◐",
    "invalid": "○",
    "running": "▶",
    "failed": "✗",
    "interrupted": "■",
    UNREADABLE: "✗",
    "info": "◇",
}


def figure_text(run: Run, metric: Metric) -> SafeString | str:
    text, reason = figure(run, metric)
    return missing(reason) if reason else text


def listed_text(run: Run, metric: Metric) -> SafeString | str:
    """The same in a list: goodput with its level, or the memory of each idle connection."""
    if metric.name != "goodput":
        return figure_text(run, metric)
    beside = f"at {level}" if (level := level_title(run)) else ""
    if run.connection_bytes is not None:
        metric, beside = every.figure("connection_bytes"), "per connection"
    elif run.completions is not None and not beside:
        beside = f"{format_count(run.completions)} completed"
    shown = figure_text(run, metric)
    return format_html('{} <span class="quiet">{}</span>', shown, beside) if beside else shown


def missing(reason: str) -> SafeString:
    return format_html('<span class="missing" title="{}">{}</span>', reason, MISSING)


def state(run: Run) -> str:
    """The one word for a run: its verdict or, when it has none, what became of it."""
    if run.status == Status.FINISHED.value and run.verdict:
        return run.verdict
    return run.status


def badge(word: str) -> SafeString:
    """A verdict or a status as a shape and a word, never as a colour alone."""
    html = '<span class="verdict {}"><span aria-hidden="true">{}</span> {}</span>'
    return format_html(html, word, SHAPES.get(word, "·"), word)


CODE = re.compile(r"\b[BL]\d\d[0-9a-z]?\b")


def term(text: str) -> SafeString | str:
    """A word or a code with its meaning, on pointing or focus; the text alone where it has none."""
    html = '<abbr class="term" tabindex="0" title="{}">{}</abbr>'
    return format_html(html, explained, text) if (explained := meaning(text)) else text


def codes(sentence: str) -> SafeString:
    parts = [*(term(code) for code in CODE.findall(sentence)), ""]
    return format_html_join("", "{}{}", zip(CODE.split(sentence), parts, strict=True))


def reason(run: Run, most: int = 200) -> str:
    """The first line of why a run has no result, or not a whole one."""
    lines = run.failure.strip().splitlines() or [""]
    return lines[0] if len(lines[0]) <= most else f"{lines[0][: most - 1]}…"


STATIC = Path(__file__).parents[2] / "static" / "benchsuite"
PLOTLY = STATIC / "plotly-basic-4.1.1.min.js"
ELSEWHERE = re.compile(r'<a\b[^>]*?\bhref="(?!#|https?://)[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
"""A link into the console, which whoever opens a file may not have."""


@cache
def _packed_plotly() -> str:
    return base64.b64encode(gzip.compress(PLOTLY.read_bytes(), mtime=0)).decode()


def one_file(name: str, context: Mapping[str, Any]) -> str:
    """A page as one HTML file that opens without a network, by the page's own template, which knows
    the file by `offline`. Charts are drawn by plotly.js, which stands in it once, packed; what
    leaves the house is checked by the package plotly before.
    """
    charts = [checked(chart) for chart in context.get("charts", ())]
    whole = {
        **context,
        "offline": True,
        "now": datetime.now(UTC),
        "styles": (STATIC / "benchsuite.css").read_text(),
        "scripts": [(STATIC / f"{one}.js").read_text() for one in ("benchsuite", "charts")],
        "plotly": _packed_plotly() if charts else "",
    }
    return as_called(ELSEWHERE.sub(r"\1", render_to_string(f"benchsuite/{name}.html", whole)))
