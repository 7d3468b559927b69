"""Counts and times of the load's WebSockets against the log of a server that misbehaves."""

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchsuite.core.samples import Kind
from benchsuite.load.parent.figures import Figures
from benchsuite.stats import histogram
from tests.integration.loads import Loaded, a_job, load
from tests.truth.faulty_server import RUN, Faults, FaultyServer
from tests.truth.test_known_answers import PERCENTS, TRIES, differing

ECHO = "benchsuite.workloads.streams.WsEcho"
PATH = "/odd"

ENDED = ("closed", "cut", "asked to close", "left")

CHAT = re.compile(r"```python\n# shop/chat.py\n(.*?)```", re.DOTALL)


@dataclass
class Told(Loaded):
    """What came of a load, with its figures."""

    figures: Figures | None = None

    @property
    def accounts(self):
        """Of the window."""
        return self.figures.accounts

    @property
    def whole(self):
        """Of the whole load: a message may begin between the end of the window and its notice."""
        done = replace(self.done, window=(0.0, math.inf))
        return replace(self.figures, done=done).accounts


def at_a_rate(arrival_rate, slots):
    return {"model": "open", "arrival_rate": arrival_rate, "max_in_flight": slots}


def measured(folder, faults, workload=ECHO, **changes):
    """A load on a server with these faults, after its checks were made on a sound one."""
    profile = {"path": PATH, "unit": "message", "duration_s": 1.0, "users": 4, **changes}
    with FaultyServer({PATH: faults}) as server:
        job = replace(a_job(server, workload, **profile), run_header=RUN)
        found = load(folder, job)
    figures = Figures(found.samples, found.names, found.done, job.load, unit="message")
    return Told(**vars(found), figures=figures), server


@pytest.mark.alone
def test_round_trips_are_those_of_the_log(tmp_path):
    far_off = [""]
    for _ in range(TRIES):
        if far_off:
            far_off = strained(tmp_path)
    assert not far_off


def strained(folder):
    """The percentiles that are further from the log than they may be."""
    faults = Faults(delay_s=0.001, spread_s=0.009)
    times = {"warmup_s": 1.0, "duration_s": 2.0}
    seen, server = measured(folder, faults, **times, **at_a_rate(400.0, 100))
    messages = seen.of(f"message {PATH}")
    begin, end = seen.done.window
    shown_s = [
        one["finish"] - one["start"] for one in messages if begin <= one["intended_start"] < end
    ]
    got = {(one.connection, one.data): one.moment for one in server.log if one.what == "got"}
    assert len(shown_s) == 800
    assert len(got) == len(messages) + 1
    true_s = [
        one.moment - got[one.connection, one.data]
        for one in server.log
        if one.what == "answer" and begin <= one.moment < end
    ]
    shown = histogram.values_at(histogram.of(np.array(shown_s)), PERCENTS)
    true = dict(zip(PERCENTS, np.percentile(true_s, PERCENTS), strict=True))
    return differing(shown, true, seen.done.lag_p99_s)


def test_no_message_comes_back_before_it_was_sent(tmp_path):
    faults = Faults(delay_s=0.001, spread_s=0.009)
    seen, server = measured(tmp_path, faults, **at_a_rate(50.0, 1))
    of_load = [one for one in server.log if one.connection > 1]
    messages = np.sort(seen.of(f"message {PATH}"), order="start")
    assert len(messages) == 50
    assert (messages["start"] < [one.moment for one in of_load if one.what == "got"]).all()
    assert (messages["finish"] > [one.moment for one in of_load if one.what == "answer"]).all()
    assert np.allclose(np.diff(messages["intended_start"]), 0.02)


def test_an_echo_that_ticks_loses_nothing(tmp_path):
    found, server = measured(tmp_path, Faults(tick_s=0.05, delay_s=0.02))
    seen, accounts = server.seen(PATH), found.accounts
    checked = 1
    assert found.kinds(f"message {PATH}") == {Kind.OK: seen["got"] - checked}
    assert (accounts.lost, accounts.strays, accounts.closed_early) == (0, 0, 0)
    ticks_of_load = sum(one.what == "tick" and one.connection > checked for one in server.log)
    assert len(found.of(f"unsolicited {PATH}")) == ticks_of_load > 40


def test_the_chat_of_the_documentation_takes_its_own_answers(tmp_path, monkeypatch):
    """Six users in a room that answers after 8 ms: everybody hears everybody, and ticks."""
    page = Path(__file__).parents[2] / "docs/extending.md"
    (written,) = CHAT.findall(page.read_text())
    (tmp_path / "written_chat.py").write_text(written.replace("/ws/chat/lobby/", PATH))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    faults = Faults(room=True, delay_s=0.008, tick_s=0.01)
    name = "message /ws/chat/[room]/"
    with FaultyServer({PATH: faults}) as server:
        job = a_job(server, "written_chat.Chat", unit="message", users=6, duration_s=1.0)
        found = load(tmp_path, replace(job, run_header=RUN))
    seen = server.seen(PATH)
    checked = 10
    messages = found.of(name)
    assert len(messages) == seen["got"] - checked > 100
    assert found.kinds(name) == {Kind.OK: len(messages)}
    times = messages["finish"] - messages["start"]
    assert times.min() >= 0.008, "an answer of somebody else was taken for one's own"
    first = min(one.connection for one in server.log if one.what == "opened") + 1
    by_itself = sum(
        one.what in ("tick", "overheard") and one.connection >= first for one in server.log
    )
    assert len(found.of("unsolicited /ws/chat/[room]/")) == by_itself


@pytest.mark.parametrize(
    ("faults", "messages"),
    [
        (Faults(every=3, do="twice"), 0),
        (Faults(every=3, do="elsewhere", delay_s=0.002), 0),
        (Faults(copy_at_close=True), 3),
        (Faults(every=1, do="twice", copy_at_close=True), 3),
        (Faults(copy_s=0.001, delay_s=0.003), 4),
    ],
    ids=["copies", "elsewhere", "while closing", "both", "late copies"],
)
def test_what_should_not_have_come_is_counted_to_the_last(tmp_path, faults, messages):
    found, server = measured(tmp_path, faults, messages=messages)
    seen, accounts = server.seen(PATH), found.whole
    of_check = [one for one in server.log if one.connection == 1]
    copies = seen["copy"] - sum(one.what == "copy" for one in of_check)
    assert accounts.messages == seen["got"] - sum(one.what == "got" for one in of_check)
    assert (accounts.duplicated, accounts.misdirected) == (copies, seen["misdirected"])
    assert copies + seen["misdirected"] > 20
    assert (accounts.lost, accounts.corrupt, accounts.unsolicited) == (0, 0, 0)
    assert accounts.handshakes == seen["opened"] - 1
    assert (accounts.closed_early, accounts.closings_failed) == (0, 0)


@pytest.mark.alone
@pytest.mark.parametrize(
    ("do", "what", "kind", "code"),
    [
        ("nothing", "swallowed", Kind.READ_TIMEOUT, None),
        ("damage", "damaged", Kind.CORRUPT, None),
        ("close", "closed", Kind.WEBSOCKET_CLOSED, 1012),
        ("cut", "cut", Kind.RESET, 1006),
        ("half", "cut", Kind.RESET, 1006),
    ],
)
def test_each_fault_is_one_failure_of_the_window(tmp_path, do, what, kind, code):
    """In the window itself, after a warm-up with the same faults."""
    found, server = measured(
        tmp_path, Faults(every=7, do=do, delay_s=0.002), timeout_s=0.3, warmup_s=0.5, messages=20
    )
    seen, accounts = server.seen(PATH), found.accounts
    of_check = sum(one.what == "got" and one.connection == 1 for one in server.log)
    kinds = found.kinds(f"message {PATH}")
    odd = seen[what]
    assert set(kinds) == {Kind.OK, kind}
    assert (sum(kinds.values()), kinds[kind]) == (seen["got"] - of_check, odd)
    begin, end = found.done.window
    failed = [one for one in found.of(f"message {PATH}") if one["kind"] == kind]
    of_window = sum(begin <= one["intended_start"] < end for one in failed)
    assert 3 < of_window < odd
    if kind is Kind.CORRUPT:
        assert (accounts.corrupt, accounts.lost) == (of_window, 0)
    else:
        assert (accounts.corrupt, accounts.lost) == (0, of_window)
    held = lives(server, begin)
    assert accounts.handshakes == len(held)
    ended = [how for how in held.values() if how in ("closed", "cut")]
    assert accounts.closed_early == len(ended)
    assert accounts.closes == ({code: len(ended)} if code else {})


def lives(server, begin):
    """The connections of the load that were open at that moment or later, and what ended each."""
    last: dict[int, Any] = {}
    for one in server.log:
        if one.connection > 1 and one.what in ("opened", *ENDED):
            last[one.connection] = one
    return {
        number: one.what
        for number, one in last.items()
        if one.what == "opened" or one.moment >= begin
    }


def test_all_connections_that_end_are_a_share_of_all(tmp_path):
    """Each is ended after its third message: no connection of the window lives."""
    found, server = measured(tmp_path, Faults(life=3, delay_s=0.02), warmup_s=0.5)
    held = lives(server, found.done.window[0])
    ended = sum(what == "closed" for what in held.values())
    assert (found.accounts.handshakes, found.accounts.closed_early) == (len(held), ended)
    assert len(held) - ended <= 4, "those that the end of the load has found open"
    assert ended > 10


@pytest.mark.alone
def test_a_message_keeps_its_intended_start_through_a_reconnect(tmp_path):
    """400 messages at a rate, connections that end and handshakes that take 0.1 s: all messages
    are there, their waiting counts, and a handshake is nothing but itself.
    """
    faults = Faults(life=8, handshake_s=0.1)
    found, server = measured(tmp_path, faults, duration_s=2.0, **at_a_rate(200.0, 2))
    messages = found.of(f"message {PATH}")
    assert found.done.sent == (400,)
    assert len(messages) == found.accounts.messages == 400
    meant = np.sort(messages["intended_start"])
    assert np.allclose(np.diff(meant), 1 / 200)
    assert server.seen(PATH)["got"] - 1 == 400
    handshakes = found.of(f"handshake {PATH}")
    times = handshakes["finish"] - handshakes["intended_start"]
    assert (handshakes["intended_start"] == handshakes["start"]).all()
    assert 0.1 <= times.min() <= np.median(times) < 0.2
    waited = messages["start"] - messages["intended_start"]
    # two connections that are away 0.1 s for every 8 messages send 160/s at most
    assert np.median(waited) > 0.1


def test_a_message_that_no_connection_is_made_for_is_a_failed_one(tmp_path):
    faults = Faults(life=10, refuse=(8, 12))
    found, server = measured(tmp_path, faults, duration_s=2.0, **at_a_rate(100.0, 2))
    seen = server.seen(PATH)
    kinds = found.kinds(f"message {PATH}")
    assert sum(kinds.values()) == found.accounts.messages == 200
    assert kinds[Kind.HTTP_STATUS] == seen["refused"] == 4
    assert kinds[Kind.WEBSOCKET_CLOSED] == seen["closed"]
    assert found.accounts.lost == seen["closed"], "what was not sent is not lost"
    assert found.accounts.handshakes_failed == 4
    assert found.figures.total.failures == 4 + seen["closed"]


@pytest.mark.parametrize("model", ["closed", "open"])
def test_what_is_in_flight_at_the_end_of_the_drain_appears_once(tmp_path, model):
    """Answers that come after the drain has given them up, while the load says good-bye."""
    rate = at_a_rate(10.0, 4) if model == "open" else {}
    times = {"duration_s": 0.4, "timeout_s": 60.0, "drain_s": 0.6}
    found, server = measured(tmp_path, Faults(delay_s=1.3), **times, **rate)
    seen = server.seen(PATH)
    assert found.kinds(f"message {PATH}") == {Kind.UNFINISHED: seen["got"] - 1}
    assert seen["got"] - 1 == 4
    assert found.kinds("ws_echo") in ({}, {Kind.UNFINISHED: 4})
    assert found.accounts.lost == 4
    assert found.accounts.strays == 0


def test_every_sample_takes_time(tmp_path):
    """A server that answers before it is asked: what it says is nobody's answer."""
    found, _ = measured(tmp_path, Faults(tick_s=0.001, delay_s=0.03), "SocketImpatient")
    messages = found.of(f"message {PATH}")
    assert len(messages) > 20
    assert (messages["finish"] - messages["start"]).min() > 0
