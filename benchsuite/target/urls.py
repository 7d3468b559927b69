"""Each view at its name, its async twin at the name with _async; runs mount this at /bench/."""

from django.urls import include, path

from benchsuite.target import views
from benchsuite.target.survey import views as survey

TWINS = (
    *("plain", "get", "echo", "sleep", "cpu", "io_create", "io_read", "io_join", "io_lock"),
    *("bench_app", "upstream"),
)

SURVEYS = [
    path("", survey.listing, name="list"),
    path("<slug:slug>/", survey.start, name="start"),
    path("<slug:slug>/<int:number>/", survey.page, name="page"),
    path("<slug:slug>/thanks/<str:code>/", survey.thanks, name="thanks"),
]

urlpatterns = [
    *(path(f"{name}/", getattr(views, name)) for name in TWINS),
    *(path(f"{name}_async/", getattr(views, f"{name}_async")) for name in TWINS),
    path("sse/", views.sse),
    path("survey/", include((SURVEYS, survey.NAMES))),
]
