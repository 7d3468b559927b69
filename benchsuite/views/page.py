"""Renders pages without assumptions about the project."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse

from benchsuite.views import access
from benchsuite.views.plotlyjs import plotly_urls


def page(
    request: HttpRequest, name: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Renders one of our templates; adds `request`, as a project may lack the processor."""
    common = {
        "request": request,
        "admin_url": url_or_none("admin:index"),
        "open_by_token": access.open_by_token(),
        **plotly_urls(),
    }
    return render(request, f"benchsuite/{name}.html", {**common, **context}, status=status)


def problem(request: HttpRequest, message: str, *, status: int, title: str = "") -> HttpResponse:
    """A page with one sentence about the error and a link to the list."""
    titles = {400: "That can’t be shown", 403: "No access", 404: "Not found"}
    context = {"title": title or titles[status], "message": message}
    return page(request, "problem", context, status=status)


def url_or_none(name: str, *args: Any) -> str | None:
    """The URL of a view that may not be mounted."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return None
