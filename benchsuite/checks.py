"""System checks: what is wrong in the settings is found by `manage.py check`, with an id and a
hint.
"""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string

from benchsuite.conf import DEFAULTS
from benchsuite.fronts.base import FrontAdapter
from benchsuite.servers.base import ServerAdapter
from benchsuite.workloads.base import Workload


@register("benchsuite")
def check_settings(**_: Any) -> list[CheckMessage]:
    """E001 to E010: the BENCHSUITE dict."""
    given = getattr(settings, "BENCHSUITE", {})
    if not isinstance(given, dict):
        return [
            Error(
                f"BENCHSUITE is a {type(given).__name__}, not a dict.",
                hint="Write BENCHSUITE = {...}; docs/settings.md lists its keys.",
                id="benchsuite.E001",
            )
        ]
    return [
        *_unknown_keys(given),
        *_classes(given, "SERVERS", ServerAdapter, "benchsuite.E003"),
        *_classes(given, "FRONTS", FrontAdapter, "benchsuite.E007"),
        *_classes(given, "WORKLOADS", Workload, "benchsuite.E004"),
        *_access(given),
        *_target_settings(given),
        *_overrides(given),
        *_console_url(given),
        *_cache(given),
    ]


@register(Tags.urls)
def check_urls(**_: Any) -> list[CheckMessage]:
    """W001: the pages are not mounted."""
    if not getattr(settings, "ROOT_URLCONF", None):
        return []
    try:
        reverse("benchsuite:list")
    except NoReverseMatch:
        return [
            Warning(
                "The result pages are not mounted.",
                hint='Add path("results/", include("benchsuite.urls")) to the URLconf.',
                id="benchsuite.W001",
            )
        ]
    return []


def _unknown_keys(given: dict[str, Any]) -> Iterator[CheckMessage]:
    for key in sorted(set(given) - set(DEFAULTS), key=str):
        yield Error(
            f"BENCHSUITE has no key {key!r}.",
            hint=f"Its keys are: {', '.join(sorted(DEFAULTS))}.",
            id="benchsuite.E002",
        )


def _classes(
    given: dict[str, Any],
    key: str,
    base: type[ServerAdapter] | type[FrontAdapter] | type[Workload],
    check_id: str,
) -> Iterator[CheckMessage]:
    """Each value must be the dotted path of a subclass of `base`."""
    paths = given.get(key, {})
    if not isinstance(paths, dict):
        yield Error(
            f"BENCHSUITE[{key!r}] is a {type(paths).__name__}, not a dict.",
            hint='Write {"name": "package.module.Class"}.',
            id=check_id,
        )
        return
    for name, path in paths.items():
        try:
            found = import_string(path)
        except (ImportError, TypeError, AttributeError) as error:
            problem = f"can't be imported ({error})"
        else:
            if isinstance(found, type) and issubclass(found, base):
                continue
            problem = f"is no subclass of {base.__module__}.{base.__name__}"
        yield Error(
            f"BENCHSUITE[{key!r}][{name!r}]: {path!r} {problem}.",
            hint="docs/extending.md shows how one is written.",
            id=check_id,
        )


def _access(given: dict[str, Any]) -> Iterator[CheckMessage]:
    path = given.get("ACCESS", DEFAULTS["ACCESS"])
    try:
        usable = callable(import_string(path))
    except (ImportError, TypeError, AttributeError):
        usable = False
    if not usable:
        yield Error(
            f"BENCHSUITE['ACCESS']: {path!r} is not the dotted path of a function.",
            hint="It is called with the request and answers whether the pages are shown.",
            id="benchsuite.E005",
        )


def _target_settings(given: dict[str, Any]) -> Iterator[CheckMessage]:
    module = given.get("TARGET_SETTINGS")
    if module is None:
        return
    try:
        found = find_spec(module) is not None
    except (ImportError, TypeError, ValueError, AttributeError):
        found = False
    if not found:
        yield Error(
            f"BENCHSUITE['TARGET_SETTINGS']: there is no module {module!r}.",
            hint="Name the settings module the measured server starts from, or leave the key out.",
            id="benchsuite.E006",
        )


def _overrides(given: dict[str, Any]) -> Iterator[CheckMessage]:
    """They go to the measured server as JSON."""
    value = given.get("OVERRIDES", {})
    try:
        usable = isinstance(value, dict) and json.loads(json.dumps(value)).keys() == value.keys()
    except (TypeError, ValueError):
        usable = False
    if not usable:
        yield Error(
            f"BENCHSUITE['OVERRIDES'] can't be told to the measured server: {value!r}.",
            hint='Write {"NAME": value} with values that JSON can hold: a path as text.',
            id="benchsuite.E008",
        )


def _console_url(given: dict[str, Any]) -> Iterator[CheckMessage]:
    url = given.get("CONSOLE_URL", DEFAULTS["CONSOLE_URL"])
    if not (isinstance(url, str) and url.startswith(("http://", "https://")) and url[-1] == "/"):
        yield Error(
            f"BENCHSUITE['CONSOLE_URL']: {url!r} is not the address of a page.",
            hint='Write it whole, with a slash at its end: "http://127.0.0.1:8000/results/".',
            id="benchsuite.E009",
        )


def _cache(given: dict[str, Any]) -> Iterator[CheckMessage]:
    place = given.get("CACHE")
    if place is not None and not (isinstance(place, str | Path) and str(place).strip()):
        yield Error(
            f"BENCHSUITE['CACHE']: {place!r} is not the path of a folder.",
            hint="Name a folder in which environments may be kept, or leave the key out.",
            id="benchsuite.E010",
        )
