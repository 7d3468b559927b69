"""Figures with their units in templates: `{% load benchsuite %}`."""

from typing import Any

from django import template

from benchsuite.core.glossary import meaning
from benchsuite.core.units import MISSING, format_count, format_percent, format_rate
from benchsuite.report.pages import html

register = template.Library()

register.filter("count", format_count)
register.filter("rate", format_rate)
register.filter("percent", format_percent)
register.filter("badge", html.badge)
register.filter("state", html.state)
register.filter("reason", html.reason)
register.filter("meaning", meaning)


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
