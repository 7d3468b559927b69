"""Serves plotly.js (npm's plotly.js-basic-dist-min) from our own origin, compressed once."""

import gzip
from functools import cache
from importlib.resources import files

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control

VERSION = "4.1.1"
YEAR_S = 365 * 24 * 3600


@cache_control(public=True, max_age=YEAR_S, immutable=True)
def script(request: HttpRequest, version: str) -> HttpResponse:
    """The script, public and cached forever, because its URL contains the version."""
    _be_present(version)
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    body = _packed() if packed else gzip.decompress(_packed())
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


def plotly_urls() -> dict[str, str]:
    return {
        "plotly_url": reverse("benchsuite:plotly", args=[VERSION]),
        "plotly_style_url": reverse("benchsuite:plotly-style", args=[VERSION]),
    }


def _be_present(version: str) -> None:
    if version != VERSION:
        raise Http404(f"The version of plotly.js here is {VERSION}.")


@cache
def _packed() -> bytes:
    script = files("benchsuite").joinpath("static", "benchsuite", f"plotly-basic-{VERSION}.min.js")
    return gzip.compress(script.read_bytes())
