"""Broadcasts: who got what, counted over all subscribers and load processes."""

import threading
import time
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import FANOUT, Kind
from benchsuite.load.parent.driver import load_pool
from benchsuite.load.parent.figures import NEVER, with_broadcasts
from tests.integration.loads import Loaded, a_job
from tests.integration.stubs_ws import SocketResponder

SUBSCRIBERS = 6
PATH = "/room"


def to_one(subscriber, message):
    """One that has just left must not keep the others from getting it."""
    with suppress(ConnectionClosed):
        subscriber.send(message)


def to_all(subscribers, message, number):
    for one in subscribers:
        to_one(one, message)


class Room:
    """Everything that one says goes to all, in a way of its own.

    A handler begins after its client has been told that it is in, so after the first (those of
    checked journeys) nothing is delivered before all subscribers are there.
    """

    def __init__(self, deliver, *, checks, subscribers):
        """`deliver` sends a message, the how manyeth, to all subscribers."""
        self.published = 0
        self._deliver = deliver
        self._checks = checks
        self._wanted = subscribers
        self._were_there = False
        self._lock = threading.Condition()
        self._subscribers: list[ServerConnection] = []

    def __call__(self, connection, seen):
        with self._lock:
            self._subscribers.append(connection)
            self._lock.notify_all()
        try:
            for message in connection:
                with self._lock:
                    self.published += 1
                    if self.published > self._checks:
                        self._lock.wait_for(self._are_there, timeout=5)
                    self._deliver(self._subscribers, message, self.published)
        except ConnectionClosed:
            return
        finally:
            with self._lock:
                self._subscribers.remove(connection)

    def _are_there(self):
        """Once; they may leave."""
        self._were_there = self._were_there or len(self._subscribers) >= self._wanted
        return self._were_there


OPEN = {"model": "open", "arrival_rate": 40.0, "max_in_flight": SUBSCRIBERS}
TIMEOUT_S = 3.0


def broadcast(tmp_path, deliver=to_all, *, processes=1, users=0, duration_s=1.0, **changes):
    """A load, of so many users or open, its samples with those of the last subscribers; and what
    was published in all.
    """
    profile = {"users": users} if users else OPEN
    room = Room(deliver, checks=processes, subscribers=users or SUBSCRIBERS)
    times = {"duration_s": duration_s, "timeout_s": TIMEOUT_S}
    with (
        SocketResponder({PATH: room}) as responder,
        load_pool(processes, spool=tmp_path / "spool", log=tmp_path / "load.log") as pool,
    ):
        workload = "benchsuite.workloads.streams.WsBroadcast"
        own = {"path": PATH, "unit": "message", "processes": processes, **changes}
        pool.check(a_job(responder, workload, **own, **profile, **times))
        done = pool.run(lambda tick: None)
        samples, names = with_broadcasts(*pool.samples(), timeout_s=TIMEOUT_S)
    return Loaded(done, [], samples, list(names)), room.published - processes


@pytest.mark.parametrize("processes", [1, 2])
def test_everybody_gets_everything(tmp_path, processes):
    result, published = broadcast(tmp_path, processes=processes)
    assert published == 40
    sent = result.of(f"publication {PATH}")
    assert len(sent) == published
    messages = result.of(f"message {PATH}")
    of_load = messages[np.isin(messages["start"], sent["start"])]
    assert len(of_load) == published * SUBSCRIBERS
    assert set(of_load["kind"]) == {Kind.OK}
    assert set(of_load["user"]) == set(range(SUBSCRIBERS))
    last = result.of(f"last subscriber {PATH}")
    assert len(last) == published
    assert set(last["kind"]) == {Kind.OK}
    for one in last:
        reached = of_load["finish"][of_load["start"] == one["start"]]
        assert one["finish"] == reached.max()
    assert next(one for one in result.names if one.scope == FANOUT)
    assert result.done.dropped == (0,)


@pytest.mark.parametrize("processes", [1, 2])
def test_what_a_subscriber_never_got_is_lost(tmp_path, processes):
    def skipping(subscribers, message, number):
        to_all(subscribers[1:] if number % 10 == 0 else subscribers, message, number)

    result, published = broadcast(tmp_path, skipping, processes=processes)
    lost = (published + processes) // 10
    kinds = result.kinds(f"message {PATH}")
    assert kinds[Kind.LOST] == lost
    assert result.kinds(f"last subscriber {PATH}") == {Kind.LOST: lost, Kind.OK: published - lost}
    assert result.example(f"message {PATH}", Kind.LOST) == NEVER


@pytest.mark.alone
def test_a_slow_subscriber_makes_no_other_one_slow(tmp_path):
    """Its messages come a second late, in order; publishers wait for nobody."""
    held: list[tuple[float, Any]] = []

    def lagging(subscribers, message, number):
        to_all(subscribers[1:], message, number)
        if number == 1:
            to_one(subscribers[0], message)
        else:
            held.append((time.monotonic() + 1.0, message))
            threading.Timer(1.0, lambda: to_one(subscribers[0], held.pop(0)[1])).start()

    result, published = broadcast(tmp_path, lagging)
    assert result.done.dropped == (0,)
    messages = result.of(f"message {PATH}")
    is_late = messages["finish"] - messages["intended_start"] > 0.5
    slow_users = np.unique(messages["user"][is_late])
    assert len(slow_users) == 1
    of_slow = np.isin(messages["user"], slow_users)
    slow, healthy = messages[of_slow], messages[~of_slow]
    assert len(healthy) == published * (SUBSCRIBERS - 1)
    assert len(slow) == published
    assert set(healthy["kind"]) == set(slow["kind"]) == {Kind.OK}
    assert float(np.median(healthy["finish"] - healthy["intended_start"])) < 0.1
    assert 1.0 <= float(np.median(slow["finish"] - slow["intended_start"])) < 1.2
    begun = np.sort(result.of(f"publication {PATH}")["start"])
    assert np.diff(begun).max() < 0.2, "a publisher waited"


def test_copies_and_overtakers_are_strays(tmp_path):
    held: list[Any] = []

    def confused(subscribers, message, number):
        if number % 10 == 0:
            to_one(subscribers[0], message)
        # goes to the first subscriber after the next one; not late, as there must be a next one
        if number % 10 == 5 and number < 50:
            to_all(subscribers[1:], message, number)
            held.append(message)
            return
        to_all(subscribers, message, number)
        while held:
            to_one(subscribers[0], held.pop())

    result, published = broadcast(tmp_path, confused, users=3, duration_s=0.5, publishers=3)
    assert set(result.kinds(f"message {PATH}")) == {Kind.OK}
    strays = result.kinds(f"stray {PATH}")
    assert strays[Kind.DUPLICATED] == (published + 1) // 10
    # an overtaker is one only if the next publication came from the same publisher
    assert strays.get(Kind.REORDERED, 0) <= (published + 1) // 10 + 1
    assert set(strays) <= {Kind.DUPLICATED, Kind.REORDERED}


def test_one_publisher_publishes_as_soon_as_all_have_it(tmp_path):
    result, published = broadcast(tmp_path, users=SUBSCRIBERS, duration_s=0.5)
    assert set(result.of(f"publication {PATH}")["user"]) == {0}
    whole = result.kinds(f"last subscriber {PATH}")
    assert whole[Kind.OK] == published > 20
    journeys = result.of("ws_broadcast")
    assert set(journeys["user"]) == {0}
    begins = np.sort(journeys["start"])
    ends = np.sort(journeys["finish"])
    assert (begins[1:] >= ends[:-1]).all()


def test_who_is_thrown_out_for_publishing_is_told_before_the_load(tmp_path):
    with pytest.raises(AnswerError, match="1011"):
        broadcast(tmp_path, lambda subscribers, message, number: subscribers[0].close(1011))
