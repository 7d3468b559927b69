"""The pages are all there is."""

from django.urls import include, path

urlpatterns = [path("", include("benchsuite.urls"))]
