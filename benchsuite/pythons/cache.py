"""Where built environments are kept, and copies of what they were built from."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from benchsuite.pythons.finding import build_of
from benchsuite.pythons.recipe import Recipe
from benchsuite.pythons.requirements import Requirements
from benchsuite.system import folders

MARK = "benchsuite.json"
"""Written last into an environment's folder; without it the environment is incomplete."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one recipe's environment in the cache, built or not."""

    root: Path
    digest: str

    @classmethod
    def of(cls, recipe: Recipe, root: Path) -> "Slot":
        return cls(root, recipe.digest(build_of(recipe.python)))

    @property
    def folder(self) -> Path:
        return self.root / "environments" / self.digest

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def lock(self) -> Path:
        return self.root / "environments" / f"{self.digest}.lock"

    def log(self, step: int) -> Path:
        return self.root / "logs" / f"{self.digest}-{step}.log"

    @property
    def is_built(self) -> bool:
        """Whether it was finished and its interpreter still exists."""
        return (self.folder / MARK).is_file() and os.access(self.python, os.X_OK)


def keep(requirements: Requirements, root: Path) -> None:
    """Keeps a copy by its digest, so that a run can be repeated after its file has changed.

    Readable by its owner only: the URL of a package index may contain a password.
    """
    path = _kept(requirements.digest, root)
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"lines": requirements.lines, "constraints": requirements.constraints}
    aside = path.with_suffix(f".{os.getpid()}")
    folders.write_private(aside, json.dumps(content, indent=1))
    aside.replace(path)


def kept(digest: str, root: Path) -> Requirements | None:
    """The copy of that digest, or None."""
    try:
        content = json.loads(_kept(digest, root).read_text())
    except (OSError, ValueError):
        return None
    return Requirements(lines=tuple(content["lines"]), constraints=tuple(content["constraints"]))


def _kept(digest: str, root: Path) -> Path:
    return root / "requirements" / f"{digest}.json"
