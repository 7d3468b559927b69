"""Something befalls the server's processes, at some moment or again and again."""

import random
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.faults.answers import LOST
from benchmarks.faults.case import (
    NEAR,
    WITH_CHILDREN,
    Case,
    Kind,
    at,
    load,
    moment,
    served,
    victim,
    words_of,
)
from tests.sabotage.saboteurs import held_back, load_process, server_processes

SURELY_SEEN_S = 1.1
"""Who is stopped for longer is so at one of the looks, which come once a second."""


def stopped(chance: random.Random) -> Case:
    """All of the server, once."""
    seconds = round(chance.uniform(0.2, 2.5), 2)
    begin = moment(chance, before_end_s=3.0)

    def stop() -> None:
        stopped = server_processes()
        for one in stopped:
            one.suspend()
        threading.Timer(seconds, lambda: [one.resume() for one in stopped]).start()

    run = {**served(chance, NEAR), "path": "/well/?ms=5", **load(chance)}
    return Case(
        words=f"{seconds:g} s at {begin:g} s, {words_of(run)}",
        codes=frozenset({"B401", "B301"}),
        is_due=seconds > SURELY_SEEN_S,
        run=run,
        during=at(begin, stop),
    )


def limited(chance: random.Random) -> Case:
    """Stopped again and again, as cpulimit does it."""

    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        with held_back() as limit:
            yield {"at_second": {0.0: lambda: limit(victim().pid)}}

    run = {**served(chance, NEAR), **load(chance)}
    return Case(words=words_of(run), codes=frozenset({"B401"}), run=run, during=during)


def load_limited(chance: random.Random) -> Case:
    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        with held_back() as limit:
            yield {"at_second": {0.0: lambda: limit(load_process().pid)}}

    run = {**served(chance, NEAR), **load(chance)}
    codes = frozenset({"B102", "B401"})
    return Case(words=words_of(run), codes=codes, run=run, during=during)


def killed(chance: random.Random) -> Case:
    """One of several, which is replaced."""
    begin = moment(chance)
    run = {"server": chance.choice(WITH_CHILDREN), "processes": chance.choice((2, 3))}
    run |= {"path": "/well/?ms=5", **load(chance)}
    return Case(
        words=f"at {begin:g} s, {words_of(run)}",
        codes=frozenset({"B203"}),
        run=run,
        during=at(begin, lambda: victim().kill()),
    )


def started_again(chance: random.Random) -> Case:
    """The only one, by a supervisor: meanwhile nobody listens."""
    begin = moment(chance, before_end_s=3.0)
    run = {"server": "supervised", "path": "/well/?ms=5", **load(chance)}
    return Case(
        words=f"at {begin:g} s, {words_of(run)}",
        codes=LOST | {"B203"},
        run=run,
        during=at(begin, lambda: victim().send_signal(signal.SIGKILL)),
    )


def ended(chance: random.Random) -> Case:
    """The whole server."""
    begin = moment(chance)
    run = {"server": chance.choice(("waitress", "cheroot")), **load(chance)}
    return Case(
        words=f"at {begin:g} s, {words_of(run)}",
        codes=frozenset({"B203"}),
        run=run,
        during=at(begin, lambda: victim().kill()),
    )


def crashing(chance: random.Random) -> Case:
    """A request of some kills the process that answers it."""
    each = chance.choice((50, 100, 200))
    run = {**served(chance, WITH_CHILDREN[:2]), "path": f"/crashing/?each={each}&ms=5"}
    run |= load(chance, open_share=0.0, users=(4, 8), think_s=(0.0,))
    codes = frozenset({"B203"})
    return Case(words=f"1 of {each}, {words_of(run)}", codes=codes, run=run)


def recycled(chance: random.Random) -> Case:
    """As it was told to: only said, and no doubt about the figures."""
    after = chance.choice((100, 300))
    run = {"server": "gunicorn-sync", "path": "/well/?ms=10", "processes": 2}
    run |= {
        "options": {"max_requests": after},
        **load(chance, open_share=0.0, users=(4,), think_s=(0.0,)),
    }
    codes = frozenset({"B203"})
    return Case(words=f"after {after}, {words_of(run)}", codes=codes, run=run)


def without_descriptors(chance: random.Random) -> Case:
    run = {"server": "few-descriptors", "path": "/slow/", **load(chance, open_share=0.0)}
    run |= {"users": 40, "think_time_s": 0.0, "drain_s": 0.5}
    return Case(words=words_of(run), codes=frozenset({"B204"}), run=run)


def leaking(chance: random.Random) -> Case:
    """Something of each request stays in memory."""
    run = {**served(chance, NEAR), "path": "/leaking/", "duration_s": 10.0}
    run = {**load(chance, open_share=0.0, users=(4,), think_s=(0.0,)), **run}
    return Case(words=words_of(run), codes=frozenset({"B217"}), run=run)


KINDS: Mapping[str, Kind] = {
    "server stopped once": stopped,
    "server stopped again and again": limited,
    "load stopped again and again": load_limited,
    "worker killed": killed,
    "server started again": started_again,
    "server killed": ended,
    "workers crash": crashing,
    "workers recycled": recycled,
    "server without descriptors": without_descriptors,
    "memory leaks": leaking,
}
