"""The target views, then the project's own URLs, at the top level for `i18n_patterns`."""

from importlib import import_module

from django.conf import settings
from django.urls import include, path

_project = import_module(settings.BENCHSUITE_ORIGINAL["ROOT_URLCONF"])
urlpatterns = [path("bench/", include("benchsuite.target.urls")), *_project.urlpatterns]

for _name in ("handler400", "handler403", "handler404", "handler500"):
    if hasattr(_project, _name):
        globals()[_name] = getattr(_project, _name)
