"""Rounds of three ways to ask: which pages wait for acknowledgements, and which only take long."""

import random
from collections.abc import Callable

from benchsuite.core.samples import Round, Stall
from benchsuite.telemetry.prober.probes import FEWEST_ROUNDS, MOST_ROUNDS

Draw = Callable[[random.Random], float]

TRIALS = 2_000


def constant(draw):
    return 0.002


def branch(draw):
    """Every second request takes another way."""
    return draw.choice((0.002, 0.043))


def seldom(draw):
    return 0.043 if draw.random() < 0.3 else 0.002


def broad(draw):
    """p50 52 ms, p95 88 ms."""
    return max(0.005, draw.gauss(0.052, 0.022))


def heavy(draw):
    return draw.expovariate(1 / 0.04)


def shown(page, waits_s, draw, *, share=1.0):
    """Asked as `acknowledging.stall` asks; `share` of the answers are written in two pieces."""
    found = Stall()
    while len(found.rounds) < MOST_ROUNDS and not found.is_shown:
        if len(found.rounds) >= FEWEST_ROUNDS and not found.later:
            break
        waited_s = waits_s if draw.random() < share else 0.0
        made = Round(page(draw) + 0.001, page(draw) + waited_s, page(draw))
        found = Stall((*found.rounds, made))
    return found.is_shown


def test_values(golden):
    golden.values()
