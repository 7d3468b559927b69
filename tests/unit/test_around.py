"""What stands around a server: what makes no sense is refused, and the rest has words."""

import pytest

from benchsuite.exceptions import UsageError
from benchsuite.report.around import Around
from benchsuite.specs import DatabaseSpec, DelaySpec, LayerSpec, RunSpec, ServerSpec
from tests.factories import make_spec

FULL = RunSpec(
    server=ServerSpec(
        server="daphne",
        front="nginx",
        instances=4,
        front_options={"workers": 2},
        python="3.13",
        environment="new@0123456789abcdef",
    ),
    database=DatabaseSpec(use="postgresql", max_connections=50, fsync=False, pool=5),
    layer=LayerSpec(backend="redis", by="unix", workers=2),
    delay=DelaySpec(to_database_s=0.1, to_clients_s=0.2),
)


def test_everything_around_a_server_has_words():
    assert Around.of_spec(FULL) == Around(
        python="environment new of Python 3.13",
        front="4 instances behind nginx (workers=2)",
        database="postgresql, 50 connections, fsync off, pool of 5",
        layer="redis over unix, 2 workers",
        delay="100\u2009ms to the database, 200\u2009ms to clients",
    )


def test_what_is_not_there_has_none():
    assert Around.of_spec(make_spec()) == Around(
        python="", front="", database="throwaway", layer="", delay=""
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
        (lambda: DelaySpec(by="magic"), "there are: auto, proxy, netem"),
        (lambda: LayerSpec(backend="rabbit"), "there are: memory, redis, redis-pubsub"),
        (lambda: LayerSpec(backend="redis", by="air"), "there are: tcp, unix"),
        (lambda: LayerSpec(backend="memory", workers=1), "take --layer=redis"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()
