"""Finds the project's own WSGI and ASGI callables in the measured server."""

import os
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from benchsuite.isolation.instructions import RUN_VARIABLE, SETTINGS_MODULE, beside
from benchsuite.isolation.served import counting
from benchsuite.isolation.served.counting import Counter
from benchsuite.isolation.served.errors import FILE, Listener

RUN_HEADER = "X-Benchsuite-Run"
PROCESS_HEADER = "X-Benchsuite-Process"


def run_token() -> str:
    """The token of the run that started this server."""
    if not (token := os.environ.get(RUN_VARIABLE)):
        raise ImproperlyConfigured(
            f"benchsuite.isolation was loaded without {RUN_VARIABLE}; only runs may load it."
        )
    return token


def own_headers() -> list[tuple[str, str]]:
    """What is added to each answer: the run, and the process, which may fork after it has begun."""
    return [(RUN_HEADER, run_token()), (PROCESS_HEADER, str(os.getpid()))]


def loaded(interface: str) -> tuple[Callable[..., Any], Counter, Listener]:
    """The callable ("wsgi", "asgi"), what counts its requests, and what hears of its errors."""
    own_headers()  # raises where no run loads it
    prefixes = (counting.PREFIX, counting.VIEWS_PREFIX, counting.CACHED_PREFIX)
    asked, viewed, cached = (Counter(beside(prefix)) for prefix in prefixes)
    counting.watch_views(viewed.add, cached.add)
    listener = Listener(beside(FILE))
    with listener.starting():
        return project_callable(interface), asked, listener


def project_callable(interface: str) -> Callable[..., Any]:
    """What `named` finds, else Django's own."""
    if not (path := named(interface, settings.BENCHSUITE_ORIGINAL)):
        made: Callable[..., Any] = import_string(
            f"django.core.{interface}.get_{interface}_application"
        )()
        return made
    settings.INSTALLED_APPS  # noqa: B018  (the run's settings must be loaded before the project's module)
    application: Callable[..., Any] = import_string(path)
    chosen = os.environ.get("DJANGO_SETTINGS_MODULE")
    if chosen != SETTINGS_MODULE:
        module = path.rpartition(".")[0]
        raise ImproperlyConfigured(
            f"{module} assigns DJANGO_SETTINGS_MODULE ({chosen}), so a run can't serve the project "
            "on its throw-away database; write os.environ.setdefault('DJANGO_SETTINGS_MODULE', "
            f"{chosen!r}) there."
        )
    return application


def named(interface: str, dotted: Mapping[str, str | None]) -> str:
    """The setting of the interface, else the module of its name beside that of WSGI_APPLICATION or
    ROOT_URLCONF, as `startproject` writes them. Empty for Django's own.
    """
    if path := dotted[f"{interface.upper()}_APPLICATION"]:
        return path
    beside = (dotted["WSGI_APPLICATION"] or "").rpartition(".")[0] or dotted["ROOT_URLCONF"] or ""
    package = beside.rpartition(".")[0]
    module = f"{package}.{interface}".lstrip(".")
    spec = find_spec(module) if beside else None
    if spec is None or (not package and _folder(spec) != _folder(find_spec(beside))):
        return ""
    return f"{module}.application"


def _folder(spec: ModuleSpec | None) -> str:
    """Where a module without a package is: one of that name may be anybody's."""
    return os.path.dirname(spec.origin or "") if spec else ""
