"""Which other settings a server is tried in, and how they reach the run and what is pasted."""

from dataclasses import replace

from benchsuite import conf
from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.core.specs.objective import parse
from benchsuite.management.options.tune import Asked
from benchsuite.management.tuning.execution import variants
from benchsuite.report.tuning import evidence
from benchsuite.servers.base import Against
from benchsuite.tuning.candidates import configured, refusal, sized
from benchsuite.tuning.trial import Question

POSTGRESQL = {"postgresql at db": 100}


def asked(server, limits=POSTGRESQL, pool=None):
    goals = parse("p95 < 1s")
    question = Question(objective=goals, cpus=2, connections_limit=limits, pool=pool)
    spec = RunSpec(workload=WorkloadSpec(workload="io_read"), server=ServerSpec(server=server))
    return Asked(question, spec, {server: conf.server_class(server)})


def found(server, against, options=None, **more):
    adapter = conf.server_class(server)
    threads = 4 if adapter.threads_word else None
    pick = sized(server, adapter, adapter.max_processes or 2, threads, options, DatabaseSpec())
    return list(variants(asked(server, **more), pick, against))


def test_connections_are_kept_where_their_thread_lives_on_or_pooled():
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
    of_its_own = found("gunicorn-gthread", Against.CONNECTING, pool=8)
    assert [one.changes for one in of_its_own] == [(("database.pool", 4),)]


def test_a_pool_takes_the_place_of_connections_that_were_asked_to_be_kept():
    """Both together are refused, which ended the tuning after its answer, and at each --resume."""
    database, mine = DatabaseSpec(use="postgresql", conn_max_age_s=60.0), asked("granian-wsgi")
    question = replace(mine.question, keeps_connections=True)
    mine = replace(mine, question=question, spec=replace(mine.spec, database=database))
    pick = sized("granian-wsgi", conf.server_class("granian-wsgi"), 2, 4, None, database)
    *_, pooled = variants(mine, pick, Against.CONNECTING)
    assert pooled.name == "granian-wsgi 2×4 pool=4 conn_max_age_s=0"
    spec = configured(mine.spec, pooled)
    assert (spec.database.pool, spec.database.conn_max_age_s) == (4, 0)
    assert refusal(question, pooled) == ""


def against(server, what, options=None):
    """The names of what is tried."""
    return [one.name for one in found(server, what, options)]


def test_each_server_knows_what_it_has_against_it(golden):
    golden.cases(against)


def test_every_remedy_is_an_option_that_its_server_has():
    for name in conf.paths("SERVERS"):
        server = conf.server_class(name)
        for options in server.remedies.values():
            assert sized(name, server, 1, None, options) or not server.serves_project, name


def test_sync_views_under_asgi_have_a_twin():
    (twin,) = found("uvicorn", Against.SYNC_VIEWS)
    spec = configured(asked("uvicorn").spec, twin)
    assert spec.workload.workload == "io_read_async"


def test_what_is_changed_reaches_the_run_and_what_is_pasted(settings):
    settings.WSGI_APPLICATION = "shop.wsgi.application"
    kept, pooled = found("gunicorn-gthread", Against.CONNECTING)
    base = asked("gunicorn-gthread").spec
    assert configured(base, kept).database.conn_max_age_s == 60
    assert configured(base, pooled).database.pool == 4
    assert 'entry["CONN_MAX_AGE"] = 60' in evidence.texts(kept, base)["settings"]
    assert '"pool"' in evidence.texts(pooled, base)["settings"]
    (few,) = found("gunicorn-gthread", Against.ARENAS)
    assert "MALLOC_ARENA_MAX=2" in evidence.texts(few, base)["systemd"]
