"""How an environment is built, as a frozen value: with which Python, in which steps, its test."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchsuite.pythons.requirements import Requirements

RECIPE_VERSION = 1  #: Increased when old environments must be rebuilt.


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One installation by pip."""

    requirements: Requirements
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for compilers ("CFLAGS")."""
    moves_nothing: bool = False  #: Whether earlier steps' versions must stay.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Contents of an environment; equal recipes share one environment, whatever their name."""

    name: str
    python: Path  #: The interpreter that it is based on.
    steps: tuple[Step, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    """Name in the folder of its packages → content."""
    proof: str = ""  #: Python code that must run in it without errors.
    needed: str = ""  #: Advice for users when it can't be built.

    def digest(self, python: str) -> str:
        """16 hexadecimal digits; `python` identifies the build of the interpreter."""
        content = {
            "recipe": RECIPE_VERSION,
            "python": [str(self.python), python],
            "steps": [asdict(step) for step in self.steps],
            "files": dict(self.files),
            "proof": self.proof,
        }
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
