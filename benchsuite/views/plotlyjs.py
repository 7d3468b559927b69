"""Serves plotly.js from the installed package: no network, no collectstatic."""

from functools import cache
from importlib import metadata
from importlib.resources import files

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page

YEAR_S = 365 * 24 * 3600


@gzip_page
@cache_control(public=True, max_age=YEAR_S, immutable=True)
def show(request: HttpRequest, version: str) -> HttpResponse:
    """The script; its URL names its version, so it may be kept for ever. It is no secret."""
    if version != _version():
        raise Http404(f"The installed plotly is {_version()}.")
    return HttpResponse(_script(), content_type="text/javascript; charset=utf-8")


def plotly_url() -> str:
    return reverse("benchsuite:plotly", args=[_version()])


@cache
def _version() -> str:
    return metadata.version("plotly")


@cache
def _script() -> bytes:
    return files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
