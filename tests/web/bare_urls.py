"""A project with nothing but our pages: no admin, no login."""

from django.urls import include, path

urlpatterns = [path("bench/", include("benchsuite.urls"))]
