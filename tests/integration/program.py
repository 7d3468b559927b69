"""`python -m benchsuite`, and a virtual environment for the project that it measures."""

import os
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path

from tests.integration.command import ROOT, Ended


class Program:
    """`python -m benchsuite`, with data of its own, in a folder."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder, self.data = folder, data
        ours = {"XDG_DATA_HOME": str(data), "PYTHONPATH": str(ROOT), "COLUMNS": "400"}
        self.env = {**os.environ, **ours}
        for name in ("DJANGO_SETTINGS_MODULE", "VIRTUAL_ENV", "BENCHSUITE_ADDRESS"):
            self.env.pop(name, None)

    def start(self, *words: str) -> subprocess.Popen[str]:
        line = [sys.executable, "-m", "benchsuite", *words]
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(line, cwd=self.folder, env=self.env, **how)

    def run(self, *words: str, timeout_s: float = 90.0, status: int | None = None) -> Ended:
        with self.start(*words) as process:
            out, err = process.communicate(timeout=timeout_s)
        return Ended(process.returncode, out, err).must(status)


def environment(folder: Path, *packages: str) -> None:
    """A virtual environment that has Django and these packages alone, linked from ours:
    neither benchsuite nor what it needs.
    """
    venv.create(folder, symlinks=True)
    (there,) = folder.glob("lib/python*/site-packages")
    for name in ("django", "asgiref", "sqlparse", *packages):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or () if file.parts[0] != ".."}:
            (there / top).symlink_to(Path(str(found.locate_file(top))))
