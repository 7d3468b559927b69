"""How an environment is made, as a frozen value: of which Python, in which steps, how proved."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchsuite.pythons.requirements import Requirements

RECIPE_VERSION = 1  #: Raised when environments that were built before must be built anew.


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One installation by pip."""

    requirements: Requirements
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment of compilers ("CFLAGS")."""
    moves_nothing: bool = False  #: Whether what the steps before installed stays in its version.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What an environment is made of; equal recipes make one environment, whatever their name."""

    name: str
    python: Path  #: The interpreter that it is made of.
    steps: tuple[Step, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    """Name in the folder of its packages → content."""
    proof: str = ""  #: Python code that must run in it without an error.
    needed: str = ""  #: What would help, for those who are told that it can't be built.

    def digest(self, python: str) -> str:
        """16 hexadecimal digits; `python` says which build of the interpreter is meant."""
        content = {
            "recipe": RECIPE_VERSION,
            "python": [str(self.python), python],
            "steps": [asdict(step) for step in self.steps],
            "files": dict(self.files),
            "proof": self.proof,
        }
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
