"""Which Python serves: from what a spec names to an interpreter that has all it needs."""

import os
import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError, last_line
from benchsuite.core.specs import ServerSpec
from benchsuite.isolation.overrides.changes import imported
from benchsuite.pythons import building
from benchsuite.pythons.building import Recipe, Requirements, Step
from benchsuite.pythons.interpreter import OWN, Interpreter, find, kind_of
from benchsuite.servers.base import ServerAdapter

CONSOLE = ("django-filter", "django-tables2", "numpy", "rich")
"""What a project's URLs and admin import when benchsuite's pages are among them. By name alone:
which version suits the project's Django is the installer's to find."""
OLDEST = (3, 11)  #: The oldest Python that can import benchsuite's part of a measured server.
OLDEST_DJANGO = (5, 1)  #: The same of Django: older ones have no pool of connections to close.


def environment(given: str) -> str:
    """`ServerSpec.environment` for `--env name=requirements.txt`, whose content is kept."""
    name, equals, file = given.partition("=")
    if not equals or not file or not re.fullmatch(r"[\w.-]+", name):
        raise UsageError(
            f"--env={given} is not of the form name=requirements.txt; the name is letters, digits, "
            "dots and dashes."
        )
    wanted = Requirements.read(Path(os.path.expanduser(file)))
    wanted.keep(conf.cache_folder())
    return f"{name}@{wanted.digest}"


def interpreter(spec: ServerSpec, wanted: Recipe | None) -> Interpreter | None:
    """What a server runs under; None while not built, UnavailableError if not on this machine."""
    if wanted is not None:
        return building.built(wanted, conf.cache_folder())
    return Interpreter(str(find(spec.python)), spec.python) if spec.python else OWN


def recipe(server: ServerAdapter, spec: ServerSpec) -> Recipe | None:
    """How the server's environment is made; None when it runs under an interpreter as it is."""
    brought = server.recipe(spec.python)
    if not spec.environment:
        return brought
    if brought is not None:
        raise UsageError(f"{spec.server} brings its own environment, so --env can't change it.")
    name, _, digest = spec.environment.partition("@")
    if (wanted := Requirements.kept(digest, conf.cache_folder())) is None:
        raise UsageError(
            f"The requirements of the environment {name} are not in the cache any more; give their "
            f"file again: --env {name}=requirements.txt."
        )
    steps = [Step(requirements=wanted)]
    missing = [package for package in CONSOLE if package not in wanted.names]
    if missing and _serves_console():
        steps.append(Step(requirements=Requirements.parse("\n".join(missing)), moves_nothing=True))
    return Recipe(
        name=name,
        python=find(spec.python) if spec.python else Path(OWN.executable),
        steps=tuple(steps),
        needed="change its requirements, or take another --python",
    )


def target_settings() -> Any:
    """The settings that the measured server starts from; ImproperlyConfigured where they can't be
    loaded here: they may want packages or variables that only the server has.
    """
    module = conf.config()["TARGET_SETTINGS"]
    try:
        return imported(module) if module else settings
    except (Exception, SystemExit) as error:
        raise ImproperlyConfigured(f"{module} can't be loaded here: {last_line(error)}") from error


def ensure_serving(python: Interpreter) -> None:
    """Raises UnavailableError when an interpreter can't serve a Django project for a run."""
    kind = kind_of(python.executable)
    if kind is not None and kind.version < OLDEST:
        raise UnavailableError(
            f"Python {kind} is too old: benchsuite's part in a measured server needs "
            f"{'.'.join(map(str, OLDEST))} or newer."
        )
    if (django := python.installed("django")) is None:
        raise UnavailableError(
            f"Python {python.version} ({python.executable}) has no Django, so it can't serve the "
            "project; give all that the project needs: --env NAME=requirements.txt (python -m pip "
            "freeze > requirements.txt writes down what an environment has)."
        )
    if tuple(map(int, re.findall(r"\d+", django)[:2])) < OLDEST_DJANGO:
        raise UnavailableError(
            f"Django {django} is too old: benchsuite's part in a measured server needs "
            f"{'.'.join(map(str, OLDEST_DJANGO))} or newer."
        )


def _serves_console() -> bool:
    """Whether the project has benchsuite's pages; not where its settings can't be loaded here."""
    try:
        apps = getattr(target_settings(), "INSTALLED_APPS", ())
    except (ImportError, ImproperlyConfigured):
        return False
    return any(app in apps for app in ("benchsuite", "benchsuite.apps.BenchsuiteConfig"))
