"""Figures with their units in templates: `{% load benchsuite %}`."""

from typing import Any

from django import template

from benchsuite.core.units import (
    MISSING,
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_period,
    format_rate,
)
from benchsuite.models import Run
from benchsuite.report.charts.series import percent_text
from benchsuite.report.pages import html

register = template.Library()

register.filter("count", format_count)
register.filter("number", format_number)
register.filter("duration", format_duration)
register.filter("period", format_period)
register.filter("rate", format_rate)
register.filter("bytes", format_bytes)
register.filter("percent", format_percent)
register.filter("percentile", percent_text)
register.filter("badge", html.badge)
register.filter("state", html.state)
register.filter("reason", html.reason)


@register.simple_tag
def figure(run: Run, column: str) -> str:
    """A figure of a run, or "—" with the reason."""
    return html.figure(run, column)


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
