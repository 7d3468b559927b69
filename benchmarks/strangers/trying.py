"""Tries one project as its owner would: install, add two lines, migrate, measure, look."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks.strangers import theirs
from benchmarks.strangers.projects import PAGES, QUICKSTART, Stranger

INSTALL_S = 1200.0
COMMAND_S = 300.0
LOAD = "--users=4 --warmup=1 --duration=2"
INSTALLED = ("gunicorn", "uvicorn[standard]")
"""Servers of the runs, beside benchsuite."""
WIDTH = 180  #: Columns of what is written to files.
SHOWN_LINES = 15
"""Of what a command that failed had printed."""

LOOK = """
import os
import django
django.setup()
from django.conf import settings
from django.test import Client, override_settings
from benchsuite.models import Run
ask = {"SERVER_NAME": "localhost", "follow": True}
closed = Client().get("/results/", **ask)
assert b"verdict" not in closed.content, "anybody may see the results"
os.environ["BENCHSUITE_TOKEN"] = "x"
with override_settings(BENCHSUITE={"ACCESS": "benchsuite.views.access.token"}):
    browser = Client()
    browser.get("/results/?token=x", **ask)
    for run in Run.objects.all():
        page = browser.get(run.get_absolute_url(), **ask)
        assert page.status_code == 200, (page.status_code, page.content[:500])
    page = browser.get("/results/", **ask)
    assert page.status_code == 200, (page.status_code, page.content[:500])
    assert page.content.decode().count(run.server), "the list does not show the run"
"""
"""The pages of the results: closed to strangers, and whole for who may see them."""


class Failed(Exception):
    """What went wrong with a project, in words for the table."""


@dataclass(slots=True)
class Outcome:
    """What became of one project."""

    version: str = ""
    django: str = ""
    runs: list[dict[str, Any]] = field(default_factory=list)
    kept: int = 0
    """Files and tables of theirs that are as they were."""
    changed: list[str] = field(default_factory=list)
    failure: str = ""
    skipped: str = ""
    took_s: float = 0.0
    measured_s: float | None = None  #: Of that, until the runs were stored.


class Trial:
    """One project in a folder of its own; made again where it was made before."""

    def __init__(
        self, stranger: Stranger, folder: Path, python: str, benchsuite: str, fetched: Path | None
    ) -> None:
        self.stranger = stranger
        self._fetched = fetched
        self._place = folder / stranger.name
        self._venv = self._place / "venv"
        self._home = self._place / "home"
        self._project = self._place / "project"
        self._made = self._place / "made"
        self._python = python
        self._benchsuite = benchsuite
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """All steps, one after another; the first that fails ends them."""
        began = monotonic()
        try:
            self.prepare(INSTALLED)
            before = self._checksums()
            try:
                self._measure()
            finally:  # a run that fails keeps its hands off, too
                after = self._checksums()
                self.outcome.kept = len(before.items() & after.items())
                self.outcome.changed = theirs.changes(before, after)
            self._look()
        except Failed as error:
            self.outcome.failure = str(error)
        self.outcome.took_s = monotonic() - began
        return self.outcome

    def prepare(self, servers: Sequence[str], extras: str = "") -> None:
        """Installs and makes it; raises Failed."""
        self._install(servers, extras)
        self._make()

    def _install(self, servers: Sequence[str], extras: str) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        if not self._made.exists():  # what an earlier try left half done is begun anew
            shutil.rmtree(self._project, ignore_errors=True)
            if self._fetched is not None:
                shutil.copytree(self._fetched, self._project, symlinks=True)
            self._project.mkdir(exist_ok=True)
        if not (self._venv / "installed").exists():
            self._do(self._python, "-m", "venv", str(self._venv))
            self._pip("install", *self.stranger.install)
            (self._venv / "installed").write_text(self._pip("freeze"))
        # What benchsuite brings must leave the project's own versions as they are.
        pins = ["--constraint", str(self._venv / "installed")]
        self._install_beside(pins, servers, extras)
        versions = dict(
            line.lower().split("==", 1) for line in self._pip("freeze").splitlines() if "==" in line
        )
        first = self.stranger.install[0].partition("[")[0].partition("~")[0].lower()
        self.outcome.version = versions.get(first, "as fetched")
        self.outcome.django = versions["django"]

    def _install_beside(self, pins: Sequence[str], servers: Sequence[str], extras: str) -> None:
        self._pip("install", *pins, f"{self._benchsuite}{extras}", *servers)
        self._pip("install", "--no-deps", "--force-reinstall", self._benchsuite)

    def _make(self) -> None:
        stranger = self.stranger
        self._make_theirs({stranger.settings_file: QUICKSTART, stranger.urls_file: PAGES})
        self.manage("migrate")
        self.manage("check")

    def _make_theirs(self, ours: Mapping[str, str]) -> None:
        """Writes the project and its data, unless that is done; `ours` is put into its files."""
        stranger = self.stranger
        if not self._made.exists():
            for command in stranger.make:
                self._do(*shlex.split(command))
            for name, text in (*stranger.files.items(), *ours.items()):
                path = self._project / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a") as file:
                    file.write(f"\n{text}")
            self.manage("migrate")
            for command in stranger.fill:
                self._do(*shlex.split(command))
            self._made.touch()

    def _measure(self) -> None:
        stranger = self.stranger
        file = self._place / "results.json"
        file.unlink(missing_ok=True)
        words = [f"--server={stranger.servers}", *shlex.split(f"{LOAD} {stranger.measured}")]
        began = monotonic()
        self.manage("runbench", *words, f"--json={file}")
        self.outcome.measured_s = monotonic() - began
        self.outcome.runs = json.loads(file.read_text())

    def _look(self) -> None:
        self.python(LOOK)

    def _checksums(self) -> dict[str, str]:
        return theirs.checksums(self._venv, self._home, self._project)

    def _pip(self, *words: str) -> str:
        asked = [str(self._venv / "bin" / "python"), "-m", "pip", "-q", *words]
        return self._do(*asked, timeout_s=INSTALL_S)

    def manage(self, *words: str) -> str:
        """What a command of the project prints; raises Failed where it fails."""
        return self._do(*shlex.split(self.stranger.manage), *words)

    def manage_into(self, file: Path, limit_s: float, *words: str) -> int:
        """The status of a command whose output is appended to that file; Ctrl-C after so long."""
        program, *others = (*shlex.split(self.stranger.manage), *words)
        bounded = ["timeout", "--foreground", "--signal=INT", "--kill-after=60", f"{limit_s:g}"]
        with file.open("a") as output:
            print("$", shlex.join((program, *others)), file=output, flush=True)
            return subprocess.run(
                [*bounded, self._program(program), *others],
                cwd=self._project,
                env={**self._environment(), "COLUMNS": str(WIDTH)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode

    def python(self, text: str, *words: str) -> str:
        """What that text prints inside the project; raises Failed where it fails."""
        return self._do("python", "-c", text, *words)

    def _do(self, *argv: str, timeout_s: float = COMMAND_S, without: Collection[str] = ()) -> str:
        """What it prints, where those variables are not set; raises Failed where it fails."""
        variables = self._environment()
        try:
            done = subprocess.run(
                [self._program(argv[0]), *argv[1:]],
                cwd=self._project if self._project.exists() else self._place,
                env={name: variables[name] for name in variables if name not in without},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=timeout_s,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failed(str(error)) from error
        words = shlex.join(argv)[:200]
        with (self._place / "log.txt").open("a") as log:
            log.write(f"$ {words}\n{done.stdout}")
        if done.returncode:
            last = "\n".join(done.stdout.splitlines()[-SHOWN_LINES:])
            raise Failed(f"{words} ended with {done.returncode}:\n{last}")
        return done.stdout

    def _program(self, name: str) -> str:
        own = self._venv / "bin" / name
        return str(own) if own.exists() else name

    def _environment(self) -> Mapping[str, str]:
        """The user's own, with nothing of the environment that this program runs in."""
        ours = ("DJANGO_", "PYTHON", "BENCHSUITE", "VIRTUAL_ENV", "DATABASE_URL")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        cache = os.environ.get("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
        return {
            **kept,
            "PATH": f"{self._venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self._home),
            "PIP_CACHE_DIR": cache,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PYTHONPATH": str(self._project),
            "DJANGO_SETTINGS_MODULE": self.stranger.settings,
            **{
                name: value.format(folder=self._project)
                for name, value in self.stranger.env.items()
            },
        }


def usable_python(least: tuple[int, int], given: Sequence[str]) -> str:
    """The first of these Pythons, this one before them, that is new enough; "" when none is."""
    for python in (sys.executable, *given):
        asked = f"import sys; sys.exit(sys.version_info < {least})"
        if subprocess.run([python, "-c", asked], check=False, timeout=30).returncode == 0:
            return python
    return ""
