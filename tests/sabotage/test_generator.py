"""Runs in which the load generator is what is measured: B101 to B107, B403."""

import os

import pytest

from benchsuite.comparing.cells import Standing, Start
from benchsuite.core.results import Ceiling, Level, Status
from tests.sabotage.runs import BRIEF, findings, found, message, only, told
from tests.sabotage.saboteurs import hogs, load_process, pin, prefer, server_processes

CPU = min(os.sched_getaffinity(0))
ONE_AT_A_TIME = {"model": "open", "users": 1, "max_in_flight": 1}


@pytest.mark.alone
def test_b101_a_journey_that_computes_uses_the_generator_up(lab):
    hurried = {"at_ready": lambda: prefer(load_process())}
    found("B101", lambda: lab.run(workload="burning", users=8, **hurried))


@pytest.mark.alone
def test_b102_hogs_on_its_cpu_starve_the_generator(lab):
    def starved():
        with hogs(3, CPU):
            return lab.run(users=10, cpus=(CPU,))

    found("B102", starved, words="late")


@pytest.mark.alone
def test_b103_the_generator_makes_no_more(lab):
    lab.ceilings.append(Ceiling(users=4, keep_alive=True, throughput=100.0))
    found("B103", lambda: lab.run(**BRIEF), Level.INVALID)


@pytest.mark.alone
def test_b103_of_arrivals_at_their_concurrency(lab):
    lab.ceilings += [
        Ceiling(users=1, keep_alive=True, throughput=10.0),
        Ceiling(model="open", users=1, keep_alive=True, throughput=100.0),
        Ceiling(model="open", users=1000, keep_alive=True, throughput=1e6),
    ]
    found("B103", lambda: lab.run(model="open", users=1, arrival_rate=80.0), Level.WEAK)


@pytest.mark.alone
def test_b103_names_the_stage(lab):
    lab.ceilings += [
        Ceiling(users=1, keep_alive=True, throughput=1e6),
        Ceiling(users=8, keep_alive=True, throughput=100.0),
    ]
    finding = found("B103", lambda: lab.run(users=8, stages=(1, 8), **BRIEF))
    assert finding.message.startswith("At 8 users: ")
    assert "other" not in finding.message


@pytest.mark.alone
def test_b104_more_arrivals_than_may_be_in_flight(lab):
    result = lab.run(path="/slow/", **ONE_AT_A_TIME, arrival_rate=60.0, drain_s=0.2, **BRIEF)
    only(result, "B104", Level.INVALID, "never sent")


@pytest.mark.alone
def test_b105_a_journey_waits_between_its_requests(lab):
    words = "lost in the load generator"
    found("B105", lambda: lab.run(workload="dawdling"), Level.INVALID, words)


@pytest.mark.alone
def test_b105_work_piles_up_behind_arrivals(lab):
    """Twenty answers a second, and more arrivals: each waits longer than the one before."""
    load = {**ONE_AT_A_TIME, "arrival_rate": 40.0, "drain_s": 20.0}
    words = "More requests arrive than are answered"
    found("B105", lambda: lab.run(path="/slow/", **load), Level.INVALID, words)


@pytest.mark.alone
def test_b105_names_the_stage(lab):
    load = {"workload": "dawdling", "users": 4, "stages": (2, 4)}
    finding = found("B105", lambda: lab.run(**load), Level.INVALID, "finds fault with")
    assert finding.message.startswith(("At 2 users: ", "At 4 users: "))


@pytest.mark.alone
@pytest.mark.parametrize(
    ("path", "load", "words"),
    [
        ("/slow/", {"users": 1, "duration_s": 1.0}, "needs 20: increase --duration"),
        ("/slow/", {"users": 8, "stages": (1, 8), "duration_s": 1.0}, "sees at 1 user (B106)"),
    ],
)
def test_b106_that_could_not_be_looked_at_is_told(lab, path, load, words):
    result = lab.run(path=path, **load)
    assert findings(result, "B106") == []
    assert words in message(result, "B405"), told(result)


@pytest.mark.alone
def test_b106_the_server_answers_others_later(lab):
    load = {"users": 30, "think_time_s": 0.1, "duration_s": 5.5}
    words = "Others wait longer"
    found("B106", lambda: lab.run(path="/favouring/", **load), Level.INVALID, words)


@pytest.mark.alone
def test_b106_the_server_leaves_others_without_an_answer(lab):
    """Each of them holds a thread, too; the load has enough."""
    load = {"path": "/shunning/", "threads": 30, "processes": 1}
    found("B106", lambda: lab.run(**load), Level.INVALID, "hung")


def test_b403_generator_and_target_may_use_the_same_cpus(lab):
    def one_cpu():
        pin([load_process(), *server_processes()], [CPU])

    result = lab.run(at_ready=one_cpu, duration_s=1.0)
    only(result, "B403", Level.INFO)


@pytest.mark.skipif(os.cpu_count() == 1, reason="needs two CPUs to keep apart")
def test_b403_that_comes_later_is_seen(lab):
    apart = sorted(os.sched_getaffinity(0))

    def begin():
        pin([load_process()], apart[:1])
        pin(server_processes(), apart[1:])

    def together():
        pin(server_processes(), apart[:1])

    result = lab.run(at_ready=begin, at_second={1.5: together}, duration_s=3.0)
    assert "and take time from each other" in message(result, "B403"), told(result)


def test_b107_the_load_process_is_killed(lab):
    result = lab.run(at_second={0.8: lambda: load_process().kill()})
    assert result.status is Status.FAILED
    only(result, "B107", Level.INVALID)
    codes = [one.code for one in result.findings if one.level is Level.INVALID]
    start = Start(result.status.value, str(result.verdict or ""), codes)
    assert start.standing is Standing.EXCLUDED, told(result)
