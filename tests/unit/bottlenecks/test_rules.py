"""Each rule names the limit that was injected, and none speaks of a healthy run."""

import re
import runpy
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import Alone, Diagnosis, LimitEvidence, Repeated
from benchsuite.bottlenecks.registry import RULES
from benchsuite.core.results import Common, Pattern, Reached
from tests.unit.bottlenecks.healthy import of, other

PAGE = Path(__file__).parents[3] / "docs" / "bottlenecks.md"

CPU_BOUND = {
    "rate": 160.0,
    "offered_rate": 200.0,
    "dropped": 40,
    "response_s": 0.5,
    "wait_s": 0.1,
    "in_flight": 64.0,
    "queued": 56.0,
    "cpu_percent": {"target": 190.0, "database": 4.0},
    "busiest_percent": 96.0,
    "run_delay_percent": 60.0,
}
SLOTS_FULL = {
    "rate": 80.0,
    "offered_rate": None,
    "response_s": 0.25,
    "wait_s": 0.0,
    "in_flight": 20.0,
    "queued": 12.1,
    "cpu_percent": {"target": 40.0},
    "busiest_percent": 21.0,
    "active": None,
}
ONE_PROCESS = {
    **CPU_BOUND,
    "processes": 1,
    "rate": 80.0,
    "cpu_percent": {"target": 97.0},
    "busiest_percent": None,
}
WAITING = {**SLOTS_FULL, "alone": Alone(mean_s=0.098)}
SHARED = {
    "rate": 97.3,
    "offered_rate": 97.0,
    "response_s": 0.0448,
    "wait_s": 0.0002,
    "p95_s": 0.0988,
    "in_flight": 4.34,
    "queued": 1.59,
    "processes": 1,
    "threads": 4,
    "slots": 4,
    "cpus": 1.0,
    "cpu_percent": {"target": 25.8, "database": 62.3},
    "idle_percent": 10.4,
    "busiest_percent": 25.0,
    "run_delay_percent": 203.0,
    "active": 0.1,
    "active_samples": 1,
    "waits": {},
}
"""As a tuning saw it on a server whose one CPU PostgreSQL uses, too."""
QUEUED = {
    "rate": 29.7,
    "offered_rate": 30.0,
    "response_s": 0.06,
    "wait_s": 0.0002,
    "in_flight": 1.8,
    "queued": 0.5,
    "processes": 1,
    "threads": 2,
    "slots": 2,
    "cpus": 2.0,
    "cpu_percent": {"target": 84.0, "database": 22.0},
    "busiest_percent": 84.0,
    "run_delay_percent": 62.0,
    "active": 0.1,
}
"""Arrivals by chance queue for CPUs that are idle for half of the time."""
LOCKED = {
    "rate": 20.0,
    "offered_rate": None,
    "response_s": 0.8,
    "wait_s": 0.0,
    "p95_s": 0.85,
    "in_flight": 16.0,
    "queued": 8.0,
    "cpu_percent": {"target": 9.0},
    "busiest_percent": 6.0,
    "active": None,
    "alone": Alone(mean_s=0.05, p95_s=0.052),
}
"""16 users of a page that holds a lock for 50 ms."""
IN_DATABASE = {"rate": 40.0, "response_s": 0.05, "in_flight": 2.0, "active": 1.6}
UNLIMITED = {"interface": "asgi", "slots": None, "queued": None}
PAUSES = Pattern(
    common=Common.PERIOD,
    share=0.07,
    percent=99,
    at_s=0.19,
    without_s=0.061,
    period_s=2.0,
    length_s=0.15,
)
LEAKS = {"memory_grows": 2.0**20, "window_s": 20.0}
DIAGNOSIS = Diagnosis(requests=100, request_s=0.05, queries=30.0, query_s=0.02)
LOOP = Repeated(
    query="SELECT shop_product", place="shop/views.py:12", page="/shop/", times=24.0, share=0.4
)

INJECTED: list[tuple[set[str], dict[str, Any]]] = [
    ({"L01"}, CPU_BOUND),
    ({"L02"}, ONE_PROCESS),
    ({"L03"}, SLOTS_FULL),
    ({"L04"}, {**IN_DATABASE, "offered_rate": 45.0}),
    ({"L04a"}, {**CPU_BOUND, "cpu_percent": {"target": 60.0, "database": 130.0}, "active": 9.0}),
    ({"L04a"}, SHARED),
    ({"L01"}, {**SHARED, "cpu_percent": {"target": 75.0, "database": 12.0}}),
    ({"L01"}, {**SHARED, "cpu_percent": {"target": 20.0}, "database_beside_percent": 62.0}),
    ({"L01"}, QUEUED),
    ({"L04b"}, {**IN_DATABASE, "waits": {"Lock:transactionid": 0.7, "IO:WALSync": 0.1}}),
    ({"L04b"}, {**IN_DATABASE, "active": 0.6, "waits": {"Lock:tuple": 1.0}}),
    ({"L04c"}, {"diagnosis": Diagnosis(requests=9, request_s=0.05, repeated=(LOOP,))}),
    ({"L04d"}, {"diagnosis": Diagnosis(requests=9, request_s=0.05, connecting_s=0.012)}),
    ({"L05"}, {"reached": [Reached.SESSIONS]}),
    ({"L05"}, {"processes": 4, "threads": 128, "connections_wanted": 512}),
    ({"L06"}, {"reached": [Reached.POOL], "pool": 2}),
    ({"L06"}, {"pool": 2, "active": 3.9, "response_s": 0.25}),
    ({"L06"}, {"pool": 2, "in_flight": 7.0}),
    ({"L07"}, {"others": [other(cpu=1.2, threads=2)]}),
    ({"L07"}, {"others": [other(rate=0.95, threads=2)]}),
    ({"L08"}, {"processes": 8, "run_delay_percent": 40.0, "others": [other(rate=1.0)]}),
    ({"L09"}, {"busiest_percent": 75.0}),
    ({"L10"}, {"p95_s": 0.4, "alone": Alone(mean_s=0.045, p95_s=0.06)}),
    ({"L10"}, {"p95_s": 0.4, "alone": Alone(mean_s=0.045, p95_s=0.06), **UNLIMITED}),
    ({"L11"}, {"stall": "90 % of the answers took just over 40 ms longer than the fastest."}),
    ({"L12"}, {"memory_bytes": 2**30 - 2**20}),
    ({"L12"}, {"memory_pressure_percent": 30.0}),
    ({"L12"}, {"major_faults_per_s": 400.0}),
    ({"L12a"}, LEAKS),
    ({"L13"}, {"reached": [Reached.SQLITE]}),
    ({"L14"}, {"interface": "asgi", "slots": None, "others": [other(cpu=1.4)]}),
    ({"L15"}, {"diagnosis": Diagnosis(requests=9, request_s=0.05, collecting_share=0.08)}),
    ({"L16"}, {"patterns": [PAUSES]}),
    ({"L11"}, {"patterns": [PAUSES], "stall": "90 % of the answers took just over 40 ms longer."}),
    (
        {"L15"},
        {
            "objective_s": 0.2,
            "diagnosis": Diagnosis(requests=9, request_s=0.05, longest_pause_s=0.06),
        },
    ),
    ({"L17"}, {"response_s": 0.3, "in_flight": 7.8, "alone": Alone(mean_s=0.05)}),
    ({"L17"}, LOCKED),
    ({"L17"}, {**LOCKED, "threads": 429, "slots": 858, "queued": 0.0}),
    ({"L00"}, {"response_s": 0.3, "in_flight": 7.8, "alone": Alone(mean_s=0.05), **UNLIMITED}),
    ({"L00"}, {"response_s": None, "offered_rate": 80.0}),
    ({"L00"}, {"response_s": None, "offered_rate": 60.0, "in_vain_share": 0.5}),
    ({"L00", "L12a"}, {**LEAKS, "response_s": 0.3, "offered_rate": 80.0}),
    (
        {"L00", "L04"},
        {
            **IN_DATABASE,
            "offered_rate": 45.0,
            "response_s": 0.1,
            "active": 2.1,
            "cpu_percent": {"target": 40.0},
        },
    ),
]


def named(one: set[str] | dict[str, Any]) -> str:
    """The same in each process, as the order of a set is not."""
    return str(sorted(one) if isinstance(one, set) else one)[:40]


@pytest.mark.parametrize(("numbers", "changes"), INJECTED, ids=named)
def test_what_was_injected_is_named_alone(numbers: set[str], changes: dict[str, Any]) -> None:
    assert set(of(**changes)) == numbers


def test_who_was_diagnosed_is_not_sent_to_ask_for_it() -> None:
    unnamed = {"response_s": 0.3, "in_flight": 7.8, "alone": Alone(mean_s=0.05), **UNLIMITED}
    mostly = {**IN_DATABASE, "offered_rate": 45.0}
    for number, changes in (("L00", unnamed), ("L04", mostly)):
        assert "--diagnose" in of(**changes)[number].fix
        assert "--diagnose" not in of(**changes, diagnosis=DIAGNOSIS)[number].fix


def test_every_rule_has_been_injected() -> None:
    assert set(RULES) == {number for numbers, _ in INJECTED for number in numbers}


HEALTHY_CHANGES = [
    *product(
        ({}, {"rate": 20.0, "offered_rate": 20.0, "in_flight": 1.0, "active": 0.5}),
        ({}, {"interface": "asgi", "slots": None, "queued": None}, {"processes": 1, "slots": 4}),
        ({}, {"active": None, "waits": {}, "connections": None, "connections_limit": None}),
        ({}, {"busiest_percent": None, "run_delay_percent": None, "alone": Alone(mean_s=0.045)}),
    )
]


@pytest.mark.parametrize("changes", HEALTHY_CHANGES)
def test_none_speaks_of_a_healthy_run(changes: tuple[dict[str, Any], ...]) -> None:
    merged = {name: value for one in changes for name, value in one.items()}
    assert of(**merged) == {}


@pytest.mark.parametrize(
    ("window_s", "rate", "in_flight", "speaks"),
    [
        (3.0, 18.0, 0.9, False),
        (3.0, 15.0, 0.9, True),
        (30.0, 18.0, 0.9, True),
        (30.0, 18.0, 25.0, False),
    ],
)
def test_what_is_in_flight_at_the_edges_of_a_window_is_no_limit(
    window_s: float, rate: float, in_flight: float, *, speaks: bool
) -> None:
    """Of few arrivals some are always answered after the window, as those before it are in it."""
    found = of(
        window_s=window_s,
        rate=rate,
        offered_rate=18.67,
        in_flight=in_flight,
        cpu_percent={"target": 2.0},
        active=0.01,
    )
    assert set(found) == ({"L00"} if speaks else set())


def test_a_late_load_generator_is_no_limit_of_the_target() -> None:
    assert of(wait_s=0.03, response_s=0.08) == {}


def test_nothing_known_names_nothing() -> None:
    assert bottlenecks.name(LimitEvidence()) == []


def test_full_cpus_tell_what_was_seen() -> None:
    (limit,) = of(**CPU_BOUND, highest_rate=162.0).values()
    # 1.94 CPUs at 160 /s are 12.1 ms a request, so 3 CPUs make 247 /s
    assert limit.says == "The CPUs are full at 160\u2009/s."
    assert "12.1" in limit.evidence
    assert "target 1.90" in limit.evidence
    assert "up to 247" in limit.gain


@pytest.mark.parametrize(("number", "changes"), [("L01", CPU_BOUND), ("L02", ONE_PROCESS),
                                                 ("L03", WAITING), ("L04a", SHARED)])  # fmt: skip
def test_no_gain_is_promised_that_was_exceeded(number: str, changes: dict[str, Any]) -> None:
    assert of(**changes)[number].gain
    assert not of(**changes, highest_rate=5000.0)[number].gain


def test_a_page_that_held_more_elsewhere_says_so() -> None:
    (limit,) = of(**CPU_BOUND, highest_rate=377.0).values()
    assert "Another configuration of the same work answered 377" in limit.evidence
    assert not limit.gain


def test_nothing_is_promised_of_cpus_that_others_use() -> None:
    others = {"cpu_percent": {"target": 14.0}, "idle_percent": 0.0, "run_delay_percent": None}
    (limit,) = of(**{**CPU_BOUND, **others}).values()
    assert "other programs 1.86" in limit.evidence
    assert not limit.gain


def test_a_load_generator_on_the_same_cpus_is_told_of() -> None:
    limit = of(**{**CPU_BOUND, "cpu_percent": {"target": 120.0}, "load_percent": 70.0})["L01"]
    assert "load generator 0.7" in limit.evidence
    assert "--cpus-load" in limit.fix


def test_other_programs_that_take_the_cpus_are_told_of() -> None:
    # slots are full because of them: what requests wait for is a CPU
    for delay in (300.0, None):
        found = of(**SLOTS_FULL, idle_percent=2.0, run_delay_percent=delay)
        assert set(found) == {"L01"}
        assert "other programs 1.56" in found["L01"].evidence
    assert of(idle_percent=2.0) == {}, "they are in nobody's way"
    assert set(of(idle_percent=2.0, run_delay_percent=90.0)) == {"L01"}, "22 of 49 ms"
    found = of(**SLOTS_FULL, idle_percent=2.0, run_delay_percent=40.0)
    assert set(found) == {"L03"}, "pages that wait 50 ms and 5 ms for a CPU"


def test_who_uses_the_cpus_is_told_and_what_to_do() -> None:
    (limit,) = of(**SHARED).values()
    # 6.4 ms of the database's CPU and 2.65 ms of the target's; 203 % / 97.3 /s are 20.9 ms
    assert "1.00 CPU is busy 89.6\u2009% of the time (database 0.623 and target 0.258)" in (
        limit.evidence
    )
    assert "waits 20.9\u2009ms for one" in limit.evidence
    assert "6.40\u2009ms of the database's CPU and 2.65\u2009ms of the target's" in limit.evidence
    assert "CPUs or a machine of its own" in limit.fix
    assert "up to 377" in limit.gain, "one CPU / 2.65 ms"


def test_databases_that_the_run_did_not_start_are_told_apart() -> None:
    shared = {**SHARED, "cpu_percent": {"target": 20.0}}
    limit = of(**shared, database_beside_percent=62.0)["L01"]
    assert "other databases 0.62 and target 0.2" in limit.evidence
    assert limit.fix.startswith("Give the databases that the run did not start other CPUs")
    # wherever else they ran: no more than the CPUs were busy with
    assert "other databases 0.696 and target 0.2" in (
        of(**shared, database_beside_percent=180.0)["L01"].evidence
    )


def test_busy_cpus_that_nobody_waits_for_are_no_limit() -> None:
    assert not {"L01", "L04a"} & set(of(**{**SHARED, "run_delay_percent": 40.0}))
    assert of(**{**SHARED, "queued": 0.1, "response_s": 0.03}) == {}, "nothing queues"


def test_a_process_that_computes_is_no_head_of_line() -> None:
    slow = {"p95_s": 0.4, "alone": Alone(mean_s=0.045, p95_s=0.06)}
    assert of(**slow, busiest_percent=75.0, processes=1) == {}
    assert of(**slow, run_delay_percent=90.0) == {}, "they wait for a CPU"
    assert set(of(**slow, idle_percent=2.0)) == {"L10"}, "others fill the CPUs, which nobody awaits"
    assert of(**slow, idle_percent=2.0, run_delay_percent=None) == {}, "nobody knows"


def test_memory_that_grows_is_told_by_request() -> None:
    limit = of(**LEAKS)["L12a"]
    assert "25.6\u2009KiB a request, 60.0\u2009MiB a minute" in limit.evidence
    assert "1.00\u2009GiB are used up after 13 min 44 s" in limit.evidence
    assert of(**{**LEAKS, "window_s": 2.0}) == {}, "1 % is a cache that fills"


def test_another_process_is_predicted_by_its_cpu() -> None:
    limit = of(**ONE_PROCESS)["L02"]
    # 12.1 ms a request in one process: two answer 165 /s
    assert "--processes=2" in limit.fix
    assert "165" in limit.gain


def test_one_user_alone_lacks_no_process() -> None:
    assert "L02" not in of(**{**ONE_PROCESS, "in_flight": 0.99})
    assert of(busiest_percent=79.0, in_flight=0.98, queued=0.0) == {}, "the other has nothing to do"


def test_python_without_the_lock_needs_no_second_process() -> None:
    assert "L02" not in of(**ONE_PROCESS, holds_gil=False)


def test_threads_are_computed_from_what_a_request_waits() -> None:
    limit = of(**WAITING)["L03"]
    # 98 ms in a slot, 5 ms of them CPU: 2 · 98 / 5 = 40 slots, 20 in each of two processes
    assert "--threads=20" in limit.fix
    assert "400" in limit.gain


def test_full_slots_without_one_users_time_promise_nothing() -> None:
    """Behind a lock they look the same."""
    for changes in (SLOTS_FULL, {**LOCKED, "alone": None}):
        limit = of(**changes)["L03"]
        assert "--users=1" in limit.fix
        assert "--threads" not in limit.fix
        assert not limit.gain


def test_a_lock_is_named_with_how_few_get_on() -> None:
    limit = of(**LOCKED)["L17"]
    assert "as if only 1.00 of 8.00 got on at a time" in limit.evidence
    assert not limit.gain


def test_a_server_without_threads_is_offered_processes() -> None:
    assert "--processes=40" in of(**WAITING, sets_threads=False)["L03"].fix


def test_the_line_of_a_loop_is_named() -> None:
    limit = of(diagnosis=Diagnosis(requests=9, request_s=0.05, repeated=(LOOP,)))["L04c"]
    assert limit.says.startswith("shop/views.py:12 makes 24.0 equal queries")


def test_connections_are_kept_where_a_thread_uses_them_again() -> None:
    anew = {"diagnosis": Diagnosis(requests=9, request_s=0.05, connecting_s=0.012)}
    assert of(**anew)["L04d"].fix == "Keep connections: CONN_MAX_AGE, or a pool (--pool)."
    assert "CONN_MAX_AGE would leave" in of(**anew, reuses_connections=False)["L04d"].fix


def test_which_product_exceeds_the_limit_is_told() -> None:
    limit = of(processes=4, threads=128, connections_wanted=512)["L05"]
    assert "4 processes with 128 threads each may hold 512 connections" in limit.evidence


def test_a_full_listen_queue_is_not_mended_by_fewer_threads() -> None:
    limit = of(reached=[Reached.LISTEN_QUEUE])["L05"]
    assert "backlog" in limit.fix
    assert "threads" not in limit.fix
    assert "threads" in of(reached=[Reached.LISTEN_QUEUE, Reached.SESSIONS])["L05"].fix


def test_the_page_has_the_table_that_is_made_from_the_rules(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runpy.run_module("benchsuite.bottlenecks", run_name="__main__")
    assert capsys.readouterr().out in PAGE.read_text(), "python -m benchsuite.bottlenecks"


def test_every_number_that_is_named_is_a_rule() -> None:
    text = "".join(path.read_text() for path in PAGE.parent.glob("*.md"))
    assert set(re.findall(r"\bL\d\d[a-d]?\b", text)) == set(RULES)


def test_what_makes_answers_slow_is_told_with_its_figures() -> None:
    limit = of(patterns=[PAUSES])["L16"]
    told = f"{limit.says} {limit.evidence}".replace("\u2009", " ")
    assert told == (
        "Every 2.00 s, answers are held up for 150 ms. 7.00 % of the answers: without them, p99 "
        "would be 61.0 ms instead of 190 ms."
    )
    few = Pattern(
        common=Common.PROCESS, share=0.2, percent=100, at_s=0.19, without_s=0.061, slow=1, groups=4
    )
    assert of(patterns=[few])["L16"].says == "1 of 4 processes is slower than the others."
    assert "the longest would be" in of(patterns=[few])["L16"].evidence
