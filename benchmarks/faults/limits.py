"""More is asked than the server, its front or the load generator can do."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from benchmarks.faults.case import THREADED, Case, Kind, load, pinned, served, words_of
from benchsuite.core.results import Ceiling
from benchsuite.fronts import starting
from tests.sabotage.saboteurs import costly_certificate, load_process, prefer

ONE_THREAD = 1 / 0.0502
"""Answers a second of one thread that sleeps 50 ms for each."""


def queue_full(chance: random.Random) -> Case:
    run = {"server": "gunicorn-sync", "path": "/slow/", **load(chance, open_share=0.0)}
    run |= {"users": chance.choice((30, 40, 60)), "think_time_s": 0.0, "keep_alive": False}
    run |= {"options": {"backlog": chance.choice((1, 2, 4))}, "drain_s": 0.5}
    return Case(words=words_of(run), codes=frozenset({"B204"}), run=run)


def starving(chance: random.Random) -> Case:
    threads = chance.choice((2, 3))
    run = {"server": "connection-bound", "threads": threads, "path": "/well/?ms=5"}
    run |= load(chance, open_share=0.0, think_s=(0.0,), keep_alive=True)
    run |= {"users": threads * chance.choice((2, 5)), "drain_s": 0.1, "timeout_s": 20.0}
    codes = frozenset({"B206"})
    return Case(words=f"{threads} threads, {words_of(run)}", codes=codes, run=run)


def beyond(chance: random.Random) -> Case:
    """More arrives than can be answered."""
    share = chance.choice((1.1, 1.3, 2.0))
    run = {**_one_thread(share), "max_in_flight": 400, "timeout_s": 20.0, "drain_s": 20.0}
    codes = frozenset({"B105", "B301", "B104", "B201"})
    return Case(words=f"{share:.0%} of capacity, {words_of(run)}", codes=codes, run=run)


def near(chance: random.Random) -> Case:
    """As much arrives as can just be answered: only said."""
    share = round(chance.uniform(0.97, 0.995), 3)
    run = _one_thread(share)
    codes = frozenset({"B304", "B105", "B301"})
    return Case(words=f"{share:.1%} of capacity, {words_of(run)}", codes=codes, run=run)


def turned_away(chance: random.Random) -> Case:
    """More arrivals than may be in flight."""
    run = {**_one_thread(chance.choice((1.5, 3.0))), "max_in_flight": 1, "drain_s": 0.2}
    return Case(words=words_of(run), codes=frozenset({"B104"}), run=run)


def _one_thread(share: float) -> dict[str, Any]:
    return {
        **pinned(),
        "server": "waitress",
        "threads": 1,
        "path": "/slow/",
        "model": "open",
        "users": 1,
        "arrival_rate": round(share * ONE_THREAD, 2),
        "warmup_s": 1.0,
        "duration_s": 10.0,
    }


def ceiling(chance: random.Random) -> Case:
    """The generator is told to have made little more at its best."""
    run = {**served(chance, THREADED), "path": "/well/?ms=10"}
    run |= load(chance, open_share=0.0, users=(4,), think_s=(0.0,))
    most = Ceiling(users=4, keep_alive=bool(run["keep_alive"]), throughput=100.0)
    run |= {"ceilings": (most,)}
    return Case(words=words_of(run), codes=frozenset({"B103"}), run=run)


def burning(chance: random.Random) -> Case:
    """A journey that computes."""

    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        yield {"at_ready": lambda: prefer(load_process())}

    run = {"workload": "burning", **load(chance, open_share=0.0, users=(8,), think_s=(0.0,))}
    codes = frozenset({"B101", "B102", "B105"})
    return Case(words=words_of(run), codes=codes, run=run, during=during)


def dawdling(chance: random.Random) -> Case:
    """A journey that waits in secret."""
    run = {"workload": "dawdling", **load(chance, open_share=0.0, think_s=(0.0,))}
    return Case(words=words_of(run), codes=frozenset({"B105"}), run=run)


def few(chance: random.Random) -> Case:
    """Hardly any answers."""
    users = chance.choice((1, 2))
    run = {"path": "/slow/?ms=400", **load(chance, open_share=0.0), "users": users}
    run |= {"think_time_s": 0.0}
    return Case(words=words_of(run), codes=frozenset({"B302"}), run=run)


def front_busy(chance: random.Random) -> Case:
    """A handshake of 4096 bits for each request of a page that costs nothing."""

    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        with patch.object(starting, "make_certificate", costly_certificate):
            yield {}

    run = {**load(chance, open_share=0.0, users=(8,), think_s=(0.0,), keep_alive=False)}
    run |= {"front": "nginx", "front_options": {"tls": True}}
    return Case(words=words_of(run), codes=frozenset({"B211"}), run=run, during=during)


KINDS: Mapping[str, Kind] = {
    "full listen queue": queue_full,
    "starvation": starving,
    "beyond capacity": beyond,
    "near capacity": near,
    "arrivals not sent": turned_away,
    "ceiling of the generator": ceiling,
    "journey that computes": burning,
    "journey that waits": dawdling,
    "few answers": few,
    "front busy": front_busy,
}
