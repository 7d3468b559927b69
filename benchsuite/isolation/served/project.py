"""Finds the project's own WSGI and ASGI callables in the measured server."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from benchsuite.isolation.instructions import RUN_VARIABLE, SETTINGS_MODULE

RUN_HEADER = "X-Benchsuite-Run"


def run_token() -> str:
    """The token of the run that started this server."""
    token = os.environ.get(RUN_VARIABLE)
    if not token:
        raise ImproperlyConfigured(
            f"benchsuite.isolation was loaded without {RUN_VARIABLE}; only runs may load it."
        )
    return token


def project_wsgi() -> Callable[..., Any]:
    """The callable of WSGI_APPLICATION, else Django's own."""
    path = settings.BENCHSUITE_ORIGINAL["WSGI_APPLICATION"]
    if path:
        return _imported(path)
    from django.core.wsgi import get_wsgi_application

    return get_wsgi_application()


def asgi_named(asgi: str | None, wsgi: str | None) -> str:
    """ASGI_APPLICATION, else `asgi` beside the module of WSGI_APPLICATION, where there is one: a
    project from `startproject` has it, and no setting that names it. Empty for Django's own.
    """
    if asgi or not wsgi:
        return asgi or ""
    module = wsgi.rpartition(".")[0]
    beside = f"{module.rpartition('.')[0]}.asgi".removeprefix(".")
    return f"{beside}.application" if find_spec(beside) else ""


def project_asgi() -> Callable[..., Any]:
    """What `asgi_named` finds, else Django's own."""
    original = settings.BENCHSUITE_ORIGINAL
    path = asgi_named(original["ASGI_APPLICATION"], original["WSGI_APPLICATION"])
    if path:
        return _imported(path)
    from django.core.asgi import get_asgi_application

    return get_asgi_application()


def _imported(path: str) -> Callable[..., Any]:
    settings.INSTALLED_APPS  # noqa: B018  (the run's settings must be loaded before the project's module)
    found: Callable[..., Any] = import_string(path)
    chosen = os.environ.get("DJANGO_SETTINGS_MODULE")
    if chosen != SETTINGS_MODULE:
        module = path.rpartition(".")[0]
        raise ImproperlyConfigured(
            f"{module} assigns DJANGO_SETTINGS_MODULE ({chosen}), so a run can't serve the project "
            "on its throw-away database; write os.environ.setdefault('DJANGO_SETTINGS_MODULE', "
            f"{chosen!r}) there."
        )
    return found
