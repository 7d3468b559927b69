"""The machine, or the settings of the project, get in the way."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.faults.case import (
    NEAR,
    THREADED,
    Case,
    Kind,
    NotPossible,
    load,
    moment,
    pinned,
    served,
    words_of,
)
from tests.sabotage.groups import limited
from tests.sabotage.saboteurs import clock_set, neighbours, server_processes


def hog(whose: str) -> Kind:
    """Another program computes on the CPUs of the server or of the load."""

    def draw(chance: random.Random) -> Case:
        run = {**served(chance, NEAR), **load(chance)}
        cpus = pinned().get(whose, ())

        @contextmanager
        def during() -> Iterator[Mapping[str, Any]]:
            with neighbours(cpus):
                yield {}

        codes = frozenset({"B401", "B102"})
        return Case(words=words_of(run), codes=codes, run=run, during=during)

    return draw


def throttled(chance: random.Random) -> Case:
    """The server's processes are in a control group that gets a part of a CPU."""
    percent = chance.choice((10, 20, 30))

    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        with limited(percent) as join:
            if join is None:
                raise NotPossible("no control group with a limit can be made")
            yield {"at_ready": lambda: join(*(one.pid for one in server_processes()))}

    run = {**served(chance, NEAR), "path": "/well/?ms=0"}
    run |= load(chance, open_share=0.0, users=(8,), think_s=(0.0,))
    return Case(
        words=f"{percent} %, {words_of(run)}", codes=frozenset({"B401"}), run=run, during=during
    )


def careless(chance: random.Random) -> Case:
    """DEBUG and SQL logging: runs switch both off, so it is only said."""
    run = {"path": "/well/", **load(chance)}
    codes = frozenset({"B501"})
    return Case(words=words_of(run), codes=codes, run=run, settings="benchmarks.faults.left_on")


def debugging(chance: random.Random) -> Case:
    """Each SQL statement is kept and logged though DEBUG is off."""
    run = {**served(chance, THREADED), "path": "/querying/?debug=1&ms=5", **load(chance)}
    return Case(words=words_of(run), codes=frozenset({"B501"}), run=run)


def clock_stepping(chance: random.Random) -> Case:
    """The wall clock is set, forward or back."""
    step_s, begin = chance.choice((-3600.0, -0.2, 0.02, 0.2, 30.0)), moment(chance)

    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        with clock_set(step_s) as act:
            yield {"at_second": {begin: act}}

    run = {**served(chance, NEAR), **load(chance)}
    return Case(
        words=f"by {step_s:g} s, {words_of(run)}",
        codes=frozenset({"B402"}),
        is_due=abs(step_s) > 0.1,
        run=run,
        during=during,
    )


KINDS: Mapping[str, Kind] = {
    "hog on the server's CPU": hog("on_cpus"),
    "hog on the load's CPU": hog("cpus"),
    "server throttled by its control group": throttled,
    "wall clock set": clock_stepping,
    "DEBUG and SQL logging": careless,
    "force_debug_cursor": debugging,
}
