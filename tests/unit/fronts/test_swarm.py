"""The stack that the swarm front deploys, and what it refuses; no engine is asked."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchsuite.fronts import swarm
from benchsuite.fronts.base import FrontPlace, Instances
from benchsuite.fronts.swarm import Swarm
from benchsuite.system import programs
from tests.samples import DEPLOY, document

INSTANCES = Instances(
    count=4,
    argv=["/home/me/.venv/bin/python", "-m", "uvicorn", "--port", "8000"],
    env={"BENCHSUITE_RUN": "t0ken"},
    folders=[Path("/tmp/run"), Path("/site-packages/conf")],
)


@pytest.fixture
def ipvs(monkeypatch, tmp_path):
    """Where the kernel would show its IPVS; it is not there yet."""
    path = tmp_path / "ip_vs"
    monkeypatch.setattr(swarm, "IPVS", path)
    return path


def make(instances=INSTANCES, **options):
    place = FrontPlace(folder=Path("/run/front"), token="0123456789abcdef", instances=instances)
    return Swarm({"image": "shop-bench", **options}, place)


def service(adapter):
    (content,) = adapter.config_files("127.0.0.1", 8123, ()).values()
    return json.loads(content)["services"]["web"]


def test_the_service_of_the_stack(ipvs, golden):
    """In its texts nothing begins a variable; only the run's own folder may be written."""
    folder = Path("/tmp/it's ä $HOME ${x}")
    asked = replace(INSTANCES, env={"DATABASE_URL": "postgres://u:pa$$w@h/d"}, folders=[folder])
    pinned = Instances(count=1, argv=["python"], env={}, folders=(), cpus=(0, 2))
    golden(service(make()), "plain")
    golden(service(make(asked)), "variables")
    golden(service(make(pinned)), "pinned")


def test_publishes_as_the_kernel_can(ipvs, golden):
    def published(publish, *, mesh):
        ipvs.touch() if mesh else ipvs.unlink(missing_ok=True)
        stack = service(make(publish=publish))
        return stack["ports"][0]["mode"], stack["deploy"]["endpoint_mode"]

    golden.cases(published)


def test_the_sample_is_the_stack_of_a_kernel_with_the_mesh(ipvs):
    ipvs.touch()
    ours = service(make())
    sample = document(DEPLOY / "swarm" / "stack.yaml")["services"]["web"]
    (port,) = sample["ports"]
    assert {**port, "published": 8123} == ours["ports"][0]
    assert sample["deploy"]["endpoint_mode"] == ours["deploy"]["endpoint_mode"]
    assert sample["deploy"]["replicas"] == ours["deploy"]["replicas"]
    assert set(ours) - set(sample) == {"command", "volumes"}, "the image has both"


def engine(monkeypatch, said, path="/d"):
    """An engine that knows the image shop-bench and says this of itself."""
    monkeypatch.setattr(programs, "find_program", lambda name: path or None)

    def docker(*arguments):
        if arguments[0] == "image":
            return "[]" if arguments[-1] == "shop-bench" else None
        return None if said is None else json.dumps(said)

    monkeypatch.setattr(swarm, "_docker", docker)


def test_availability(monkeypatch, golden):
    def available(said, path="/d"):
        engine(monkeypatch, said, path)
        return Swarm.available(), Swarm.version()

    golden.cases(available)


def test_what_is_possible(monkeypatch, ipvs, golden):
    """One instance needs no mesh, and more do; the image must be there."""
    engine(monkeypatch, {})

    def possible(instances, *, mesh=False, **options):
        ipvs.touch() if mesh else ipvs.unlink(missing_ok=True)
        make(**options).ensure_possible(instances)

    golden.cases(possible, replace={re.escape(str(ipvs)): "IPVS"})


def test_runs_as_who_may_speak_to_the_engine():
    adapter = make()
    assert (adapter.run_as, adapter.check_argv()) == ("", [])
    words = ["-m", "benchsuite.fronts.swarm", "/run/front/stack.yaml", "benchsuite-0123456789ab"]
    assert adapter.argv()[1:] == words
