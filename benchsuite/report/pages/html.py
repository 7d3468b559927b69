"""What `{% load benchsuite %}` gives to templates, and a page as one HTML file."""

import base64
import gzip
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchsuite.comparing import titles
from benchsuite.core import units
from benchsuite.core.commands import as_called, command
from benchsuite.core.glossary import meaning
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric
from benchsuite.models import Run
from benchsuite.report.charts.drawing import checked
from benchsuite.report.limiting import drawing
from benchsuite.report.pages import history
from benchsuite.report.sentences import SHAPES, figure, reason, state
from benchsuite.store import notes
from benchsuite.system.programs import short_revision

register = template.Library()


def figure_text(run: Run, metric: Metric) -> SafeString | str:
    text, reason = figure(run, metric)
    return missing(reason) if reason else text


def listed_text(run: Run, metric: Metric) -> SafeString | str:
    """The same in a list: goodput with its level, or the memory of each idle connection."""
    if metric.name != "goodput":
        return figure_text(run, metric)
    beside = f"at {level}" if (level := titles.level_title(run)) else ""
    if run.connection_bytes is not None:
        metric, beside = every.figure("connection_bytes"), "per connection"
    elif run.completions is not None and not beside:
        beside = f"{units.format_count(run.completions)} completed"
    shown = figure_text(run, metric)
    return format_html('{} <span class="quiet">{}</span>', shown, beside) if beside else shown


@register.simple_tag
def missing(reason: str) -> SafeString:
    return format_html('<span class="missing" title="{}">{}</span>', reason, units.MISSING)


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


@register.filter
def seconds(value: float | None) -> str:
    """A time that was set, not measured: every digit that was given."""
    return units.MISSING if value is None else f"{value:g} s"


@register.filter
def at(figures: dict[str, Any], name: str) -> Any:
    return figures.get(name)


@register.inclusion_tag("benchsuite/_history_line.html")
def history_line(run: Run) -> dict[str, Any]:
    """The runs of its configuration as a small line on which it is marked, in two queries."""
    return {"run": run, "line": history.line(run)}


@register.inclusion_tag("benchsuite/_note.html", takes_context=True)
def note(context: Context, run: Run) -> dict[str, Any]:
    """The notes of a run and of its label, and where they are changed, in one query."""
    kept = notes.of([run])
    own = any(one.run_id == run.pk for one in kept)
    may = context.get("may_note") or bool  # of a page; a file has no such thing
    return {"run": run, "notes": kept, "own": own, "may_note": may()}


FILTERS: dict[str, Callable[..., Any]] = {
    "count": units.format_count,
    "rate": units.format_rate,
    "percent": units.format_percent,
    "bytes": units.format_bytes,
    "duration": units.format_duration,
    "words": units.in_words,
    "meaning": meaning,
    "badge": badge,
    "state": state,
    "reason": reason,
    "term": term,
    "codes": codes,
    "figure": figure_text,
    "listed": listed_text,
    "load": titles.load_title,
    "size": titles.size_title,
    "cpus": titles.cpus_title,
    "units": titles.units_beside,
    "workload": titles.workload_title,
    "options": titles.options_title,
    "drawing": drawing,
    "day": history.day,
    "moment": history.moment,
    "revision": short_revision,
    "configuration": history.title,
}
for name, function in FILTERS.items():
    register.filter(name, function)
register.simple_tag(command)


STATIC = Path(__file__).parents[2] / "static" / "benchsuite"
PLOTLY = STATIC / "plotly-basic-4.1.1.min.js"
ELSEWHERE = re.compile(r'<a\b[^>]*?\bhref="(?!#|https?://)[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
"""A link into the console, which whoever opens a file may not have."""


@cache
def _packed_plotly() -> str:
    return base64.b64encode(gzip.compress(PLOTLY.read_bytes(), mtime=0)).decode()


def one_file(name: str, context: Mapping[str, Any]) -> str:
    """A page as one HTML file that opens without a network, by the page's own template, which knows
    it by `offline`. Charts are checked by the package plotly, and drawn by plotly.js, packed in it.
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
