"""The pages: `path("results/", include("benchsuite.urls"))`."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponseBase
from django.urls import path
from django.utils.module_loading import import_string

app_name = "benchsuite"


def view(name: str) -> Callable[..., HttpResponseBase]:
    """A view by its name, imported when it is asked for: every command reads this module."""

    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        shown: Callable[..., HttpResponseBase] = import_string(f"benchsuite.views.{name}")
        return shown(request, *args, **kwargs)

    asked.__name__ = name
    for alias in connections:  # else Django would query the database before us
        transaction.non_atomic_requests(using=alias)(asked)
    return login_not_required(asked)  # by the access rule, whatever middleware the project has


urlpatterns = [
    path("", view("listing.show"), name="list"),
    path("under-way/", view("live.rows"), name="under-way"),
    path("live/<str:kind>/<uuid:pk>/", view("live.show"), name="live"),
    path("export/", view("listing.export"), name="export"),
    path("note/", view("run.note_on"), name="note"),
    path("configurations/", view("listing.configurations"), name="configurations"),
    path("configurations/<str:key>/", view("run.configuration"), name="history"),
    path("delete/", view("run.delete"), name="delete"),
    path("ask/", view("ask.show"), name="ask"),
    path("compare/", view("compare.show"), name="compare"),
    path("studies/", view("executions.studies"), name="studies"),
    path("studies/<str:name>/", view("executions.study"), name="study"),
    path("tune/", view("executions.tunings"), name="tunings"),
    path("tune/<uuid:pk>/", view("executions.tuning"), name="tuning"),
    path("<uuid:pk>/", view("run.show"), name="run"),
    path("<uuid:pk>/export/", view("run.export"), name="run-export"),
    path("<uuid:pk>/<slug:slug>.csv", view("run.chart"), name="chart"),
]
