"""Renders the pages with a template engine of its own: the project may have none or another."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.backends.django import DjangoTemplates

FOLDER = Path(__file__).parent.parent / "templates"


@cache
def _engine() -> DjangoTemplates:
    return DjangoTemplates({"NAME": "survey", "DIRS": [FOLDER], "APP_DIRS": False, "OPTIONS": {}})


def rendered(
    request: HttpRequest, name: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """The page of the template of that name; its forms may use `csrf_token`."""
    template = _engine().get_template(f"benchsuite_target/survey/{name}.html")
    return HttpResponse(template.render(dict(context), request), status=status)
