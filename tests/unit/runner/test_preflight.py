"""What stands around a server: what makes no sense is refused, and the rest has words."""

import re
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchsuite.comparing.titles import Around
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


def test_everything_around_a_server_has_words():
    assert Around.of_spec(FULL) == Around(
        python="environment new of Python 3.13",
        application="shop.bare:application",
        front="4 instances behind nginx (workers=2)",
        database="postgresql, 50 connections, fsync off, pool of 5",
        layer="redis over unix, 2 workers",
        delay=(
            "100\u2009ms to the database, 50.0\u2009ms to the channel layer, 200\u2009ms to clients"
        ),
        visitor="logged in as eve, Host shop.example",
        static="static files not collected",
        target="SHOP.size=5, variable MALLOC_ARENA_MAX=2",
    )


def test_what_is_not_there_has_none():
    assert Around.of_spec(make_spec()) == Around(
        **{**dict.fromkeys((one.name for one in fields(Around)), ""), "database": "throwaway"}
    )


@pytest.mark.parametrize(
    ("python", "environment", "words"),
    [
        ("3.13", "", "Python 3.13"),
        ("", "new@0123456789abcdef", "environment new"),
        ("/opt/python/bin/python", "", "Python /opt/python/bin/python"),
    ],
)
def test_another_python_has_words(python, environment, words):
    assert ServerSpec(server="x", python=python, environment=environment).python_words == words


def test_a_spec_comes_back_from_json_as_it_was():
    assert RunSpec.from_json(FULL.to_json()) == FULL


@pytest.mark.parametrize(
    "changed",
    [
        {"front": "haproxy"},
        {"instances": 2},
        {"python": "3.12"},
        {"environment": "new@fedcba9876543210"},
        {"environment": "other@0123456789abcdef"},
    ],
)
def test_another_front_or_python_is_another_cell(changed):
    server = {**FULL.server.to_json(), **changed}
    assert RunSpec.from_json({**FULL.to_json(), "server": server}).key != FULL.key


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ServerSpec(server="x", instances=2), "--instances=2 needs something that shares"),
        (lambda: ServerSpec(server="x", instances=0, front="nginx"), "--instances must be between"),
        (lambda: ServerSpec(server="x", front_options={"a": 1}), "add --front=NAME"),
        (lambda: DatabaseSpec(max_connections=5), "add --database=postgresql"),
        (lambda: DatabaseSpec(fsync=False), "add --database=postgresql"),
        (lambda: DatabaseSpec(pool=2, conn_max_age_s=60), "--pool and --conn-max-age exclude"),
        (lambda: DelaySpec(to_clients_s=61), "--delay-to-clients must be between 0 and 60"),
        (lambda: DelaySpec(to_database_s=-0.1), "--delay-to-database must be between 0 and 60"),
        (lambda: TargetSpec(settings={"debug": True}), "--setting debug names no setting"),
        (lambda: TargetSpec(settings={"SHOP. size": 1}), "or NAME.key=VALUE for what is nested"),
        (lambda: TargetSpec(variables={"A B": "1"}), "--variable A B can't be a variable"),
        (lambda: TargetSpec(variables={"PYTHONPATH": "."}), "is set by the run itself"),
        (lambda: TargetSpec(variables={"BENCHSUITE_RUN": "x"}), "is set by the run itself"),
        (lambda: LayerSpec(backend="rabbit"), "there are: memory, redis, redis-pubsub"),
        (lambda: LayerSpec(backend="redis", by="air"), "there are: tcp, unix"),
        (lambda: LayerSpec(backend="memory", by="unix"), "or remove --layer-by"),
        (lambda: LayerSpec(backend="memory", workers=1), "take --layer=redis"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()


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


def test_a_redis_is_started_only_where_none_is_given():
    assert set(resolve(run(backend="redis-pubsub", workers=1)).services) == {"redis"}
    assert not resolve(run(backend="redis", workers=1, url=REDIS_URL)).services
    assert not resolve(run(backend="memory")).services


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


def test_a_front_that_runs_the_instances_can_restart_none():
    storm = WorkloadSpec(workload="ws_reconnect", options={"restart": True})
    wanted = RunSpec(server=ServerSpec(server="uvicorn", front="swarm"), workload=storm)
    with pytest.raises(UsageError, match="can't restart them: take another --front, or leave"):
        preflight.check(resolve(wanted))


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


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (run(workload="plain"), "the Redis of a channel layer, and the run knows none"),
        (run(workload="plain", backend="memory"), "add --layer=redis or --layer=redis-pubsub"),
        (run(backend="redis", workers=1, url="rediss://far/0"), "as redis://"),
    ],
)
def test_a_delay_to_no_layer_is_refused(spec, message):
    with pytest.raises(UsageError, match=message):
        preflight.check(resolve(replace(spec, delay=DelaySpec(to_layer_s=0.1))))


@pytest.mark.parametrize(
    ("server", "workload", "message"),
    [
        ("peer-ws", "ws_echo", "peer-ws serves a target of its own here"),
        ("uvicorn", "ws_echo", "ws_echo measures messages"),
    ],
)
def test_only_requests_of_django_are_diagnosed(server, workload, message):
    spec = make_spec(server, workload=workload, processes=None, threads=None).diagnosed
    with pytest.raises(UsageError, match=message):
        preflight.check(resolve(spec))


def test_a_profile_needs_requests_and_the_program(monkeypatch):
    sockets = make_spec("uvicorn", workload="ws_echo", processes=None, threads=None).profiled
    with pytest.raises(UsageError, match="--flame looks into requests, and ws_echo measures"):
        preflight.check(resolve(sockets))

    def missing() -> str:
        raise UnavailableError("there is none")

    monkeypatch.setattr(preflight.profiler, "ensure_installed", missing)
    with pytest.raises(UnavailableError, match="there is none"):
        preflight.check(resolve(make_spec("waitress", processes=None).profiled))


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ({"fixtures": ("nowhere",)}, "--fixture=nowhere is in no folder fixtures of an app"),
        ({"fill": ("flsh --noinput",)}, "--fill: there is no command 'flsh'; did you mean flush"),
    ],
)
def test_what_fills_the_data_is_looked_for_before_anything_starts(database, said):
    with pytest.raises(UsageError, match=said):
        preflight.check(resolve(replace(make_spec(), database=DatabaseSpec(**database))))
