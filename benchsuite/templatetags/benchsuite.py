"""Figures with their units in templates: `{% load benchsuite %}`."""

from typing import Any

from django import template
from django.template import Context

from benchsuite.comparing.titles import options_title, size_title, workload_title
from benchsuite.core.commands import command
from benchsuite.core.glossary import meaning
from benchsuite.core.units import (
    MISSING,
    format_bytes,
    format_count,
    format_duration,
    format_percent,
    format_rate,
    in_words,
)
from benchsuite.models import Run
from benchsuite.report.pages import history, html
from benchsuite.store import notes
from benchsuite.system.programs import short_revision

register = template.Library()

register.filter("count", format_count)
register.filter("rate", format_rate)
register.filter("percent", format_percent)
register.filter("bytes", format_bytes)
register.filter("badge", html.badge)
register.filter("state", html.state)
register.filter("reason", html.reason)
register.filter("meaning", meaning)
register.filter("figure", html.figure_text)
register.filter("moment", history.moment_words)
register.filter("size", size_title)
register.filter("load", html.load_text)
register.filter("listed", html.listed_text)
register.filter("workload", workload_title)
register.filter("options", options_title)
register.filter("configuration", history.title)
register.filter("duration", format_duration)
register.filter("term", html.term)
register.filter("codes", html.codes)
register.filter("words", in_words)


register.simple_tag(command)


@register.simple_tag
def missing(reason: str) -> str:
    return html.missing(reason)


@register.filter
def seconds(value: float | None) -> str:
    """A time that was set, not measured: every digit that was given."""
    return MISSING if value is None else f"{value:g} s"


@register.filter
def at(figures: dict[str, Any], name: str) -> Any:
    """One entry of a dict by its name, None when it is missing."""
    return figures.get(name)


@register.filter
def revision(run: Run) -> str:
    return short_revision(run.revision)


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
