"""Which Python serves: from what a spec names to an interpreter that has all it needs."""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.pythons import building, requirements
from benchsuite.pythons.cache import Slot, keep, kept
from benchsuite.pythons.finding import find, kind_of
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.pythons.needs import CONSOLE, OLDEST, SERVED
from benchsuite.pythons.recipe import Recipe, Step
from benchsuite.pythons.requirements import Requirements

CONSOLE_APPS = ("benchsuite", "benchsuite.apps.BenchsuiteConfig")


def environment(given: str) -> str:
    """What `ServerSpec.environment` says for `--env name=requirements.txt`.

    The content of the file is kept in the cache by its digest: the same runs can be made again when
    the file is another one.
    """
    name, equals, file = given.partition("=")
    if not equals or not file or not re.fullmatch(r"[\w.-]+", name):
        raise UsageError(
            f"--env={given} is not of the form name=requirements.txt; the name is letters, digits, "
            "dots and dashes."
        )
    found = requirements.read(Path(file).expanduser())
    try:
        keep(found, conf.cache_folder())
    except OSError as error:
        raise UnavailableError(
            f"Environments are kept in {conf.cache_folder()}, which can't be written "
            f"({error.strerror}); name another folder in BENCHSUITE_CACHE."
        ) from error
    return f"{name}@{found.digest}"


def interpreter(spec: ServerSpec) -> Interpreter:
    """The interpreter that a server runs under.

    Raises UnavailableError when it is not on this machine, when its environment has not been built,
    and when it can't serve the project.
    """
    wanted = recipe(spec)
    if wanted is not None:
        found = building.built(wanted, conf.cache_folder())
        if found is None:
            raise UnavailableError(
                f"The environment {wanted.name} has not been built; runbench builds it before its "
                "first run."
            )
    elif spec.python:
        found = Interpreter(str(find(spec.python)), spec.python)
    else:
        return OWN
    if conf.server_class(spec.server).serves_project:
        _check(found)
    return found


def recipe(spec: ServerSpec) -> Recipe | None:
    """How the server's environment is made; None when it runs under an interpreter as it is."""
    adapter = conf.server_class(spec.server)
    brought = adapter.recipe(spec.python)
    if not spec.environment:
        return brought
    if brought is not None:
        raise UsageError(f"{spec.server} brings its own environment, so --env can't change it.")
    name, _, digest = spec.environment.partition("@")
    wanted = kept(digest, conf.cache_folder())
    if wanted is None:
        raise UsageError(
            f"The requirements of the environment {name} are not in the cache any more; give their "
            f"file again: --env {name}=requirements.txt."
        )
    return _recipe(name, spec.python, wanted)


def prepare(runs: Iterable[RunSpec], say: Callable[[str], None]) -> None:
    """Builds the environments that these runs need and that have not been built."""
    for wanted in _recipes(runs):
        building.build(wanted, conf.cache_folder(), say)


def unbuilt(runs: Iterable[RunSpec]) -> list[str]:
    """The names of the environments that `prepare` would build."""
    root = conf.cache_folder()
    return [one.name for one in _recipes(runs) if building.built(one, root) is None]


def target_settings() -> Any:
    """The settings that the measured server starts from: the console's own, or another module.

    Raises what that module does where it can't be loaded here.
    """
    module = conf.config()["TARGET_SETTINGS"]
    return import_module(module) if module else settings


def _recipes(runs: Iterable[RunSpec]) -> list[Recipe]:
    """Of the environments that these runs need; each once."""
    found: dict[str, Recipe] = {}
    for run in runs:
        wanted = recipe(run.server)
        if wanted is not None:
            found.setdefault(Slot.of(wanted, conf.cache_folder()).digest, wanted)
    return list(found.values())


def _recipe(name: str, python: str, wanted: Requirements) -> Recipe:
    """The project's requirements, then what benchsuite needs beside them, moving nothing."""
    base = find(python) if python else Path(OWN.executable)
    needs = [*SERVED, *(CONSOLE if _serves_console() else ())]
    missing = [one for one in needs if one not in wanted.names]
    steps = [Step(requirements=wanted)]
    if missing:
        ours = requirements.parse("\n".join(missing))
        steps.append(Step(requirements=ours, moves_nothing=True))
    return Recipe(
        name=name,
        python=base,
        steps=tuple(steps),
        needed="change its requirements, or take another --python",
    )


def _check(found: Interpreter) -> None:
    """Whether an interpreter can serve a Django project for a run."""
    kind = kind_of(found.executable)
    if kind is not None and kind.version < OLDEST:
        raise UnavailableError(
            f"Python {kind} is too old: benchsuite's part in a measured server needs "
            f"{'.'.join(map(str, OLDEST))} or newer."
        )
    if found.installed("django") is None:
        raise UnavailableError(
            f"Python {found.version} ({found.executable}) has no Django, so it can't serve the "
            "project; give all that the project needs: --env NAME=requirements.txt (python -m pip "
            "freeze > requirements.txt writes down what an environment has)."
        )


def _serves_console() -> bool:
    """Whether the measured project has benchsuite's pages among its own.

    One whose settings can't be loaded here lives in an environment without benchsuite.
    """
    try:
        apps = target_settings().INSTALLED_APPS
    except (ImportError, ImproperlyConfigured):
        return False
    return any(one in apps for one in CONSOLE_APPS)
