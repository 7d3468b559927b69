"""Each view at its name, its async twin at the name with _async; runs mount this at /bench/."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from django.urls import URLPattern, include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from benchsuite.target import views
from benchsuite.target.gate import only_in_a_run, only_in_a_run_async
from benchsuite.target.survey import views as survey

TWINS = (
    *("plain", "get", "echo", "sleep", "cpu", "io_create", "io_read", "io_join", "io_lock"),
    *("bench_app", "upstream"),
)
POSTED = ("echo", "io_create", "io_lock")


def _twins(name: str) -> Iterator[URLPattern]:
    """What has no async twin awaits nothing: it blocks the event loop, as such code does."""
    view = getattr(views, name)
    twin = getattr(views, f"{name}_async", view)
    gated: tuple[Callable[..., Any], ...] = only_in_a_run(view), only_in_a_run_async(twin)
    for place, answer in zip((name, f"{name}_async"), gated, strict=True):
        yield path(f"{place}/", csrf_exempt(require_POST(answer)) if name in POSTED else answer)


SURVEYS = [
    path("", only_in_a_run(survey.listing), name="list"),
    path("<slug:slug>/", only_in_a_run(survey.start), name="start"),
    path("<slug:slug>/<int:number>/", only_in_a_run(survey.page), name="page"),
    path("<slug:slug>/thanks/<str:code>/", only_in_a_run(survey.thanks), name="thanks"),
]

urlpatterns = [
    *chain.from_iterable(map(_twins, TWINS)),
    path("sse/", only_in_a_run(views.sse)),
    path("survey/", include((SURVEYS, survey.NAMES))),
]
