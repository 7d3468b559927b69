"""URLs of the console: the results, and Django's admin."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="benchsuite:list")),
    path("results/", include("benchsuite.urls")),
    path("admin/", admin.site.urls),
]
