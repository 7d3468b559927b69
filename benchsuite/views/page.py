"""Renders pages without assumptions about the project, with plotly.js from our own origin."""

import gzip
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control

from benchsuite.report.pages.html import VERSION, one_file, plotly
from benchsuite.views import access

YEAR_S = 365 * 24 * 3600


@cache_control(public=True, max_age=YEAR_S, immutable=True)
def script(request: HttpRequest, version: str) -> HttpResponse:
    """The script, public and cached forever, because its URL contains the version."""
    _be_present(version)
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    body = plotly() if packed else gzip.decompress(plotly())
    answer = HttpResponse(body, content_type="text/javascript; charset=utf-8")
    if packed:
        answer["Content-Encoding"] = "gzip"
    patch_vary_headers(answer, ["Accept-Encoding"])
    return answer


@cache_control(public=True, max_age=YEAR_S, immutable=True)
def style(request: HttpRequest, version: str) -> HttpResponse:
    """An empty style sheet for the rules of plotly.js: our policy allows no other."""
    _be_present(version)
    return HttpResponse(content_type="text/css; charset=utf-8")


def _be_present(version: str) -> None:
    if version != VERSION:
        raise Http404(f"The version of plotly.js here is {VERSION}.")


FILES = ("run", "compare", "history")
"""Pages that are files by themselves; those of studies and tunings are beside other formats."""


def page(
    request: HttpRequest, name: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Renders a template with what all need; some are one file with ?format=html."""
    if name in FILES and request.GET.get("format") == "html":
        filename = re.sub(r"[^\w-]+", "-", f"{name}-{context['title']}").strip("-")
        headers = {"Content-Disposition": f'attachment; filename="{filename}.html"'}
        return HttpResponse(one_file(name, context), headers=headers)
    common = {
        "request": request,
        "admin_url": url_or_none("admin:index"),
        "may_note": partial(access.may, request, "change_note"),  # asked where it matters
        "open_by_token": access.open_by_token(),
        "plotly_url": reverse("benchsuite:plotly", args=[VERSION]),
        "plotly_style_url": reverse("benchsuite:plotly-style", args=[VERSION]),
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
