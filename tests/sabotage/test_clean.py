"""Runs that nobody breaks: no finding of the sabotage suite but those that neighbours explain."""

import os
import threading
import time
from collections import Counter
from collections.abc import Set

import psutil
import pytest

from benchsuite.core.results import Ceiling
from tests.sabotage.runs import findings, message, told, weighing
from tests.sabotage.saboteurs import load_process, pin, server_processes

CPUS = sorted(os.sched_getaffinity(0))

NOISE = {"B101", "B102", "B104", "B105", "B106", "B301", "B401", "B404"}
"""What a busy machine does to a run that nobody breaks; on a less busy one timers are late."""


@pytest.mark.alone
def test_a_closed_run(lab):
    lab.ceilings.append(Ceiling(users=4, keep_alive=True, throughput=1e6))
    result = lab.run(warmup_s=1.0, duration_s=8.0)
    _is_clean(result)
    assert findings(result, "B401") or not findings(result, "B405"), told(result)
    assert result.total.patterns == (), told(result)


@pytest.mark.alone
@pytest.mark.parametrize("server", ["gunicorn-gthread", "waitress", "uvicorn", "granian-wsgi"])
def test_a_page_that_waits_on_other_servers(lab, server):
    """Nothing is near to a limit."""
    result = lab.run(server, "/slow/", warmup_s=1.0, duration_s=4.0)
    _is_clean(result)
    assert findings(result, "B403") or findings(result, "B401"), told(result)


@pytest.mark.parametrize("server", ["gunicorn-sync", "hypercorn", "granian-asgi"])
def test_a_fast_page_on_other_servers(lab, server):
    """Two CPUs may well be too few for target and generator, and a run may say so."""
    result = lab.run(server, users=2)
    assert {one.code[:4] for one in weighing(result)} <= NOISE | {"B103", "B302"}, told(result)


@pytest.mark.alone
def test_users_who_think(lab):
    """They begin spread over their cycle; in step, all 40 would have ended twice, or thrice."""
    result = lab.run(path="/slow/", users=40, threads=20, think_time_s=1.0, duration_s=2.5)
    _is_clean(result)
    assert result.total.goodput == pytest.approx(40 / 1.05, rel=0.06), told(result)


@pytest.mark.alone
def test_others_see_the_same_times(lab):
    """Each prober had its twenty answers, in a window of 2 s, too; where not, it would be told."""
    for load in ({"duration_s": 2.0}, {"keep_alive": False}, {"users": 8, "stages": (4, 8)}):
        result = lab.run(processes=1, **load)
        if not findings(result, "B401"):
            assert "B106" not in message(result, "B405"), told(result)
        _is_clean(result)


@pytest.mark.alone
def test_users_who_think_before_a_page_that_costs_nothing(lab):
    """They wake some 0.1 ms late, which is much of such an answer and little of their time."""
    result = lab.run(path="/well/?ms=0", think_time_s=0.05)
    assert findings(result, "B105") == [], told(result)


@pytest.mark.alone
def test_an_open_run(lab):
    _is_clean(lab.run(model="open", users=1, arrival_rate=60.0, duration_s=3.0))


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs to keep apart")
def test_a_pinned_run_shares_no_cpu(lab):
    def apart():
        pin([load_process()], CPUS[:1])
        pin(server_processes(), CPUS[1:])

    assert findings(lab.run(at_ready=apart, duration_s=1.0), "B403") == []


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs to keep apart")
def test_who_looks_on_keeps_away_from_the_load(lab):
    """Sampler and this process; the prober is a client among clients, and beside them."""
    seen: dict[str, Set[int]] = {}

    def look():
        own = psutil.Process()
        seen["here"] = os.sched_getaffinity(0)
        (prober,) = (
            one
            for one in own.children(recursive=True)
            if "benchsuite.telemetry.prober.program" in str(one.cmdline())
        )
        seen["prober"] = set(os.sched_getaffinity(prober.pid))
        (sampler,) = (
            thread.native_id or 0
            for thread in threading.enumerate()
            if thread.name == "benchsuite-sampler"
        )
        looks = Counter[frozenset[int]]()
        for _ in range(20):
            looks[frozenset(os.sched_getaffinity(sampler))] += 1
            time.sleep(0.01)
        ((seen["sampler"], _),) = looks.most_common(1)

    # Once a second the sampler tries the speed of all these CPUs, for a moment on each.
    lab.run(at_second={1.5: look}, cpus=(CPUS[-1],))
    assert seen == {
        "here": set(CPUS[:-1]),
        "sampler": set(CPUS[:-1]),
        "prober": {CPUS[-1]},
    }
    assert sorted(os.sched_getaffinity(0)) == CPUS


@pytest.mark.parametrize("server", ["gunicorn-gthread", "uvicorn", "waitress"])
def test_the_target_sees_what_is_sent(lab, server):
    """Within the one that each thread may be behind, and a last probe that nobody waited for."""
    asked = lab.run(server, processes=2 if server != "waitress" else None, duration_s=1.0).asked
    assert -10 <= asked.seen - asked.sent <= 1, asked


def _is_clean(result):
    weighty = {one.code[:4] for one in weighing(result)}
    assert findings(result, "B501") == [], told(result)
    assert weighty <= (NOISE if "B401" in weighty else {"B102"}), told(result)
