"""Each view at its name, its async twin at the name with _async; runs mount this at /bench/."""

from django.urls import include, path

from benchsuite.target.views import async_, events, sync

urlpatterns = [
    path("plain/", sync.plain),
    path("plain_async/", async_.plain),
    path("cpu/", sync.cpu),
    path("cpu_async/", async_.cpu),
    path("io_create/", sync.io_create),
    path("io_create_async/", async_.io_create),
    path("io_read/", sync.io_read),
    path("io_read_async/", async_.io_read),
    path("bench_app/", sync.bench_app),
    path("bench_app_async/", async_.bench_app),
    path("sse/", events.sse),
    path("survey/", include("benchsuite.target.survey.urls")),
]
