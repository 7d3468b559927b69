"""Refuses a large body before any of it is read."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse

from benchsuite.target.survey.definitions import LARGEST_UPLOAD
from benchsuite.target.survey.rendering import rendered

LARGEST_BODY = 2 * LARGEST_UPLOAD

P = ParamSpec("P")


def bounded(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Answers 413 to more than LARGEST_BODY bytes."""

    @wraps(view)
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return rendered(request, "too_large", {"most": LARGEST_BODY}, status=413)
        return view(request, *args, **kwargs)

    return inner
