"""WebSockets whose messages or connections go wrong."""

import random
from collections.abc import Mapping

from benchmarks.faults.answers import EACH, FAILED
from benchmarks.faults.case import Case, Kind, load, served, words_of

SERVERS = ("uvicorn", "hypercorn", "daphne")


def share(page: str, codes: frozenset[str]) -> Kind:
    """One message of some is treated as the page says."""

    def draw(chance: random.Random) -> Case:
        each = chance.choice(EACH)
        run = {**served(chance, SERVERS), **load(chance, users=(4, 8), think_s=(0.02,))}
        run |= {"workload": "ws_echo", "asked": {"path": f"/{page}/?each={each}"}}
        run |= {"timeout_s": 1.0, "keep_alive": True}
        return Case(words=f"1 of {each}, {words_of(run)}", codes=codes, run=run)

    return draw


def hoarding(chance: random.Random) -> Case:
    """Much memory with one connection: what one costs can't be told."""
    run = {**served(chance, SERVERS), **load(chance, open_share=0.0, keep_alive=True), "users": 40}
    run |= {"workload": "ws_idle", "asked": {"path": "/hoarding/"}, "think_time_s": 0.0}
    run |= {"stages": (10.0, 20.0, 30.0, 40.0), "warmup_s": 0.5, "duration_s": 1.5}
    return Case(words=words_of(run), codes=frozenset({"B303"}), run=run)


def crowded(chance: random.Random) -> Case:
    """The consumers send through a channel that nobody reads, until it is full."""
    run = {**load(chance, open_share=0.0, users=(4,), think_s=(0.02,), keep_alive=True)}
    run |= {"server": "uvicorn", "workload": "ws_echo", "asked": {"path": "/crowded/"}}
    return Case(words=words_of(run), codes=frozenset({"B207"}), run=run)


def keeping(chance: random.Random) -> Case:
    """Something is kept of each connection that is closed again."""
    run = {**load(chance, open_share=0.0, users=(4, 8), think_s=(0.02,), keep_alive=True)}
    run |= {"server": "uvicorn", "workload": "ws_connect", "asked": {"path": "/keeping/"}}
    run |= {"duration_s": 6.0}
    return Case(words=words_of(run), codes=frozenset({"B215"}), run=run)


def shut_out(chance: random.Random) -> Case:
    """After all connections were cut, nobody is let in again."""
    run = {**load(chance, open_share=0.0, users=(4,), think_s=(0.02,), keep_alive=True)}
    run |= {"server": "uvicorn", "workload": "ws_reconnect", "asked": {"path": "/closed-shop/"}}
    run |= {"duration_s": 4.0, "think_time_s": 0.0}
    return Case(words=words_of(run), codes=frozenset({"B216", "B210", "B201"}), run=run)


KINDS: Mapping[str, Kind] = {
    "memory kept of connections": keeping,
    "nobody let in again": shut_out,
    "message sent twice": share("copying", frozenset({"B209"})),
    "message swallowed": share("swallowing", FAILED),
    "WebSocket closed": share("closing", FAILED | {"B210"}),
    "channel layer full": crowded,
    "memory taken at once": hoarding,
}
