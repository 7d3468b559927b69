"""Runs made by a session as `runbench` makes them, and small projects of a test's own for them."""

import importlib
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchsuite.core.results import RunResult
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.load.job import Tick
from benchsuite.runner import Session, planning

SETTINGS = """
SECRET_KEY = "for the test"
ROOT_URLCONF = "{name}.urls"
"""
"""What each of these projects has; its own settings follow."""
CALLABLE = """
from django.core.{kind} import get_{kind}_application
application = get_{kind}_application()
"""


class Quiet:
    """Watches runs and only remembers their stages and ticks."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.ticks: list[Tick] = []

    def stage(self, text: str) -> None:
        self.stages.append(text)

    note = stage

    def tick(self, tick: Tick) -> None:
        self.ticks.append(tick)


def page(path="/", server="gunicorn-sync", *, users=1, duration_s=0.3, options=None, **fields):
    """A short run of a page; `options` are the workload's, other fields those of the run."""
    return RunSpec(
        **{
            "server": ServerSpec(server=server) if isinstance(server, str) else server,
            "workload": WorkloadSpec(workload="url", options={"path": path, **(options or {})}),
            "load": LoadProfile(users=users, warmup_s=0.0, duration_s=duration_s),
            **fields,
        }
    )


def made(settings_module, *specs, watcher=None, start_timeout_s=None):
    """What came of each, all in one session."""
    watcher = watcher or Quiet()
    at_work = Session(settings_module=settings_module, start_timeout_s=start_timeout_s)
    with at_work.opened():
        return [at_work.run(planning.resolve(spec), watcher) for spec in specs]


class Project:
    """A package that was written for the test."""

    def __init__(self, folder: Path, settings: str) -> None:
        self.folder = folder
        self.settings_module = f"{folder.name}.settings"
        self._settings = SETTINGS.format(name=folder.name) + settings

    def write(self, module: str, source: str) -> None:
        (self.folder / f"{module}.py").write_text(source)

    def set(self, more: str) -> None:
        """Its settings and these."""
        self.write("settings", self._settings + more)

    def run(self, *specs: RunSpec, more: str = "", **how: Any) -> RunResult:
        """The result of the last of these runs, with more settings."""
        self.set(more)
        return self.run_all(*specs, **how)[-1]

    def run_all(self, *specs: RunSpec, **how: Any) -> list[RunResult]:
        return made(self.settings_module, *specs, **how)


@contextmanager
def written(folder, name, sources, monkeypatch):
    """A package of that name, importable here and by what a run starts, and forgotten afterwards;
    `sources` are its modules.
    """
    (folder / name).mkdir()
    project = Project(folder / name, sources.get("settings", ""))
    project.set("")
    kinds = {kind: CALLABLE.format(kind=kind) for kind in ("wsgi", "asgi")}
    for module, source in {"__init__": "", **kinds, **sources}.items():
        if module != "settings":
            project.write(module, source)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    importlib.invalidate_caches()
    try:
        yield project
    finally:
        for known in [known for known in sys.modules if known.split(".")[0] == name]:
            del sys.modules[known]
