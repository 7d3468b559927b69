"""Which other settings a server is tried in, and how they reach the run and what is pasted."""

from collections.abc import Mapping
from typing import Any

import pytest

from benchsuite import conf
from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.core.specs.objective import parse
from benchsuite.management.options.tune import Asked
from benchsuite.management.tuning.searching import variants
from benchsuite.report.tuning import evidence
from benchsuite.servers.base import Against
from benchsuite.tuning.candidates import configured, refusal, sized
from benchsuite.tuning.trial import Candidate, Question

POSTGRESQL: Mapping[str, int | None] = {"postgresql at db": 100}


def asked(server: str, limits: Mapping[str, int | None] = POSTGRESQL) -> Asked:
    question = Question(objective=parse("p95 < 1s"), cpus=2, connections_limit=limits)
    spec = RunSpec(workload=WorkloadSpec(workload="io_read"), server=ServerSpec(server=server))
    return Asked(question, spec, {server: conf.server_class(server)})


def found(
    server: str, against: Against, options: Mapping[str, Any] | None = None, **more: Any
) -> list[Candidate]:
    adapter = conf.server_class(server)
    threads = 4 if adapter.threads_word else None
    pick = sized(server, adapter, 2, threads, options, DatabaseSpec())
    assert pick is not None
    return list(variants(asked(server, **more))(pick, against))


def test_connections_are_kept_where_their_thread_lives_on_or_pooled() -> None:
    kept, pooled = found("gunicorn-gthread", Against.CONNECTING)
    assert kept.name == "gunicorn-gthread 2×4 conn_max_age_s=60"
    assert (pooled.name, pooled.connections) == ("gunicorn-gthread 2×4 pool=4", 8)
    for server in ("uvicorn", "granian-wsgi", "gunicorn-gevent"):
        kept, pooled = found(server, Against.CONNECTING)
        question = asked(server).question
        assert "CONN_MAX_AGE keeps connections" in refusal(question, kept), "why it is not tried"
        assert refusal(question, pooled) == "", server
    on_sqlite = found("gunicorn-sync", Against.CONNECTING, limits={})
    assert [one.changes for one in on_sqlite] == [(("database.conn_max_age_s", 60.0),)]


@pytest.mark.parametrize(
    ("server", "against", "options"),
    [
        ("gunicorn-gthread", Against.MEMORY, {"preload": True, "freeze": True}),
        ("gunicorn-sync", Against.COLLECTING, {"preload": True, "freeze": True}),
        ("gunicorn-gevent", Against.MEMORY, None),
        ("gunicorn-gthread", Against.ARENAS, {"env": "MALLOC_ARENA_MAX=2"}),
        ("waitress", Against.MEMORY, None),
        ("granian-wsgi", Against.UNEVEN, {"http1_keep_alive": False}),
        ("uwsgi", Against.UNEVEN, {"reuse_port": True}),
    ],
)
def test_each_server_knows_what_it_has_against_it(server, against, options) -> None:
    adapter = conf.server_class(server)
    pick = sized(server, adapter, adapter.max_processes or 2, 4 if adapter.threads_word else None)
    assert pick is not None
    some = list(variants(asked(server))(pick, against))
    assert [dict(one.options) for one in some] == ([] if options is None else [options])


def test_what_the_size_sets_itself_is_left_alone() -> None:
    assert found("gunicorn-gthread", Against.ARENAS, {"env": "MALLOC_ARENA_MAX=4"}) == []


def test_every_remedy_is_an_option_that_its_server_has() -> None:
    for name in conf.server_paths():
        server = conf.server_class(name)
        for options in server.remedies.values():
            assert sized(name, server, 1, None, options) or not server.serves_project, name


def test_sync_views_under_asgi_have_a_twin() -> None:
    (twin,) = found("uvicorn", Against.SYNC_VIEWS)
    spec = configured(asked("uvicorn").spec, twin)
    assert spec.workload.workload == "io_read_async"


def test_what_is_changed_reaches_the_run_and_what_is_pasted(settings: Any) -> None:
    settings.WSGI_APPLICATION = "shop.wsgi.application"
    kept, pooled = found("gunicorn-gthread", Against.CONNECTING)
    base = asked("gunicorn-gthread").spec
    assert configured(base, kept).database.conn_max_age_s == 60
    assert configured(base, pooled).database.pool == 4
    assert 'entry["CONN_MAX_AGE"] = 60' in evidence.texts(kept, base)["settings"]
    assert '"pool"' in evidence.texts(pooled, base)["settings"]
    (few,) = found("gunicorn-gthread", Against.ARENAS)
    assert "MALLOC_ARENA_MAX=2" in evidence.texts(few, base)["systemd"]
