"""Each view at its name, its async twin at the name with _async; runs mount this at /bench/."""

from django.urls import include, path

from benchsuite.target.views import async_, events, sync

urlpatterns = [
    path("plain/", sync.plain),
    path("plain_async/", async_.plain),
    path("get/", sync.get),
    path("get_async/", async_.get),
    path("echo/", sync.echo),
    path("echo_async/", async_.echo),
    path("sleep/", sync.sleep),
    path("sleep_async/", async_.sleep),
    path("cpu/", sync.cpu),
    path("cpu_async/", async_.cpu),
    path("io_create/", sync.io_create),
    path("io_create_async/", async_.io_create),
    path("io_read/", sync.io_read),
    path("io_read_async/", async_.io_read),
    path("io_join/", sync.io_join),
    path("io_join_async/", async_.io_join),
    path("io_lock/", sync.io_lock),
    path("io_lock_async/", async_.io_lock),
    path("bench_app/", sync.bench_app),
    path("bench_app_async/", async_.bench_app),
    path("upstream/", sync.upstream),
    path("upstream_async/", async_.upstream),
    path("sse/", events.sse),
    path("survey/", include("benchsuite.target.survey.urls")),
]
