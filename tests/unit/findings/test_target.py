"""B201 to B206: the run that trips each, and the one just below that doesn't."""

from dataclasses import replace
from typing import Any

import pytest

from benchsuite.core.observations import (
    Cluster,
    Connection,
    FrontShares,
    HostShares,
    Slots,
    Stored,
    Turn,
    Turnover,
)
from benchsuite.core.results import Asked, Distribution, Finding, Level
from benchsuite.core.samples import Round, Stall
from tests.unit.findings.clean import CLEAN, found, summary


@pytest.mark.parametrize(
    ("failures", "level"), [(1, None), (2, Level.WEAK), (50, Level.WEAK), (51, Level.INVALID)]
)
def test_failures_by_share(failures: int, level: Level | None) -> None:
    findings = found(total=summary(failures=failures, failures_by_kind={"http status": failures}))
    assert {number: one.level for number, one in findings.items()} == (
        {"B201": level} if level else {}
    )


@pytest.mark.parametrize(
    ("resent", "level"), [(1, None), (2, Level.WEAK), (50, Level.WEAK), (51, Level.INVALID)]
)
def test_requests_that_were_sent_twice(resent: int, level: Level | None) -> None:
    findings = found(total=summary(resent=resent))
    assert {number: one.level for number, one in findings.items()} == (
        {"B212": level} if level else {}
    )


def test_failures_are_told_by_kind_most_first() -> None:
    kinds = {"reset": 3, "http status": 40}
    message = found(total=summary(failures=43, failures_by_kind=kinds))["B201"].message
    assert "(40 × http status, 3 × reset)" in message


def test_the_most_frequent_failure_speaks_for_itself() -> None:
    kinds = {"reset": 3, "redirected to log-in": 40}
    told = {"reset": "closed", "redirected to log-in": "expected 200,\n got 302 (to /login/)."}
    total = summary(failures=43, failures_by_kind=kinds, failure_examples=told)
    assert found(total=total)["B201"].message.endswith(
        "3 × reset), such as: expected 200, got 302 (to /login/)."
    )


@pytest.mark.parametrize(
    ("answered", "level"), [(0, Level.INVALID), (499, Level.INVALID), (500, None)]
)
def test_nobody_is_answered_and_nothing_ends_in_the_window(
    answered: int, level: Level | None
) -> None:
    """500 users whose pages need a CPU each: none of their requests was sent or ended in it."""
    total = summary(requests=answered, response_time=summary().response_time)
    findings = found(total=total, in_vain=500)
    assert {number: one.level for number, one in findings.items()} == (
        {"B201": level} if level else {}
    )
    if level:
        said = f"500 requests waited through the whole window and were never answered; {answered} "
        assert findings["B201"].message.startswith(said)
        assert findings["B201"].value == pytest.approx(100 * 500 / (500 + answered))


def test_failures_are_told_once_where_others_wait_in_vain() -> None:
    total = summary(requests=22, failures=22, failures_by_kind={"unfinished": 22})
    assert "(22 × unfinished)" in found(total=total, in_vain=478)["B201"].message


@pytest.mark.parametrize(("kind", "hints"), [("throttled", True), ("http status", False)])
def test_an_api_that_lets_nobody_ask_so_often_is_told_apart(kind: str, *, hints: bool) -> None:
    failed = summary(failures=900, failures_by_kind={kind: 900})
    assert ("lift its throttling" in found(total=failed)["B201"].hint) is hints


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (60, "The first 60 answers of the load were right; from 1.20"),
        (0, "The journey checked before the load (among 9 requests) was right; hardly any in"),
    ],
)
def test_failures_after_right_answers_are_told_with_these(right: int, words: str) -> None:
    failed = summary(failures=900, failures_by_kind={"http status": 900})
    turn = Turn(right=right, at_s=1.2, asked_before=9)
    finding = found(total=failed, turn=turn)["B201"]
    assert words in finding.message
    assert "a limit for each client" in finding.hint


def test_journeys_that_fail_though_their_requests_are_answered() -> None:
    journeys = summary(failures=30, failures_by_kind={"journey error": 30})
    finding = found(journeys=[journeys])["B201"]
    assert finding.level is Level.WEAK
    assert "3.00" in finding.message
    assert "of the journeys failed (30 × journey error)" in finding.message


def test_failed_requests_are_told_once_not_also_as_journeys() -> None:
    failed = summary(failures=30, failures_by_kind={"reset": 30})
    findings = found(total=failed, journeys=[failed])
    assert "of the requests failed" in findings["B201"].message


@pytest.mark.parametrize(
    ("stored", "in_doubt", "wrong"),
    [(50, 0, False), (49, 0, True), (51, 0, True), (51, 1, False), (49, 3, True), (52, 1, True)],
)
def test_completions_are_held_against_the_database(
    stored: int, in_doubt: int, *, wrong: bool
) -> None:
    findings = found(stored=Stored(claimed=50, stored=stored, in_doubt=in_doubt))
    assert set(findings) == ({"B208"} if wrong else set())
    assert all(one.level is Level.INVALID for one in findings.values())


def test_one_answer_of_another_process_makes_a_run_invalid() -> None:
    findings = found(total=summary(failures=1, failures_by_kind={"wrong responder": 1}))
    assert findings["B202"].level is Level.INVALID


def test_a_dead_target_makes_a_run_invalid_and_its_refusals_are_no_limit() -> None:
    findings = found(died=True, total=summary(failures_by_kind={"connect refused": 9}))
    assert {number: one.level for number, one in findings.items()} == {"B203": Level.INVALID}


@pytest.mark.parametrize(
    ("turnover", "level"),
    [
        (Turnover(), None),
        (Turnover(replaced=1), Level.INFO),
        (Turnover(gone=1), Level.INVALID),
        (Turnover(replaced=1, gone=1), Level.INVALID),
    ],
)
def test_processes_replaced_or_gone(turnover: Turnover, level: Level | None) -> None:
    findings = found(turnover=turnover)
    assert (findings["B203"].level if findings else None) == level


@pytest.mark.parametrize(
    ("answered", "seen", "level"),
    [
        (1000, 1001, None),
        (1000, 990, None),
        (1000, 989, Level.WEAK),
        (1000, 950, Level.WEAK),
        (1000, 949, Level.INVALID),
        (1000, 0, Level.INVALID),
        (1000, None, None),
        (0, 0, None),
    ],
)
def test_answers_that_the_target_never_gave(
    answered: int, seen: int | None, level: Level | None
) -> None:
    findings = found(asked=Asked(sent=1000, answered=answered, seen=seen))
    assert {number: one.level for number, one in findings.items()} == (
        {"B213": level} if level else {}
    )


@pytest.mark.parametrize(
    ("replaced", "lost", "level"),
    [
        (10, {}, Level.INFO),  # recycled
        (10, {"reset": 4}, Level.WEAK),
        (10, {"reset": 3, "truncated": 1, "connect refused": 1}, Level.INVALID),
        (10, {"http status": 10}, Level.INFO),  # its own answers
        (2, {"reset": 9}, Level.WEAK),
        (2, {"websocket closed": 2}, Level.WEAK),
    ],
)
def test_processes_that_end_again_and_again(
    replaced: int, lost: dict[str, int], level: Level
) -> None:
    total = summary(failures=sum(lost.values()), failures_by_kind=lost)
    finding = found(turnover=Turnover(replaced=replaced), total=total)["B203"]
    assert finding.level is level
    every = {10: "every 1.00\u2009s and 100 requests", 2: "every 5.00\u2009s and 500 requests"}
    assert every[replaced] in finding.message


@pytest.mark.parametrize("kind", ["connect refused", "reset", "truncated", "read timeout"])
def test_what_ends_or_refuses_connections_is_not_said_to_be_at_a_limit(kind: str) -> None:
    """Nobody listened, or somebody gave up: why is not known."""
    assert set(found(total=summary(failures=1, failures_by_kind={kind: 1}))) == set()


@pytest.mark.parametrize(
    ("overflows", "slowest_s", "told"),
    [(3, 1.0, True), (0, 1.0, False), (None, 1.0, False), (3, 0.99, False)],
)
def test_a_full_listen_queue_is_told_when_it_may_have_been_ours(
    overflows: int | None, slowest_s: float, *, told: bool
) -> None:
    times = Distribution(count=1000, mean_s=0.1, max_s=slowest_s, percentiles={50: 0.1})
    findings = found(total=summary(service_time=times), host=HostShares(listen_overflows=overflows))
    assert set(findings) == ({"B204"} if told else set())
    assert all("3 connections found a full" in one.message for one in findings.values())


@pytest.mark.parametrize(
    "line",
    [
        "psycopg.OperationalError: FATAL:  sorry, too many clients already",
        "FATAL: remaining connection slots are reserved for roles with SUPERUSER",
        "MySQLdb.OperationalError: (1040, 'Too many connections')",
        "psycopg_pool.PoolTimeout: couldn't get a connection after 30.00 sec",
        "django.db.utils.OperationalError: database is locked",
        "OSError: [Errno 24] Too many open files",
        "RuntimeError: can't start new thread",
    ],
)
def test_a_limit_that_the_log_tells_of(line: str) -> None:
    assert found(log=f"Booting\n{line}\n")["B204"].level is Level.WEAK


@pytest.mark.parametrize(
    "line",
    [
        "ValueError: too many connections in this room",
        "chat.RoomFull: too many open files for this account",
        "myproject.Closed: the database is locked",
    ],
)
def test_the_same_words_in_an_error_of_the_projects_own_are_no_limit(line: str) -> None:
    assert "B204" not in found(log=f"Traceback\n{line}\n")


def test_messages_that_fail_were_not_left_out_of_a_queue() -> None:
    """The kernel counts for all programs."""
    failing = summary(failures=9, failures_by_kind={"websocket closed": 9, "reset": 9})
    queue = HostShares(listen_overflows=3)
    seen = {"unit": "message", "host": queue, "total": failing}
    assert "B204" not in found(**seen, handshakes=[summary()])
    assert "B204" in found(**seen, handshakes=[failing])


@pytest.mark.parametrize(
    ("example", "words"),
    [
        ("no connection: Cannot assign requested address", "no port left"),
        ("no connection: Too many open files", "no file descriptor left"),
        ("status 500", ""),
    ],
)
def test_limits_of_the_machine_that_asks(example: str, words: str) -> None:
    findings = found(total=summary(failures=1, failure_examples={"other": example}))
    assert set(findings) == ({"B204"} if words else set())
    assert all(words in one.message for one in findings.values())


CLUSTER = Cluster(at_s=0.04, percent=90.0, fastest_s=0.002)
STALLS = Stall((Round(0.003, 0.044, 0.002),) * 10)
HONEST = Stall((Round(0.043, 0.044, 0.043),) * 4)


@pytest.mark.parametrize(
    ("cluster", "asked", "level"),
    [
        (CLUSTER, STALLS, Level.WEAK),
        (CLUSTER, HONEST, None),
        (CLUSTER, None, Level.INFO),  # nothing to ask: it can't be told
        (CLUSTER, Stall(HONEST.rounds[:3]), Level.INFO),
        (CLUSTER, Stall(), Level.INFO),
        (CLUSTER, Stall(STALLS.rounds[:9]), None),  # by chance
        (replace(CLUSTER, percent=10.1), STALLS, Level.WEAK),
        (replace(CLUSTER, percent=10.0), STALLS, None),
        (None, STALLS, None),
    ],
)
def test_stall(cluster: Cluster | None, asked: Stall | None, level: Level | None) -> None:
    findings = found(cluster=cluster, stall=asked)
    assert {number: one.level for number, one in findings.items()} == (
        {"B205": level} if level else {}
    )


def test_a_stall_tells_what_the_target_said() -> None:
    message = found(cluster=CLUSTER, stall=STALLS)["B205"].message
    assert "44.0\u2009ms on a kept connection, 3.00\u2009ms on a new one, and 2.00" in message


def test_a_stall_explains_why_the_prober_is_faster() -> None:
    assert CLEAN.probes is not None
    late = summary(service_time=replace(summary().service_time, percentiles={50: 0.044}))
    probes = replace(CLEAN.probes, connections=(Connection(times_s=(0.002,)),) * 25, load=late)
    assert set(found(probes=probes)) == {"B106"}
    assert set(found(probes=probes, cluster=CLUSTER, stall=STALLS)) == {"B205"}
    assert set(found(probes=probes, cluster=CLUSTER, stall=HONEST)) == {"B106"}


@pytest.mark.parametrize(
    ("counts", "level"),
    [
        ((100,) * 9 + (10,), None),
        ((100,) * 9 + (9,), Level.WEAK),
        ((100,) * 5 + (0,) * 5, Level.WEAK),
        ((100,) * 4 + (0,) * 6, Level.INVALID),
        ((1000,) + (0,) * 9, Level.INVALID),
        ((9,) * 9 + (0,), None),  # too few to tell
        ((10,) * 19 + (0,), Level.WEAK),
        ((100,), None),
        ((), None),
    ],
)
def test_starvation(counts: tuple[int, ...], level: Level | None) -> None:
    findings = found(answers_by_user=counts)
    assert {number: one.level for number, one in findings.items()} == (
        {"B206": level} if level else {}
    )


def test_starvation_explains_what_the_figures_of_the_served_do_not() -> None:
    """Those in vain were in flight all the time, and a prober without a connection joins them."""
    assert CLEAN.probes is not None
    hung = replace(CLEAN.probes, connections=(Connection(times_s=(5.0,), hung=True),) * 25)
    few = {"total": summary(throughput=50.0), "ceiling_rate": None, "probes": hung}
    assert set(found(**few)) == {"B105", "B106"}
    assert set(found(**few, answers_by_user=(100,) * 4 + (0,) * 6)) == {"B206"}


@pytest.mark.parametrize(
    ("slots", "level"),
    [
        (Slots(used=10, starved=0, answered=1.0), None),
        (Slots(used=10, starved=1, answered=0.99), None),  # one slow page
        (Slots(used=10, starved=2, answered=0.99), Level.WEAK),
        (Slots(used=10, starved=5, answered=0.9), Level.WEAK),
        (Slots(used=10, starved=6, answered=0.6), Level.INVALID),
        (Slots(used=10, starved=9, answered=0.4), None),  # nobody is served: not starvation
        (None, None),
    ],
)
def test_starvation_of_connections_in_the_open_model(
    slots: Slots | None, level: Level | None
) -> None:
    findings = found(answers_by_user=(), slots=slots)
    assert {number: one.level for number, one in findings.items()} == (
        {"B206": level} if level else {}
    )


def test_what_is_not_known_gives_no_finding() -> None:
    nothing = replace(CLEAN, total=None, host=None, turnover=None, cluster=None)
    assert found(total=nothing.total, host=None, turnover=None, cluster=None) == {}


def test_a_database_of_the_run_tells_how_often_it_refused() -> None:
    log = "FATAL:  remaining connection slots are reserved for roles with …\n"
    counted = found(log=log, sessions_refused=1234)["B204"]
    assert "1\u2009234 × the database had no connection left." in counted.message
    assert "reached: the database had no connection left." in found(log=log)["B204"].message
    assert "B204" in found(sessions_refused=1)  # its log was too long for the sign to be seen
    assert "B204" not in found(sessions_refused=0)


IDLE = FrontShares(
    name="nginx",
    front_percent=20.0,
    front_cpus=1,
    target_percent=60.0,
    target_cpus=1,
    answering_percent=80.0,
    cpus=4,
)


def told(**changes: Any) -> Finding | None:
    return found(front=replace(IDLE, **changes)).get("B211")


def test_a_front_with_time_to_spare_is_no_limit() -> None:
    assert told() is None


def test_a_busy_front_before_a_target_with_time_to_spare() -> None:
    finding = told(front_percent=71.0, target_percent=30.0)
    assert finding is not None
    assert finding.level is Level.WEAK
    assert finding.message == (
        "nginx used 71.0\u2009% of 1 CPU, which is all that it can use, and the target "
        "30.0\u2009% of 1 CPU."
    )


def test_where_both_are_busy_the_front_is_not_the_only_limit() -> None:
    assert told(front_percent=95.0, target_percent=75.0) is None


def test_what_a_part_can_use_is_what_its_processes_and_the_machine_allow() -> None:
    assert told(front_percent=95.0, front_cpus=2, target_percent=30.0) is None
    assert told(front_percent=95.0, front_cpus=8, cpus=1, target_percent=5.0) is not None
    assert told(front_percent=95.0, target_percent=200.0, target_cpus=4) is not None
    assert told(front_percent=95.0, target_percent=300.0, target_cpus=4) is None


def test_on_a_cpu_that_is_used_up_the_greedier_one_is_the_limit() -> None:
    crowded = {"cpus": 1, "answering_percent": 97.0}
    finding = told(front_percent=60.0, target_percent=37.0, **crowded)
    assert finding is not None
    assert finding.message == (
        "Front, target and services together used up 1 CPU, and nginx took 61.9\u2009% of that."
    )
    assert told(front_percent=37.0, target_percent=60.0, **crowded) is None
    assert told(front_percent=47.0, target_percent=20.0, **crowded) is None  # Redis took the rest


def test_a_cpu_that_is_not_used_up_limits_nobody() -> None:
    assert told(cpus=1, front_percent=60.0, target_percent=25.0, answering_percent=85.0) is None


def test_with_stages_the_one_is_named_at_which_the_front_was_the_limit() -> None:
    stages = [
        replace(CLEAN, stage="10 users", front=IDLE),
        replace(CLEAN, stage="50 users", front=replace(IDLE, front_percent=90.0)),
    ]
    assert found(stages=stages)["B211"].message.startswith("At 50 users: nginx used 90.0\u2009%")


def test_what_nobody_checked_is_told_and_never_weighs() -> None:
    finding = found(unchecked="Nothing but the status was checked.")["B214"]
    assert (finding.level, finding.message) == (Level.INFO, "Nothing but the status was checked.")
    assert "B214" not in found()
