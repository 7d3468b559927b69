"""Runs with which nothing is wrong, though some look like it."""

import random
from collections.abc import Mapping, Sequence

from benchmarks.faults.case import NEAR, THREADED, Case, Kind, load, served, words_of


def page(path: str, servers: Sequence[str]) -> Kind:
    def draw(chance: random.Random) -> Case:
        run = {**served(chance, servers), "path": path, **load(chance)}
        return _clean(run)

    return draw


def thinking(chance: random.Random) -> Case:
    run = {"server": "gunicorn-gthread", "path": "/slow/?ms=150", "threads": 20}
    return _clean(run | load(chance, open_share=0.0, users=(20, 40), think_s=(0.5, 1.0)))


def messages(chance: random.Random) -> Case:
    run = {"server": "uvicorn", "workload": "ws_echo", "asked": {"path": "/well/"}}
    return _clean(run | load(chance, users=(4, 8), think_s=(0.02,), keep_alive=True))


def front(chance: random.Random) -> Case:
    run = {**served(chance, THREADED), "path": "/well/?ms=10", "front": "nginx"}
    return _clean(run | load(chance))


def _clean(run: Mapping[str, object]) -> Case:
    return Case(words=words_of(run), codes=frozenset(), is_due=False, run=run)


KINDS: Mapping[str, Kind] = {
    "clean, a fast page": page("/well/", NEAR),
    "clean, a page that costs nothing": page("/well/?ms=0", THREADED),
    "clean, a page of 20 ms": page("/slow/?ms=20", NEAR),
    "clean, a branch of 43 ms": page("/branching/", THREADED),
    "clean, any time up to 100 ms": page("/broad/", THREADED),
    "clean, users who think": thinking,
    "clean, WebSockets": messages,
    "clean, behind nginx": front,
}
