"""Runs in which the target is broken, or cannot be reached: B201 to B208, B211
and B217."""

import re
from contextlib import ExitStack

import pytest

from benchsuite.core.results import Level, Status
from benchsuite.core.specs import DatabaseSpec
from benchsuite.fronts import program
from benchsuite.fronts.nginx import Nginx
from benchsuite.fronts.program import FOLDER
from tests.integration.postgres import cluster
from tests.needs import needs
from tests.sabotage.apart import FEW_PORTS, Task, has_ports_of_its_own, run_apart
from tests.sabotage.runs import BRIEF, findings, found, laboratory, message, only, told
from tests.sabotage.saboteurs import (
    busiest,
    costly_certificate,
    front_process,
    leave_descriptors,
    load_process,
    port,
    prefer,
    server_processes,
    stranger,
)


def test_b201_one_answer_of_ten_is_a_500(lab):
    result = lab.run(path="/failing/", **BRIEF)
    only(result, "B201", Level.INVALID, "http status")
    assert result.total.goodput < result.total.throughput


def test_b201_one_answer_of_ten_is_200_with_a_wrong_body(lab):
    result = lab.run(path="/lying/", **BRIEF)
    only(result, "B201", Level.INVALID, "wrong body")


@pytest.mark.parametrize(
    ("load", "number"),
    [
        ({}, "B201"),
        ({"keep_alive": False}, "B201"),
        ({"users": 20, "think_time_s": 0.1}, "B212"),
        ({"users": 20, "think_time_s": 0.1, "keep_alive": False}, "B201"),
    ],
)
def test_b212_one_request_of_twenty_is_dropped(lab, load, number):
    """It fails; only where its connection had rested it may be sent again, and that is told."""
    result = lab.run(path="/dropping/", **load)
    assert findings(result, number), told(result)
    lost = result.total.failures + result.total.resent
    assert lost / result.total.requests == pytest.approx(0.05, abs=0.02)


def test_the_generator_runs_out_of_descriptors(lab):
    """It can't write its samples either: no finding, but a run that has failed and says why."""
    acts = {0.5: lambda: leave_descriptors(load_process(), 3)}
    result = lab.run(users=20, spawn_rate=6.0, at_second=acts)
    assert result.status is Status.FAILED
    assert "Too many open files" in result.failure


def test_b201_there_are_no_ports_left_to_connect_from(tmp_path):
    """Each connection keeps its port for a second after its end."""
    if not has_ports_of_its_own():
        pytest.skip("needs a network of its own: unshare --map-root-user --net, or root")
    result = run_apart(Task.PORTS, tmp_path, prefix=FEW_PORTS)
    assert [one.level for one in findings(result, "B201")] == [Level.INVALID], told(result)
    assert "no port left" in message(result, "B204"), told(result)


def test_b202_another_server_answers_on_the_port(lab):
    with ExitStack() as stack:
        acts = {0.0: lambda: stack.enter_context(stranger(port()))}
        result = lab.run("reuse-port", keep_alive=False, **BRIEF, at_second=acts)
    only(result, "B202", Level.INVALID)


def test_b213_a_cache_answers_before_the_target(lab):
    result = lab.run("cached", **BRIEF)
    assert [one.level for one in findings(result, "B213")] == [Level.INVALID], told(result)
    assert findings(result, "B202") == [], "the copies carry the run's header"


@pytest.mark.alone
def test_b203_a_killed_process_is_replaced(lab):
    result = lab.run(
        processes=2, duration_s=3.0, at_second={1.5: lambda: busiest(server_processes()).kill()}
    )
    only(result, "B203", Level.WEAK, "replaced")


@pytest.mark.alone
def test_b203_a_process_dies_of_one_request_of_a_hundred(lab):
    where = ("gunicorn-sync", "/crashing/")
    found("B203", lambda: lab.run(*where, duration_s=4.0), Level.INVALID, "again and again")


@pytest.mark.alone
def test_b203_processes_are_recycled(lab):
    result = lab.run("gunicorn-sync", "/slow/", options={"max_requests": "25"}, duration_s=4.0)
    only(result, "B203", Level.INFO, "ended in the window and were replaced")


def test_b203_a_killed_process_is_not_replaced(lab):
    def kill_one_of_two():
        first = next(one for one in server_processes() if "-c" in one.cmdline()).children()[0]
        for one in (first, *first.children()):
            one.kill()

    result = lab.run("unattended", duration_s=3.0, at_second={1.5: kill_one_of_two})
    only(result, "B203", Level.INVALID, "were not replaced")


def test_b203_the_whole_server_is_killed(lab):
    result = lab.run("waitress", at_second={0.8: lambda: server_processes()[0].kill()})
    assert result.status is Status.FAILED
    assert "waitress was ended by SIGKILL" in result.failure
    assert findings(result, "B203")[0].level is Level.INVALID
    assert not findings(result, "B107"), "that is the server's own fault"


def test_b204_the_listen_queue_is_full(lab):
    """One process answers twenty requests a second, and two connections may wait for it."""
    load = {"users": 40, "keep_alive": False, "duration_s": 3.0, "drain_s": 0.5}
    result = lab.run("gunicorn-sync", "/slow/", options={"backlog": 1}, **load)
    assert "full listen queue" in message(result, "B204"), told(result)


def test_b204_the_target_runs_out_of_descriptors(lab):
    result = lab.run("few-descriptors", "/slow/", users=40, drain_s=0.5, **BRIEF)
    assert "no file descriptor left" in message(result, "B204"), told(result)


@pytest.mark.alone
@needs("postgresql", "psycopg")
def test_b204_the_database_runs_out_of_connections():
    with cluster(max_connections=8) as database, laboratory() as lab:
        result = lab.run(
            workload="io_lock",
            asked={"among": 1},  # all wait for one row, and hold a connection meanwhile
            threads=30,
            users=30,
            database=DatabaseSpec(use=database.users_url, rows=100),
            **BRIEF,
        )
    assert "the database had no connection left" in message(result, "B204"), told(result)
    # How many find it full depends on how fast the others let go.
    assert findings(result, "B201")[0].level in (Level.WEAK, Level.INVALID)


@pytest.mark.alone
@needs("nginx")
def test_b211_the_front_has_more_to_do_than_the_server(lab, monkeypatch):
    """Each request has a connection and a handshake of its own, with a key of 4096 bits."""

    def hurry():
        for one in (front_process("nginx"), load_process(), server_processes()[0]):
            prefer(one)

    monkeypatch.setattr(program, "make_certificate", costly_certificate)
    how = {"front": "nginx", "front_options": {"tls": True}, "keep_alive": False}
    found("B211", lambda: lab.run(**how, duration_s=3.0, at_ready=hurry), Level.WEAK, "nginx")


@pytest.mark.alone
@needs("nginx")
def test_a_front_that_only_passes_on_is_no_limit(lab):
    result = lab.run(path="/slow/", front="nginx")
    assert findings(result, "B211") == [], told(result)


@pytest.mark.alone
@needs("pyuwsgi")
def test_b205_a_server_writes_in_two_pieces(lab):
    words = "when each piece was acknowledged at once"
    found("B205", lambda: lab.run("uwsgi", "/two-pieces/", users=2), Level.WEAK, words)


@pytest.mark.alone
@pytest.mark.parametrize("path", ["/branching/", "/broad/"])
def test_a_page_that_takes_forty_milliseconds_by_itself_does_not_stall(lab, path):
    result = lab.run(path=path, users=8)
    assert findings(result, "B205") == [], told(result)


@needs("pyuwsgi")
def test_b206_kept_connections_hold_all_threads(lab):
    """Two threads serve two users; the other eight wait for a connection to end."""
    result = lab.run("connection-bound", threads=2, users=10, drain_s=0.1)
    assert [one.level for one in findings(result, "B206")] == [Level.INVALID], told(result)


@needs("pyuwsgi")
def test_b206_names_the_stage(lab):
    result = lab.run("connection-bound", threads=2, users=10, stages=(2, 10), drain_s=0.1)
    assert message(result, "B206").startswith("At 10 users: "), told(result)


def test_b208_a_page_loses_what_it_confirms(tmp_path, monkeypatch):
    monkeypatch.setenv("SICK_STORE", str(tmp_path / "store"))
    with laboratory() as lab:
        lost, kept = (lab.run(workload=one, **BRIEF) for one in ("losing", "keeping"))
    only(lost, "B208", Level.INVALID)
    assert findings(kept, "B208") == [], told(kept)


def memory(lab, path):
    return lab.run(path=path, model="open", arrival_rate=200.0, max_in_flight=8, duration_s=20.0)


@pytest.mark.alone
def test_b217_memory_grows_by_two_megabytes_a_second(lab):
    result = memory(lab, "/leaking/")
    assert [one.level for one in findings(result, "B217")] == [Level.WEAK], told(result)


@pytest.mark.alone
def test_memory_that_stays_weighs_nothing(lab):
    result = memory(lab, "/well/")
    assert findings(result, "B217") == [], told(result)


@pytest.fixture(scope="module")
def storing():
    """A project whose pages all say thanks for a form; nothing in its journeys counts."""
    with laboratory("tests.sabotage.sick.storing.settings") as made:
        yield made


HELD = [
    ("halving", [Level.WEAK], "completions were seen, but"),
    ("losing", [Level.INVALID], "Those rehearsed left 1 each."),
    ("doubling", [Level.INVALID], "Those rehearsed left 1 each."),
    ("honest", [], ""),
    ("mailing", [], ""),
    ("forgetting", [Level.INVALID], "mails sent. Those rehearsed left 1 each."),
    ("uploading", [], ""),
    ("late", [], ""),
    ("capped", [Level.INFO], "are gone"),
    ("choosing", [Level.INFO], ""),
    ("once", [Level.INFO], "No row was gained by a rehearsed completion"),
    ("refusing", [Level.INFO], "No row was gained by a rehearsed completion"),
]
ON_POSTGRESQL = [one for one in HELD if one[0] in ("losing", "honest", "capped")]
"""Rows are counted by the same SQL on each database; which are the first to be seen is its own."""


@pytest.mark.parametrize(
    ("kind", "levels", "words", "use"),
    [
        *((*one, "") for one in HELD),
        *(pytest.param(*one, "postgresql", marks=needs("postgresql")) for one in ON_POSTGRESQL),
    ],
)
def test_b208_rows_are_held_against_completions(storing, kind, levels, words, use):
    database = DatabaseSpec(use=use) if use else None
    asked = {"kind": kind}
    run = storing.run(workload="storing", asked=asked, processes=1, database=database, **BRIEF)
    seen = [one.level for one in findings(run, "B208")]
    if kind == "late":  # rows that come while others are rehearsed may teach nothing
        seen = [level for level in seen if level is not Level.INFO]
    assert seen == levels, told(run)
    assert words in message(run, "B208")
    assert "completions claimed" in run.settings_changed["(completions)"]


@needs("nginx")
def test_b208_a_proxy_that_asks_another_instance_stores_twice(storing, tmp_path):
    ours = (FOLDER / Nginx.template).read_text()
    retrying = tmp_path / "nginx.conf"
    retrying.write_text(
        re.sub(
            "proxy_next_upstream off", "proxy_next_upstream timeout non_idempotent", ours
        ).replace("proxy_read_timeout @{timeout_s}s", "proxy_read_timeout 200ms")
    )
    around = {"front": "nginx", "instances": 2, "front_options": {"config": str(retrying)}}
    asked = {"kind": "hesitating"}
    run = storing.run(workload="storing", asked=asked, processes=1, **around, **BRIEF)
    assert [one.level for one in findings(run, "B208")] == [Level.INVALID], told(run)
    claimed, gained = map(int, re.findall(r"(\d+) (?:completions|rows)", message(run, "B208"))[:2])
    assert 0 < claimed < gained


@pytest.mark.parametrize("workload", ["io_create", "survey"])
def test_rows_are_told_beside_completions(lab, workload):
    run = lab.run(workload=workload, **BRIEF)
    assert findings(run, "B208") == [], told(run)
    words = run.settings_changed["(completions)"]
    claimed, stored = re.findall(r"([\d,]+) (?:completions|rows|stored)", words)
    assert claimed == stored != "0"
