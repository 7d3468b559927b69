"""Each view at its name, its async twin at the name with _async; runs mount this at /bench/."""

from django.urls import include, path

from benchsuite.target.views import async_, events, sync

TWINS = (
    *("plain", "get", "echo", "sleep", "cpu", "io_create", "io_read", "io_join", "io_lock"),
    *("bench_app", "upstream"),
)

urlpatterns = [
    *(path(f"{name}/", getattr(sync, name)) for name in TWINS),
    *(path(f"{name}_async/", getattr(async_, name)) for name in TWINS),
    path("sse/", events.sse),
    path("survey/", include("benchsuite.target.survey.urls")),
]
