"""What a run's programs are started with."""

from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.test import override_settings

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LayerSpec, RunSpec, ServerSpec, TargetSpec, WorkloadSpec
from benchsuite.isolation.facts import Facts
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import assembly
from benchsuite.runner.planning import resolve
from benchsuite.runner.running_system import WORKERS
from benchsuite.servers.launched import Waitress

SPEC = RunSpec(
    server=ServerSpec(server="daphne"),
    workload=WorkloadSpec(workload="layer"),
    layer=LayerSpec(backend="redis", workers=2),
)
GIVEN = {"token": "feed", "clone": None, "facts": Facts()}


def test_workers_run_under_the_python_that_serves(tmp_path, monkeypatch):
    started = []

    @contextmanager
    def running(argv, *, env, **given):
        started.append((argv, env))
        yield SimpleNamespace(name=given["name"], argv=argv)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(assembly, "running", running)
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: f"{name} of {self.name}")
    run, plan = tmp_path / "run", resolve(SPEC).under(Interpreter("/new/bin/python", "new"))
    assembled = assembly.Assembly(plan=plan, folder=run, **GIVEN)
    assembled.system.instructions = run / "instructions.json"
    assembled.services["redis"] = "unix:/run/redis"
    assembled._start_workers()
    assert [argv[0] for argv, _ in started] == ["/new/bin/python"] * 2
    for number, (_, env) in enumerate(started, start=1):
        assert env["PYTHONPATH"].startswith(f"{run / WORKERS}-{number}/import:")
        assert env["BENCHSUITE_INSTRUCTIONS"] == str(run / "instructions.json")
    assert [one.version for one in assembled.system.programs] == ["channels of new"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"], "nothing beside the run's folder"


UVICORN = ServerSpec(server="uvicorn")


def made(seed=1, server=UVICORN, **variables):
    """The environment of a start with this seed, and with what the user says."""
    spec = RunSpec(server=server, target=TargetSpec(variables=variables), seed=seed)
    assembled = assembly.Assembly(plan=resolve(spec), folder=Path("/run"), **GIVEN)
    assembled.system.instructions = Path("/run/instructions.json")
    return assembled.environment(assembled.plan.server)


class Wants(Waitress):
    services = ("carrier-pigeon",)


def test_a_service_that_a_server_wants_must_be_known():
    with (
        override_settings(BENCHSUITE={"SERVERS": {"wants": f"{__name__}.Wants"}}),
        pytest.raises(
            UsageError, match="no service 'carrier-pigeon'; there are: postgresql, mariadb, redis"
        ),
    ):
        resolve(RunSpec(server=ServerSpec(server="wants")))


def test_values(golden):
    golden.values()


@pytest.mark.parametrize("server", ["uvicorn", "granian-wsgi", "uwsgi", "circus-uvicorn"])
def test_no_variable_of_ours_sets_an_option_of_a_server(server, monkeypatch):
    name = f"{server.removeprefix('circus-').partition('-')[0].upper()}_RELOAD"
    monkeypatch.setenv(name, "1")
    asked = ServerSpec(server=server)
    assert name not in made(server=asked)
    assert made(server=asked, **{name: "1"})[name] == "1", "but what a run asks for"
