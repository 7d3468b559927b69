"""Creates an empty virtual environment with pip: by venv, else uv; virtualenv for Python 2."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons import requirements
from benchsuite.pythons.finding import kind_of
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.pythons.programs import run
from benchsuite.pythons.recipe import Recipe, Step

FIRST_WITH_VENV = (3, 3)


def virtualenv() -> Recipe:
    """The last virtualenv that supports Python 2.7."""
    return Recipe(
        name="virtualenv",
        python=Path(sys.executable),
        steps=(Step(requirements=requirements.parse("virtualenv==20.21.1")),),
        proof="import virtualenv",
    )


def make(
    python: Path, folder: Path, *, name: str, log: Path, build: Callable[[Recipe], Interpreter]
) -> None:
    """An environment of that interpreter in a folder that does not exist yet.

    `build` builds the environment of a tool that this requires.
    """
    kind = kind_of(str(python))
    if kind is not None and kind.version < FIRST_WITH_VENV:
        tool = build(virtualenv()).module("virtualenv")
        run([*tool, "--python", str(python), str(folder)], name=name, log=log)
        return
    try:
        run([str(python), "-m", "venv", str(folder)], name=name, log=log)
    except UnavailableError as error:
        uv = shutil.which("uv")
        if uv is None:
            raise UnavailableError(
                f"{python} can't create virtual environments; on Debian: apt install python3-venv, "
                "elsewhere: pip install uv."
            ) from error
        shutil.rmtree(folder, ignore_errors=True)
        run([uv, "venv", "--seed", "--python", str(python), str(folder)], name=name, log=log)
