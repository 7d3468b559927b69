"""The pages: `path("results/", include("benchsuite.urls"))`."""

from django.urls import path

from benchsuite.views import (
    ask,
    compare,
    export,
    listing,
    live,
    page,
    run,
    studies,
    tuning,
)

app_name = "benchsuite"

urlpatterns = [
    path("", listing.show, name="list"),
    path("under-way/", live.under_way, name="under-way"),
    path("live/<str:kind>/<uuid:pk>/", live.show, name="live"),
    path("export/", export.selection, name="export"),
    path("note/", listing.note_on, name="note"),
    path("configurations/", listing.configurations, name="configurations"),
    path("configurations/<str:key>/", run.configuration, name="history"),
    path("delete/", listing.delete, name="delete"),
    path("ask/", ask.show, name="ask"),
    path("compare/", compare.show, name="compare"),
    path("compare/<slug:slug>.csv", export.comparison_chart, {"form": "csv"}, name="compare-data"),
    path(
        "compare/<slug:slug>.html", export.comparison_chart, {"form": "html"}, name="compare-chart"
    ),
    path("studies/", studies.listing, name="studies"),
    path("studies/<str:name>/", studies.show, name="study"),
    path("studies/<str:name>/<slug:slug>.csv", studies.chart, {"form": "csv"}, name="study-data"),
    path(
        "studies/<str:name>/<slug:slug>.html", studies.chart, {"form": "html"}, name="study-chart"
    ),
    path("tune/", tuning.listing, name="tunings"),
    path("tune/<uuid:pk>/", tuning.show, name="tuning"),
    path("tune/<uuid:pk>/<slug:slug>.csv", tuning.chart, {"form": "csv"}, name="tuning-data"),
    path("tune/<uuid:pk>/<slug:slug>.html", tuning.chart, {"form": "html"}, name="tuning-chart"),
    path("plotly-<str:version>.min.js", page.script, name="plotly"),
    path("plotly-<str:version>.css", page.style, name="plotly-style"),
    path("<uuid:pk>/", run.show, name="run"),
    path("<uuid:pk>/export/", export.one_run, name="run-export"),
    path("<uuid:pk>/<slug:slug>.csv", export.run_chart, {"form": "csv"}, name="run-data"),
    path("<uuid:pk>/<slug:slug>.html", export.run_chart, {"form": "html"}, name="run-chart"),
]
