"""URLs of the measured project: a page that says OK, and the target app."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def home(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"OK", content_type="text/plain")


urlpatterns = [
    path("", home),
    path("bench/", include("benchsuite.target.urls")),
]
