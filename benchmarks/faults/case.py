"""One run and what is wrong with it, and the findings that would say so."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from benchsuite.system import cpus
from tests.sabotage.runs import SICK, Act
from tests.sabotage.saboteurs import server_processes

WARM_UP_S, WINDOW_S = 1.0, 8.0
BEGIN_S = WARM_UP_S + 0.5
"""The first moment of the window at which something may befall it."""

THREADED = ("gunicorn-gthread", "waitress", "cheroot", "uvicorn", "tornado")
"""Servers that answer several requests at once from one process."""
NEAR = ("gunicorn-sync", *THREADED)
CONNECTED = ("gunicorn-sync", "gunicorn-gthread", "waitress", "cheroot", "uvicorn")
"""Servers whose application is told the client's port, and holds that connection."""
WRITING = ("gunicorn-sync", "gunicorn-gthread", "cheroot")
"""Servers that send each piece of an answer when they get it."""
WITH_CHILDREN = ("gunicorn-sync", "gunicorn-gthread", "uvicorn")
"""Servers with a master that replaces the processes which end."""


class NotPossible(Exception):
    """This machine, or this user, can't be sabotaged in that way."""


During = Callable[[], AbstractContextManager[Mapping[str, Any]]]
"""What is done around a run, and more that the run is told."""


@contextmanager
def nothing() -> Iterator[Mapping[str, Any]]:
    yield {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A run, broken in one way or not at all."""

    words: str
    codes: frozenset[str]
    """The findings any of which is a true sentence about it; empty where nothing is wrong."""
    is_due: bool = True
    """Whether one of them must be found. Below the documented threshold it may be."""
    run: Mapping[str, Any]
    """As `Laboratory.run` takes it."""
    during: During = nothing
    settings: str = SICK
    kind: str = ""
    number: int = 0


Kind = Callable[[random.Random], Case]
"""Draws how much, when and of which server."""


def pinned() -> Mapping[str, Any]:
    """CPUs for the server and for the load, as `runbench` gives them."""
    apart = cpus.split(cpus.available(), 1)
    return {} if apart is None else {"on_cpus": apart[0], "cpus": apart[1]}


def served(chance: random.Random, servers: Sequence[str]) -> dict[str, Any]:
    """One of these, with room for a few requests at once."""
    server = chance.choice(servers)
    return {"server": server, **({"processes": 4} if server == "gunicorn-sync" else {})}


def load(
    chance: random.Random,
    *,
    open_share: float = 0.4,
    users: tuple[int, ...] = (2, 4, 8),
    think_s: tuple[float, ...] = (0.0, 0.0, 0.1),
    keep_alive: bool | None = None,
) -> dict[str, Any]:
    """Users or arrivals, on kept connections or not."""
    told: dict[str, Any] = {
        **pinned(),
        "warmup_s": WARM_UP_S,
        "duration_s": WINDOW_S,
        "timeout_s": 5.0,
        "keep_alive": chance.random() < 0.6 if keep_alive is None else keep_alive,
    }
    if chance.random() < open_share:
        return {**told, "model": "open", "users": 1, "arrival_rate": chance.choice((30.0, 50.0))}
    return {**told, "users": chance.choice(users), "think_time_s": chance.choice(think_s)}


def words_of(run: Mapping[str, Any]) -> str:
    """Server and load of a run in a few words."""
    rate = run.get("arrival_rate")
    who = f"{rate:g}/s" if rate else f"{run['users']} users"
    think = run.get("think_time_s")
    kept = "kept" if run.get("keep_alive", True) else "closed"
    thinking = f" thinking {think:g} s" if think else ""
    return f"{run.get('server', 'gunicorn-gthread')}, {who}{thinking}, connections {kept}"


def moment(chance: random.Random, *, before_end_s: float = 1.0) -> float:
    """Some second of the load that lies in its window."""
    return round(chance.uniform(BEGIN_S, WARM_UP_S + WINDOW_S - before_end_s), 2)


def at(second: float, act: Act) -> During:
    """Acts once, in that second of the load."""

    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        yield {"at_second": {second: act}}

    return during


def victim() -> Any:
    """A process of the server that no other one stands for."""
    return server_processes()[-1]
