"""The pages are all there is, in a page that is written to a file and in the program of its own."""

from django.urls import include, path

urlpatterns = [path("", include("benchsuite.urls"))]
