"""What the parent tells a load process, when it gives it up, and which try is the ceiling."""

import io
import json
import os
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from benchsuite.core.exceptions import AnswerError, LoadError
from benchsuite.core.plain import plain
from benchsuite.core.results import Ceiling
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.job import NAMES_FILE, SAMPLES_FILE, Done, Job, Tick
from benchsuite.load.parent import ceiling, driver
from benchsuite.load.parent.ceiling import Responder
from benchsuite.load.parent.driver import LoadPool, LoadWorker

JOB = Job(
    base_url="http://127.0.0.1:1",
    run_header="r",
    workload_class="benchsuite.workloads.pages.Plain",
    workload=WorkloadSpec(),
    load=LoadProfile(timeout_s=0.001),
    spool="",
)


class Late:
    """A load process whose parent comes to listen late, by a clock that the test moves."""

    def __init__(self, folder, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(driver, "monotonic", lambda: self.now)
        monkeypatch.setattr(driver, "IMPORT_LIMIT_S", 0.001)
        monkeypatch.setattr(driver, "MARGIN_S", 0.001)
        monkeypatch.setattr(driver.messages, "CHECK_LIMIT_S", 0.001)
        monkeypatch.setattr(driver.messages, "REHEARSAL_LIMIT_S", 0.0)
        self.stdin = io.BytesIO()

        def started(command, *, pass_fds, **_):
            self._theirs = os.dup(*pass_fds)
            return SimpleNamespace(pid=os.getpid(), stdin=self.stdin)

        monkeypatch.setattr(driver.subprocess, "Popen", started)
        self.worker = LoadWorker("a.module", spool=folder, log=folder / "log", env={})

    def says(self, event, **fields):
        os.write(self._theirs, json.dumps({"event": event, **fields}).encode() + b"\n")

    def begin(self):
        """Its load, after its checked journey."""
        self.says("ready")
        self.says("checked", unchecked="", posts=False, requests=1)
        self.worker.check(JOB)
        self.worker.go(self.now)

    def close(self):
        self.worker.let_go()
        os.close(self._theirs)


@pytest.fixture
def late(tmp_path, monkeypatch):
    made = Late(tmp_path, monkeypatch)
    yield made
    made.close()


def test_a_deadline_begins_when_somebody_waits(late):
    """Databases take their time meanwhile, and servers."""
    late.now += 3600
    late.begin()
    job, _ = late.stdin.getvalue().splitlines()
    assert json.loads(job)["base_url"] == JOB.base_url


def test_what_is_in_the_pipe_is_read_after_the_deadline(late):
    late.begin()
    late.now += 3600
    late.says("failed", message="The load broke: no memory.")
    with pytest.raises(LoadError, match=r"^The load broke: no memory\.$"):
        late.worker.hear()


def test_a_full_disk_ends_the_load_with_a_sentence(late):
    late.begin()
    late.says("full")
    with pytest.raises(LoadError, match=r"^There is no space left in .*; make room, or set"):
        late.worker.hear()


def test_a_refusal_is_read_after_the_deadline_too(late, monkeypatch):
    monkeypatch.setattr(driver, "MARGIN_S", -10.0)  # over before it begins
    late.says("ready")
    late.says("refused", message="GET / answered 404.")
    with pytest.raises(AnswerError, match="answered 404"):
        late.worker.check(JOB)


def test_there_is_time_for_both_checks(late, monkeypatch):
    """A journey that sends a form is made twice, and may take as long each time."""
    limits: list[float] = []
    monkeypatch.setattr(driver.messages, "CHECK_LIMIT_S", 60.0)
    monkeypatch.setattr(driver.messages, "REHEARSAL_LIMIT_S", 0.0)

    def expect(name, limit_s):
        limits.append(limit_s)
        return {"unchecked": "nothing", "posts": "", "requests": 1}

    monkeypatch.setattr(late.worker, "expect", expect)
    assert late.worker.check(JOB) == "nothing"
    assert limits[-1] > 2 * (60.0 + JOB.load.timeout_s)


def test_what_was_waited_for_is_told(late):
    with pytest.raises(LoadError, match=r"not ready within 0\.001 s; its log ends with:\n\(noth"):
        late.worker.check(JOB)
    late.says("ready")
    with pytest.raises(LoadError, match=r"was not checked within 0\.005 s"):
        late.worker.check(JOB)
    late.worker.go(late.now)
    late.now += 3600
    with pytest.raises(LoadError, match=r"was not done 0\.001 s after its time"):
        late.worker.hear()


DONE = Done(
    origin=0.0, window=(0.0, 2.0), stopped=False, users=(), cpu_percent=None, lag_p99_s=None
)


@pytest.fixture
def pair(late, tmp_path, monkeypatch):
    """Two load processes, their pool, and the ticks that it tells."""
    (tmp_path / SAMPLES_FILE).touch()
    (tmp_path / NAMES_FILE).write_text("[]")
    ticks: list[Tick] = []
    with closing(Late(tmp_path, monkeypatch)) as further:
        pool = LoadPool([late.worker, further.worker])
        pool._job = JOB
        yield late, further, pool, ticks


def in_short(ticks):
    return [(tick.elapsed_s, tick.users) for tick in ticks]


def test_who_loads_longest_is_told_of_to_the_end(pair):
    """Else nobody would look meanwhile whether the server is still there."""
    first, longer, pool, ticks = pair

    def on_tick(tick):
        ticks.append(tick)
        if len(ticks) == 1:
            first.says("done", **plain(DONE))
            longer.says("tick", elapsed_s=2.0, users=4, awaited=None)
        else:
            longer.says("done", **plain(DONE))

    for one in (first, longer):
        one.says("tick", elapsed_s=1.0, users=5, awaited=None)
    assert pool.wait(on_tick) == DONE
    assert in_short(ticks) == [(1.0, 10), (2.0, 4)]


def test_a_tick_that_comes_late_is_told_with_those_of_its_second(pair):
    """Else the users of one process would be told for all, and a rate of no time."""
    first, slower, pool, ticks = pair
    first.says("tick", elapsed_s=1.0, users=5, awaited=None)
    first.says("done", **plain(DONE))
    first.worker.hear()
    slower.says("tick", elapsed_s=1.0, users=5, awaited=None)
    slower.says("done", **plain(DONE))
    pool.wait(ticks.append)
    assert in_short(ticks) == [(1.0, 10)]


def test_a_process_that_says_nothing_keeps_nothing_from_being_told(pair):
    first, silent, pool, ticks = pair

    def on_tick(tick):
        ticks.append(tick)
        for one in (first, silent):
            one.says("done", **plain(DONE))

    for elapsed_s in (1.0, 2.0):
        first.says("tick", elapsed_s=elapsed_s, users=5, awaited=None)
    pool.wait(on_tick)
    assert in_short(ticks) == [(2.0, 5)]


def of(throughput, others_percent):
    return Ceiling(users=1, keep_alive=True, throughput=throughput, others_percent=others_percent)


@pytest.mark.parametrize(
    ("tries", "best"),
    [
        ([of(100, 0), of(200, 0), of(150, 0)], 200),
        ([of(100, 0), of(200, 50), of(150, 0)], 150),
        ([of(100, 50), of(200, 50)], 200),
    ],
)
def test_the_best_counts_and_one_beyond_doubt_before_others(tries, best, tmp_path, monkeypatch):
    left = iter(tries)
    monkeypatch.setattr(ceiling, "TRIES", len(tries))
    monkeypatch.setattr(ceiling, "_measure", lambda *_: next(left))
    found = ceiling._best(cast(Responder, ()), LoadProfile(), tmp_path)
    assert found.throughput == best
    assert next(left, None) is None, "each was made"


def test_names_that_differ_by_a_password_alone_are_one():
    names = [
        driver.NameEntry(name=f"GET /in/?password={word}", scope="request", examples={})
        for word in "ab"
    ]
    _, known = driver.together([(driver.np.empty(0, driver.DTYPE), names)])
    assert len(known) == 1


def test_users_are_counted_until_the_last_process_is_done():
    """Of a fixed amount of work each has its share done at another time."""
    soon = replace(DONE, users=((0.0, 5), (1.0, 5)), connections=((1.0, 5),))
    late = replace(DONE, users=((0.0, 5), (1.1, 5), (2.1, 3)), connections=((1.1, 5), (2.1, 3)))
    whole = driver.merged([soon, late])
    assert whole.users == ((0.0, 10), (1.1, 10), (2.1, 3))
    assert whole.connections == ((1.1, 10), (2.1, 3))


def test_connections_are_added_up_by_second_also_where_a_process_has_none_at_first():
    first = replace(DONE, connections=((1.0, 1), (2.0, 1), (3.0, 5), (4.0, 5)))
    second = replace(DONE, connections=((3.1, 5), (4.1, 5)))
    whole = driver.merged([first, second])
    assert whole.connections == ((1.0, 1), (2.0, 1), (3.1, 10), (4.1, 10))


def test_a_part_of_a_load_does_not_end_it(pair):
    """Of load hosts the master looks at all answers together."""
    first, second, pool, ticks = pair
    ends = LoadProfile(model="open", arrival_rate=50.0, ends_below=0.5, ends_within_s=0.5)
    pool._job, pool.is_whole = replace(JOB, load=ends), False
    for worker in (first, second):
        worker.says("tick", elapsed_s=1.0, users=5, awaited=None, begun=0.5, overdue=40)
        worker.says("done", **plain(DONE))
    pool.wait(ticks.append)
    assert (ticks[0].due, ticks[0].in_time, pool.ended_at) == (80, 0, None)
