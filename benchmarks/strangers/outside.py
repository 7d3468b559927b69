"""Measures a project as somebody would who adds nothing to it: `benchsuite run` in its folder."""

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from benchmarks.strangers.trying import LOAD, Trial

UNNAMED = ("DJANGO_SETTINGS_MODULE", "PYTHONPATH")
"""What the project's owner needn't set, as `benchsuite` finds it."""


def program(python: str, wheel: str, folder: Path) -> str:
    """The program, in an environment of its own; raises CalledProcessError."""
    environment = folder / "benchsuite"
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "-q", "install"]
    subprocess.run([*pip, wheel], check=True)
    subprocess.run([*pip, "--no-deps", "--force-reinstall", wheel], check=True)
    return str(environment / "bin" / "benchsuite")


class Outside(Trial):
    """One project whose environment has its own servers and nothing of benchsuite, of which it is
    given the path of the program in place of the wheel.
    """

    def _install_beside(self, pins: Sequence[str], servers: Sequence[str], extras: str) -> None:
        self._pip("install", *pins, *servers)

    def _make(self) -> None:
        self._make_theirs({})

    def _measure(self) -> None:
        file = self._place / "results.json"
        for before in self._place.glob("results.*"):
            before.unlink()
        words = shlex.split(f"--server={self.stranger.servers} {LOAD} {self.stranger.measured}")
        self._ours("run")  # says what is there
        began = monotonic()
        self._ours("run", *words, f"--json={file}")
        self.outcome.measured_s = monotonic() - began
        self.outcome.runs = json.loads(file.read_text())

    def _look(self) -> None:
        """The pages are those of the program, not of the project."""

    def _ours(self, *words: str) -> None:
        results = self._place / "results.sqlite3"
        named = {"DJANGO_SETTINGS_MODULE"} & self.stranger.env.keys()  # by its documentation
        self._do(self._benchsuite, f"--results={results}", *words, without=set(UNNAMED) - named)

    def _environment(self) -> Mapping[str, str]:
        """With the project's environment active, as its owner has it."""
        return {**super()._environment(), "VIRTUAL_ENV": str(self._venv)}
