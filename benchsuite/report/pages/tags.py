"""Figures with their units in templates: `{% load benchsuite %}`."""

from collections.abc import Callable
from typing import Any

from django import template
from django.template import Context

from benchsuite.comparing import titles
from benchsuite.core import units
from benchsuite.core.commands import command
from benchsuite.core.glossary import meaning
from benchsuite.models import Run
from benchsuite.report import flames
from benchsuite.report.pages import history, html
from benchsuite.store import notes
from benchsuite.system.programs import short_revision

register = template.Library()

FILTERS: dict[str, Callable[..., Any]] = {
    "count": units.format_count,
    "rate": units.format_rate,
    "percent": units.format_percent,
    "bytes": units.format_bytes,
    "duration": units.format_duration,
    "words": units.in_words,
    "meaning": meaning,
    "badge": html.badge,
    "state": html.state,
    "reason": html.reason,
    "term": html.term,
    "codes": html.codes,
    "figure": html.figure_text,
    "listed": html.listed_text,
    "load": titles.load_title,
    "size": titles.size_title,
    "cpus": titles.cpus_title,
    "units": titles.units_beside,
    "workload": titles.workload_title,
    "options": titles.options_title,
    "drawing": flames.drawing,
    "moment": history.moment,
    "revision": short_revision,
    "configuration": history.title,
}
for name, function in FILTERS.items():
    register.filter(name, function)
register.simple_tag(html.missing, name="missing")
register.simple_tag(command)


@register.filter
def seconds(value: float | None) -> str:
    """A time that was set, not measured: every digit that was given."""
    return units.MISSING if value is None else f"{value:g} s"


@register.filter
def at(figures: dict[str, Any], name: str) -> Any:
    """One entry of a dict by its name, None when it is missing."""
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
