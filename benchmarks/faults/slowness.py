"""Pages that are slow in time, for some, or for no reason of their own."""

import random
from collections.abc import Mapping

from benchmarks.faults.case import (
    NEAR,
    THREADED,
    WARM_UP_S,
    WINDOW_S,
    Case,
    Kind,
    load,
    served,
    words_of,
)

UNSTEADY = frozenset({"B301"})
CYCLES_S = 16.0
"""A cycle is told when it has come three times."""
POOLED = ("gunicorn-gthread", "waitress", "cheroot")
STEP_S = 14.0
"""A small step is told where enough seconds lie on either side of it."""


def drifting(chance: random.Random) -> Case:
    """Slower with each second; due where it is well above the threshold of 5 % over the window."""
    percent = chance.choice((0.2, 1.5, 3.0, 6.0))
    run = {**served(chance, NEAR), "path": f"/drifting/?ms=20&percent={percent}"}
    run |= load(chance)
    return Case(
        words=f"{percent:g} % a second, {words_of(run)}",
        codes=UNSTEADY,
        is_due=percent * WINDOW_S > 10,
        run=run,
    )


def stepping(chance: random.Random) -> Case:
    """Slower from a moment in the middle of the window on."""
    percent = chance.choice((2, 20, 60, 150))
    moment = round(WARM_UP_S + STEP_S * chance.uniform(0.47, 0.57), 1)
    run = {**served(chance, NEAR), **load(chance)}
    run |= {"path": f"/stepping/?ms=20&percent={percent}&at={moment}", "duration_s": STEP_S}
    return Case(
        words=f"{percent} % at {moment:g} s, {words_of(run)}",
        codes=UNSTEADY,
        is_due=percent >= 20,
        run=run,
    )


def sawing(chance: random.Random) -> Case:
    """Slower and slower, and fast again."""
    percent, period = chance.choice((3, 30, 60, 100)), chance.choice((3.0, 4.0, 5.0))
    run = {**served(chance, NEAR), **load(chance)}
    run |= {"path": f"/sawing/?ms=20&percent={percent}&period={period}", "duration_s": CYCLES_S}
    return Case(
        words=f"{percent} % each {period:g} s, {words_of(run)}",
        codes=UNSTEADY,
        is_due=percent >= 30,
        run=run,
    )


def unfair(chance: random.Random) -> Case:
    """Slow for some connections, and always for the same; nobody waits for a thread meanwhile."""
    each, late_s = chance.choice((3, 4)), chance.choice((0.02, 0.2, 0.5))
    path = f"/unfair/?each={each}&ms=5&late_s={late_s:g}"
    run = {"server": chance.choice(POOLED), "path": path, "threads": 16}
    run |= load(chance, open_share=0.0, users=(8, 12), think_s=(0.0,), keep_alive=True)
    codes = frozenset({"B106", "B206"})
    return Case(
        words=f"1 of {each} connections by {late_s:g} s, {words_of(run)}",
        codes=codes,
        is_due=late_s >= 0.2,  # with less, the load's own figures show as much of it
        run=run,
    )


def favouring(chance: random.Random) -> Case:
    """Slow for all but the load."""
    run = {**served(chance, THREADED), "path": "/favouring/"}
    run |= load(chance, open_share=0.0, users=(16, 30), think_s=(0.1,))
    return Case(words=words_of(run), codes=frozenset({"B106"}), run=run)


def waiting(chance: random.Random) -> Case:
    """An answer in two pieces, of which the second waits for an acknowledgement."""
    run = {"server": "uwsgi", "path": "/two-pieces/"}
    run |= load(chance, open_share=0.3, think_s=(0.0,), keep_alive=True)
    return Case(words=words_of(run), codes=frozenset({"B205"}), run=run)


KINDS: Mapping[str, Kind] = {
    "slow drift": drifting,
    "step": stepping,
    "sawtooth": sawing,
    "slow for some connections": unfair,
    "slow for others": favouring,
    "Nagle's algorithm": waiting,
}
