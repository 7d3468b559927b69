"""Asks a page with its pieces acknowledged late and at once: does it wait for that?

This is done when the load has ended, by a few requests one after the other, and only where the
load's times give reason to: it costs the run nothing.
"""

from collections.abc import Mapping
from contextlib import closing
from time import monotonic

from benchsuite.core.stall import Round, Stall
from benchsuite.findings.target import FEWEST_ROUNDS
from benchsuite.telemetry.prober.client import RIGHT, Client

KEPT = 4
"""Requests on a connection until its acknowledgements are delayed: Linux wants to have seen one to
three that were answered at once (TCP_PINGPONG_THRESH)."""

MOST_ROUNDS = 20

LIMIT_S = 10.0  #: For all rounds; those of a page that waits take 0.2 s each.


def stall(request: Mapping[str, object]) -> Stall:
    """Rounds until it is clear; fewer than four when the page was not answered, or too slow."""
    limit = monotonic() + LIMIT_S
    found = Stall()
    while len(found.rounds) < MOST_ROUNDS and monotonic() < limit and not found.is_shown:
        if len(found.rounds) >= FEWEST_ROUNDS and not found.later:
            break
        made = _round(request, limit)
        if made is None:
            break
        found = Stall((*found.rounds, made))
    return found


def _round(request: Mapping[str, object], limit: float) -> Round | None:
    """None when one of its requests failed, or was not answered by then."""
    times = []
    with closing(Client({**request, "timeout_s": LIMIT_S})) as client:
        for prompt in (*[False] * (1 + KEPT), True):
            time = _asked(client, prompt=prompt)
            if time is None or monotonic() > limit:
                return None
            times.append(time)
    return Round(times[0], times[-2], times[-1])


def _asked(client: Client, *, prompt: bool) -> float | None:
    begin = monotonic()
    outcome = client.ask(prompt=prompt)
    return monotonic() - begin if outcome == RIGHT else None
