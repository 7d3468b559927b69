"""What a run's programs are started with."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchsuite.core.specs import LayerSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.isolation.facts import Facts
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import assembly
from benchsuite.runner.planning import resolve
from benchsuite.runner.running_system import WORKERS, RunningSystem

SPEC = RunSpec(
    server=ServerSpec(server="daphne"),
    workload=WorkloadSpec(workload="layer"),
    layer=LayerSpec(backend="redis", workers=2),
)


def test_workers_run_under_the_python_that_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[Sequence[str], Mapping[str, str]]] = []

    @contextmanager
    def running(argv: Sequence[str], *, env: Mapping[str, str], **given: Any) -> Iterator[object]:
        started.append((argv, env))
        yield SimpleNamespace(name=given["name"])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(assembly, "running", running)
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: f"{name} of {self.name}")
    run = tmp_path / "run"
    start = assembly.StartRequest(
        plan=resolve(SPEC).under(Interpreter("/new/bin/python", "new")),
        folder=run,
        token="feed",
        clone=cast(Any, None),
        facts=Facts(database_address=None, static_url="", static_root=""),
    )
    found = RunningSystem()
    late = cast(Any, SimpleNamespace(wrapped=lambda argv: argv))
    with ExitStack() as stack:
        scene = assembly.Scene(late, run / "instructions.json", {"redis": "unix:/run/redis"})
        assembly._workers(start, stack, found, scene)
    assert [argv[0] for argv, _ in started] == ["/new/bin/python"] * 2
    for number, (_, env) in enumerate(started, start=1):
        assert env["PYTHONPATH"].startswith(f"{run / WORKERS}-{number}/import:")
        assert env["BENCHSUITE_INSTRUCTIONS"] == str(run / "instructions.json")
    assert [one.version for one in found.members] == ["channels of new"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"], "nothing beside the run's folder"
