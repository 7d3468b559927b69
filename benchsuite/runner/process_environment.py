"""The environment variables a measured server is started with."""

import os
import random
from collections.abc import Mapping
from pathlib import Path

from benchsuite.pythons.importing import import_path
from benchsuite.pythons.interpreter import ASTRAY
from benchsuite.servers.base import ServerAdapter

SETTINGS = "benchsuite.isolation.settings"
MOST_PADDING = 4096

PROJECT = (
    "DJANGO_SETTINGS_MODULE",
    "BENCHSUITE_INSTRUCTIONS",
)  #: Variables that are about the project.


def process_environment(
    adapter: ServerAdapter,
    *,
    token: str,
    instructions: Path | None,
    seed: int,
    services: Mapping[str, str] = {},
    variables: Mapping[str, str] = {},
    replaced: Mapping[str, str] = {},
) -> dict[str, str]:
    """This process's variables, with what opens the target and what each start must vary.

    The size of the environment shifts the stack, and the hash seed the order of sets; either
    alone can move a result by several percent (Mytkowicz et al., ASPLOS 2009). So every start
    draws both from the run's seed: repeats average over them, and `--again` repeats them.

    A server that brings its own target is told nothing of the project. `services` are those that
    views ask, by name, with the URL of each; `variables` are what the user says, and `replaced`
    those that would name the project's own databases.
    """
    draw = random.Random(seed)
    return {
        **_inherited(adapter),
        **adapter.env(),
        **variables,
        **replaced,
        "BENCHSUITE_RUN": token,
        **about_services(services),
        **(_project(adapter, instructions) if instructions is not None else {}),
        "PYTHONHASHSEED": str(draw.randrange(2**32)),
        "BENCHSUITE_PADDING": "x" * draw.randrange(MOST_PADDING),
    }


def _inherited(adapter: ServerAdapter) -> dict[str, str]:
    python = adapter.python
    if adapter.serves_project and python.is_own:
        return dict(os.environ)
    left_out = ASTRAY if adapter.serves_project else (*ASTRAY, *PROJECT)
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    if not python.is_own:
        programs = str(Path(python.executable).parent)
        kept["PATH"] = os.pathsep.join([programs, kept.get("PATH", os.defpath)])
    return kept


def _project(adapter: ServerAdapter, instructions: Path) -> dict[str, str]:
    path = import_path(adapter.python, adapter.place.folder)
    return {**about_the_project(instructions), "PYTHONPATH": path}


def about_services(services: Mapping[str, str]) -> dict[str, str]:
    """Where services are that views ask, by name: BENCHSUITE_API_URL."""
    return {f"BENCHSUITE_{name.upper()}_URL": url for name, url in services.items()}


def about_the_project(instructions: Path) -> dict[str, str]:
    """The project as this run has it, for whoever sets Django up."""
    return {"BENCHSUITE_INSTRUCTIONS": str(instructions), "DJANGO_SETTINGS_MODULE": SETTINGS}
