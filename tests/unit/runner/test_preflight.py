"""What stands around a server: what makes no sense is refused, and the rest has words."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import (
    DatabaseSpec,
    DelaySpec,
    LayerSpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    TargetSpec,
    VisitorSpec,
    WorkloadSpec,
)
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import preflight
from benchsuite.runner.planning import resolve
from benchsuite.servers.base import Available
from benchsuite.servers.uvicorn import Uvicorn
from tests.factories import make_spec
from tests.golden import Golden

FULL = RunSpec(
    server=ServerSpec(
        server="daphne",
        front="nginx",
        instances=4,
        front_options={"workers": 2},
        python="3.13",
        environment="new@0123456789abcdef",
        application="shop.bare:application",
    ),
    database=DatabaseSpec(use="postgresql", max_connections=50, fsync=False, pool=5),
    layer=LayerSpec(backend="redis", by="unix", workers=2),
    delay=DelaySpec(to_database_s=0.1, to_layer_s=0.05, to_clients_s=0.2),
    visitor=VisitorSpec(login="eve", host="shop.example"),
    static="skip",
    target=TargetSpec(settings={"SHOP.size": 5}, variables={"MALLOC_ARENA_MAX": "2"}),
)


def test_a_spec_comes_back_from_json_as_it_was():
    assert RunSpec.from_json(FULL.to_json()) == FULL


REDIS_URL = "redis://:s3cret@host:6379/1"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"url": "http://host"}, "--layer-url must start with redis://, rediss://, unix://"),
        ({"url": REDIS_URL, "backend": "memory"}, "add --layer=redis"),
        ({"url": REDIS_URL, "backend": ""}, "add --layer=redis"),
        ({"url": REDIS_URL, "by": "unix"}, "remove one of them"),
        ({"backend": "memory", "workers": 1}, "take --layer=redis"),
        ({"backend": "kafka"}, "there are: memory, redis, redis-pubsub"),
        ({"by": "pigeon"}, "there are: tcp, unix"),
    ],
)
def test_a_layer_that_contradicts_itself_is_refused(fields, message):
    with pytest.raises(UsageError, match=re.escape(message)) as raised:
        LayerSpec(**{"backend": "redis", **fields})
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (REDIS_URL, "redis://host:6379/1"),
        ("rediss://me:s3cret@host", "rediss://me@host"),
        ("unix:///run/redis.sock?db=2&password=s3cret", "unix:///run/redis.sock?db=2"),
    ],
)
def test_a_password_is_neither_stored_nor_shown(url, shown):
    layer = LayerSpec(backend="redis", url=url)
    stored = RunSpec(server=ServerSpec(server="daphne"), layer=layer)
    assert stored.to_json()["layer"]["url"] == shown
    assert stored.key == replace(stored, layer=LayerSpec(backend="redis", url=shown)).key
    assert layer.words == f"redis at {shown}"


def run(server="daphne", workload="layer", processes=None, instances=1, **layer):
    return RunSpec(
        workload=WorkloadSpec(workload=workload),
        server=ServerSpec(
            server=server,
            processes=processes,
            instances=instances,
            front="nginx" if instances > 1 else "",
        ),
        layer=LayerSpec(**layer),
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (run(), "add --layer=redis --layer-workers=1, or --layer=memory"),
        (run(backend="redis"), "add --layer=redis --layer-workers=1"),
        (run("gunicorn-sync", backend="memory"), "gunicorn-sync serves WSGI; take daphne"),
        (run("uvicorn", processes=2, backend="memory"), "there would be 2; take --layer=redis"),
        (run("uvicorn", instances=3, backend="memory"), "there would be 3; take --layer=redis"),
        (
            run("uvicorn", workload="plain", processes=2, backend="memory"),
            "--layer=memory stays within one process",
        ),
        (run(backend="redis-pubsub", workers=2), "so 2 would all answer each request"),
        (run(workload="plain", backend="redis", workers=1), "answer what --workload=layer sends"),
    ],
)
def test_a_layer_that_could_not_work_is_refused_before_the_run(spec, message, monkeypatch):
    monkeypatch.setattr(preflight, "_check_front", lambda plan: None)
    with pytest.raises(UsageError, match=re.escape(message)):
        preflight.check(resolve(spec))


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


BROADCAST = {"workload": "ws_broadcast"}


@pytest.fixture
def layers(monkeypatch):
    """Sets what the measured project has in CHANNEL_LAYERS."""

    def put(**layers):
        found = SimpleNamespace(CHANNEL_LAYERS=layers)
        monkeypatch.setattr(preflight.environments, "target_settings", lambda: found)

    for other in ("_check_front", "_check_usable"):
        monkeypatch.setattr(preflight, other, lambda plan: None)
    put()
    return put


@pytest.mark.parametrize(
    "workload",
    [
        WorkloadSpec(**BROADCAST),
        WorkloadSpec(workload="ws_echo", options={"layer": True}),
    ],
)
def test_a_workload_that_needs_a_layer_is_refused_where_there_is_none(workload, layers):
    wanted = RunSpec(server=ServerSpec(server="daphne"), workload=workload)
    with pytest.raises(UsageError, match="has none in CHANNEL_LAYERS; add --layer=redis"):
        preflight.check(resolve(wanted))
    layers(other={"BACKEND": "channels_redis.core.RedisChannelLayer"})
    with pytest.raises(UsageError, match="has none in CHANNEL_LAYERS"):
        preflight.check(resolve(wanted))
    preflight.check(resolve(replace(wanted, layer=LayerSpec(backend="memory"))))


def test_the_projects_own_layer_will_do(layers):
    layers(default={"BACKEND": "channels_redis.core.RedisChannelLayer"})
    preflight.check(resolve(run("uvicorn", processes=2, **BROADCAST)))


def test_the_projects_own_layer_in_memory_joins_no_processes(layers):
    layers(default={"BACKEND": "channels.layers.InMemoryChannelLayer"})
    preflight.check(resolve(run("uvicorn", **BROADCAST)))
    with pytest.raises(UsageError, match=r"project's layer in memory .* there would be 2; take"):
        preflight.check(resolve(run("uvicorn", processes=2, **BROADCAST)))
    preflight.check(resolve(run("uvicorn", processes=2, workload="ws_echo")))


def test_a_consumer_of_ones_own_and_a_server_of_its_own_need_what_they_need(layers):
    options = {"path": "/chat/"}
    own = WorkloadSpec(**BROADCAST, options=options)
    preflight.check(resolve(RunSpec(server=ServerSpec(server="daphne"), workload=own)))
    preflight.check(resolve(run("peer-ws", **BROADCAST)))


def test_settings_that_cannot_be_loaded_here_are_left_to_the_run(monkeypatch):
    def fail():
        raise ImportError("No module named 'shop'")

    monkeypatch.setattr(preflight.environments, "target_settings", fail)
    preflight.check(resolve(run("uvicorn", **BROADCAST)))


def made(server="uvicorn", **changes):
    return RunSpec(server=ServerSpec(server=server), **changes)


def test_a_server_that_is_not_installed_is_refused_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = Available(False, "uvicorn is not installed", "pip install uvicorn")
    monkeypatch.setattr(Uvicorn, "available", classmethod(lambda cls, python: missing))
    with pytest.raises(UnavailableError, match="uvicorn is not installed; pip install uvicorn"):
        preflight.check(resolve(made()))


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        (
            LoadProfile(model="open", arrival_rate=5.0, keep_cookies=True),
            "so a --rate can't be kept; use --users",
        ),
        (
            LoadProfile(users=5, stages=(5.0, 2.0), keep_cookies=True),
            "so --stages must rise from level to level",
        ),
    ],
)
def test_what_the_users_of_a_locustfile_cant_do_is_refused(
    load: LoadProfile, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "locustfile.py"
    file.write_text("")
    workload = WorkloadSpec(workload="locustfile", options={"path": str(file)})
    with pytest.raises(UsageError, match=sentence):
        preflight.check(resolve(made(workload=workload, load=load)))


def test_consumers_need_channels_unless_they_are_the_projects_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = Interpreter.installed
    monkeypatch.setattr(
        Interpreter,
        "installed",
        lambda self, name: None if name == "channels" else found(self, name),
    )
    with pytest.raises(
        UnavailableError, match=r"consumers of ws_echo need channels, .*\[channels\]"
    ):
        preflight.check(resolve(made(workload=WorkloadSpec(workload="ws_echo"))))
    own = WorkloadSpec(workload="ws_echo", options={"path": "/ws/chat/"})
    preflight.check(resolve(made(workload=own)))


def test_a_profile_needs_requests_and_the_program(monkeypatch):
    sockets = make_spec("uvicorn", workload="ws_echo", processes=None, threads=None).profiled
    with pytest.raises(UsageError, match="--flame looks into requests, and ws_echo measures"):
        preflight.check(resolve(sockets))

    def missing() -> str:
        raise UnavailableError("there is none")

    monkeypatch.setattr(preflight.profiler, "ensure_installed", missing)
    with pytest.raises(UnavailableError, match="there is none"):
        preflight.check(resolve(make_spec("waitress", processes=None).profiled))


def test_values(golden: Golden) -> None:
    golden.values()
