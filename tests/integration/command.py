"""Runs manage.py as people do, in a process of its own, with results in a database of the test."""

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.integration.left_behind import eventually

ROOT = Path(__file__).parents[2]
BESIDE = ROOT / "tests/integration/beside.py"
LONGEST_S = 90
SHORT = ("--users=2", "--warmup=0", "--duration=0.5", "--timeout=5")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    def must(self, status: int | None) -> "Ended":
        assert status in (None, self.status), self.err
        return self


class Command:
    """manage.py of one project, with a folder for its results and temporary files."""

    def __init__(self, folder, manage=ROOT / "manage.py", temporary=None, **env):
        self.folder = folder
        self.directory = manage.parent  #: The current one of the commands.
        self.program = (sys.executable, str(BESIDE), f"benchsuite-{uuid.uuid4()}", str(manage))
        self.temporary = temporary or folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.env = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{folder}/results.sqlite3",
            "TMPDIR": str(self.temporary),
            "PYTHONWARNINGS": "default",
            **env,
        }
        self.env.pop("DJANGO_SETTINGS_MODULE", None)

    def start(self, *words: str) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        line = [*self.program, *words]
        return subprocess.Popen(line, cwd=self.directory, env=self.env, **pipes)

    def run(self, *words: str, limit_s: float = LONGEST_S, status: int | None = None) -> Ended:
        """`status` is what it must end with, if anything."""
        with self.start(*words) as process:
            return self.wait(process, limit_s).must(status)

    def wait(self, process: subprocess.Popen[str], limit_s: float = LONGEST_S) -> Ended:
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=30)
            raise AssertionError(f"no end within {limit_s:g} s:\n{out}\n{err}") from None
        return Ended(process.returncode, out, err)

    def left_in_temporary_folder(self) -> list[str]:
        return sorted(path.name for path in self.temporary.glob("benchsuite-*"))


def wait_for(what: str, condition: Callable[[], object], limit_s: float = 30.0) -> None:
    """Polls it until it is true; fails with `what` when it isn't in time."""
    assert eventually(condition, limit_s), f"{what}: not within {limit_s:g} s"


def measured(command, line, *words, how=SHORT):
    """The one object that --json=- printed; later words win over short times. What has blanks in
    it stands beside the line.
    """
    ended = command.run("runbench", "--json=-", *how, *line.split(), *words)
    assert ended.status == 0, ended.err
    (run,) = json.loads(ended.out)
    return run
