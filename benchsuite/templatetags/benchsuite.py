"""Figures with their units in templates: `{% load benchsuite %}`."""

from typing import Any

from django import template

from benchsuite.core.units import MISSING, format_count, format_percent, format_rate
from benchsuite.report.pages import html
from benchsuite.report.studies.others import interval_words
from benchsuite.report.studies.told import SHAPES
from benchsuite.studies.claims import Outcome

register = template.Library()

register.filter("count", format_count)
register.filter("rate", format_rate)
register.filter("percent", format_percent)
register.filter("badge", html.badge)
register.filter("state", html.state)
register.filter("reason", html.reason)
register.filter("interval", interval_words)


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
def outcome(one: Outcome) -> str:
    """With a shape, so that no colour tells it alone."""
    return f"{SHAPES[one]} {one.value}"
