"""What stands around a server: what makes no sense is refused, and the rest has words."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import LayerSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import preflight
from benchsuite.runner.planning import resolve
from benchsuite.servers.base import Available
from benchsuite.servers.uvicorn import Uvicorn
from tests.factories import make_spec

REDIS_URL = "redis://:s3cret@host:6379/1"


PROJECT = {}
"""What the measured project has in CHANNEL_LAYERS; None where its settings can't be loaded."""


def target_settings():
    if PROJECT.get("default", "") is None:
        raise ImportError("No module named 'shop'")
    return SimpleNamespace(CHANNEL_LAYERS=dict(PROJECT))


def shown(url):
    """A layer's URL as stored and in words, and whether it makes the same cell."""
    layer = LayerSpec(backend="redis", url=url)
    stored = RunSpec(server=ServerSpec(server="daphne"), layer=layer)
    kept = stored.to_json()["layer"]["url"]
    same = replace(stored, layer=LayerSpec(backend="redis", url=kept)).key
    return kept, layer.words, stored.key == same


def check(server="daphne", options=None, **layer):
    """What is refused in such a run, of whose front and server program nobody asks."""
    spec = run(server, **layer)
    workload = replace(spec.workload, options=options or {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preflight, "_check_usable", lambda plan: None)
        patch.setattr(preflight.environments, "target_settings", target_settings)
        preflight.check(replace(resolve(replace(spec, workload=workload)), front=None))


def run(server="daphne", workload="layer", processes=None, instances=1, **layer):
    work, front = WorkloadSpec(workload=workload), "nginx" if instances > 1 else ""
    asked = ServerSpec(server=server, processes=processes, instances=instances, front=front)
    return RunSpec(workload=work, server=asked, layer=LayerSpec(**layer))


def test_a_library_that_the_target_s_python_lacks_is_told(monkeypatch):
    """Of the Python that serves: what this process has is of no use to it."""
    there = Interpreter("/other/python", "3.13")
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: "4.3" if self.is_own else None)
    here = resolve(run(backend="memory"))
    monkeypatch.setattr(preflight, "_check_usable", lambda plan: None)
    monkeypatch.setattr(preflight.environments, "ensure_serving", lambda python: None)
    preflight.check_installed(here)
    message = r"needs channels, .* for /other/python: pip install .*\[channels\]"
    with pytest.raises(UnavailableError, match=message):
        preflight.check_installed(here.under(there))


def test_a_server_that_is_not_installed_is_refused_with_the_command(monkeypatch):
    missing = Available(False, "uvicorn is not installed", "pip install uvicorn")
    monkeypatch.setattr(Uvicorn, "available", classmethod(lambda cls, python: missing))
    with pytest.raises(UnavailableError, match="uvicorn is not installed; pip install uvicorn"):
        preflight.check(resolve(RunSpec(server=ServerSpec(server="uvicorn"))))


def test_consumers_need_channels_unless_they_are_the_projects_own(monkeypatch):
    found = Interpreter.installed
    monkeypatch.setattr(
        Interpreter,
        "installed",
        lambda self, name: None if name == "channels" else found(self, name),
    )
    with pytest.raises(
        UnavailableError, match=r"consumers of ws_echo need channels, .*\[channels\]"
    ):
        preflight.check(resolve(run("uvicorn", "ws_echo")))
    own = WorkloadSpec(workload="ws_echo", options={"path": "/ws/chat/"})
    preflight.check(resolve(replace(run("uvicorn"), workload=own)))


def test_more_samples_than_load_hosts_send_are_told_or_refused_before_the_run():
    many = LoadProfile(hosts=2, model="open", arrival_rate=1e5, duration_s=3600.0)
    pages = resolve(replace(make_spec("uvicorn", threads=None), load=many))
    assert pages.has_too_many_samples
    preflight.check(pages)
    sockets = resolve(replace(run("uvicorn", "ws_echo"), load=many))
    with pytest.raises(UsageError, match=r"more than 10,000,000 samples.* of ws_echo don't add up"):
        preflight.check(sockets)
    assert not resolve(replace(pages.spec, load=replace(many, hosts=0))).has_too_many_samples


def test_a_profile_needs_requests_and_the_program(monkeypatch):
    sockets = make_spec("uvicorn", workload="ws_echo", processes=None, threads=None).profiled
    with pytest.raises(UsageError, match="--flame looks into requests, and ws_echo measures"):
        preflight.check(resolve(sockets))

    def missing():
        raise UnavailableError("there is none")

    monkeypatch.setattr(preflight.explaining, "ensure_profiler", missing)
    with pytest.raises(UnavailableError, match="there is none"):
        preflight.check(resolve(make_spec("waitress", processes=None).profiled))


def test_values(golden):
    golden.values()


@pytest.mark.parametrize("workload", ["ws_broadcast", "ws_idle", "sse"])
def test_users_who_stay_to_the_end_can_t_become_fewer(workload):
    falling = LoadProfile(users=5, stages=(5.0, 2.0))
    plan = resolve(replace(run("uvicorn", workload), load=falling))
    with pytest.raises(UsageError, match="can't rest, so --stages must rise"):
        preflight._check_users(plan)
