"""The Django project of a folder: its manage.py, its Python, and what that says of it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchsuite.cli import probe
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.units import listed
from benchsuite.pythons.interpreter import ASTRAY, executed
from benchsuite.system.programs import ran

ASK_S = 120.0  #: How long a project may take to load.
MISLEADING = {*ASTRAY} - {"PYTHONPATH"}  #: By that one manage.py may find the project.
ENVIRONMENTS = (".venv", "venv", "env", ".env")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is known of a project before anything is measured."""

    folder: Path  #: That of manage.py, from where it is served.
    python: Path
    settings: str  #: Its settings module.
    django: str
    environment: Mapping[str, str]  #: What manage.py sets, from files such as .env too.
    folders: Sequence[str]  #: What it puts on the import path, its own folder first.
    values: Mapping[str, Any] = field(default_factory=dict)  #: Of its settings, `probe.VALUES`.
    pages: Sequence[str] = ()  #: Paths that need no argument.
    fault: str = ""  #: Why its apps or URLs can't be loaded; empty where they can.

    @property
    def is_own(self) -> bool:
        """Whether benchsuite runs in the project's environment."""
        return str(self.python) == sys.executable

    @property
    def name(self) -> str:
        """That of its checkout, else of its folder."""
        for folder in (self.folder, *self.folder.parents):
            signs = (folder / ".git", folder / "pyproject.toml")
            if folder.name and any(map(os.path.exists, signs)):
                return folder.name
        return self.folder.name


def find(folder: Path, settings: str = "", python: str = "") -> Project:
    """The project of a folder, of one above it, or the only one below it. Raises UsageError where
    there is none or more than one, UnavailableError where no Python loads it.
    """
    manage = _manage(folder)
    home = manage.parent
    pythons = [Path(os.path.expanduser(python)).absolute()] if python else []
    refusals, lacking = [], None
    for path in pythons or dict.fromkeys(_pythons(home)):
        candidate = path / "bin" / "python" if os.path.isdir(path) else path
        known = _asked(candidate, manage, settings)
        if "django" not in known:
            refusals.append(f"{candidate}: {known['fault']}")
            continue
        if not known["settings"]:
            files = [*home.glob("*/settings.py"), *home.glob("*/settings/[!_]*.py")]
            names = [".".join(file.relative_to(home).with_suffix("").parts) for file in files]
            there = f"; there are {listed(sorted(names))}" if names else ""
            raise UsageError(f"{manage} names no settings: write --settings MODULE{there}.")
        own = Path(known.pop("python", "") or candidate).absolute()
        project = Project(folder=home, python=own, **known)
        if not project.fault:
            return project
        lacking = lacking or project  # it has Django, but may be that of another project
    if lacking is not None:
        return lacking
    raise UnavailableError(
        f"No Python can load the project in {home}; name its environment: --python PATH. Tried:\n"
        + "\n".join(f"  {refusal}" for refusal in refusals)
    )


def _manage(folder: Path) -> Path:
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is no folder; name that of manage.py, or one above it.")
    for above in (folder, *folder.parents):
        if os.path.isfile(above / "manage.py"):
            return above / "manage.py"
        if os.path.exists(above / ".git") or above == Path.home():
            break
    below = sorted(folder.glob("[!.]*/manage.py")) or sorted(folder.glob("[!.]*/[!.]*/manage.py"))
    if len(below) == 1:
        return below[0]
    if below:
        raise UsageError(
            f"There are several projects below {folder}: "
            f"{listed([str(manage.parent) for manage in below])}; go to one of them, or name it: "
            "--project FOLDER."
        )
    raise UsageError(
        f"There is no manage.py in {folder}, above it or up to two folders below; go to the "
        "project's folder, or name it: --project FOLDER."
    )


def _pythons(home: Path) -> Iterator[Path]:
    """All that may load it: of environments the likeliest first, then ours, and of the PATH one."""
    if active := os.environ.get("VIRTUAL_ENV"):
        yield Path(sys.executable) if Path(active) == Path(sys.prefix) else Path(active)
    for folder in (home, *home.parents):
        yield from (
            folder / name for name in ENVIRONMENTS if os.path.exists(folder / name / "pyvenv.cfg")
        )
        for lock, line in (
            ("poetry.lock", ["poetry", "env", "info", "--path"]),
            ("Pipfile", ["pipenv", "--venv"]),
        ):
            done = ran(*line, folder=folder) if (folder / lock).exists() else None
            if done and not done.returncode and (path := done.stdout.decode().strip()):
                yield Path(path)
        if (folder / ".git").exists() or folder == Path.home():
            break
    if (conda := os.environ.get("CONDA_PREFIX")) and Path(conda) != Path(sys.prefix):
        yield Path(conda)
    yield Path(sys.executable)
    elsewhere = [folder for folder in os.get_exec_path() if Path(folder) != Path(sys.prefix, "bin")]
    if program := shutil.which("python3", path=os.pathsep.join(elsewhere)):
        yield Path(program)


def _asked(python: Path, manage: Path, settings: str) -> dict[str, Any]:
    """What the probe reports; a `fault` alone where not even Django was found."""
    words = (probe.__file__, str(manage), settings)
    try:
        ended = executed(python, *words, folder=manage.parent, limit_s=ASK_S, without=MISLEADING)
    except subprocess.TimeoutExpired:
        return {"fault": f"the project did not load in {ASK_S:g} s"}
    except OSError as error:
        return {"fault": f"can't be started ({error.strerror})"}
    _, mark, report = ended.stdout.rpartition(probe.MARK)
    if not mark:
        return {"fault": (ended.stderr.strip().splitlines() or ["it ended without a word"])[-1]}
    known: dict[str, Any] = json.loads(report)
    return known
