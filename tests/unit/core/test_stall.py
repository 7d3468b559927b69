"""Rounds of three ways to ask: which pages wait for acknowledgements, and which only take long."""

import random

from benchsuite.core.samples import Round, Stall
from benchsuite.telemetry.prober.probes import FEWEST_ROUNDS, MOST_ROUNDS

TRIALS = 2_000


def shown(page, waits_s, *, share=1.0):
    """How often, when asked as `acknowledging.stall` asks; `share` of the answers are written in
    two pieces.
    """
    draw = random.Random(1)
    return sum(is_shown(page, waits_s, draw, share) for _ in range(TRIALS)) / TRIALS


def is_shown(page, waits_s, draw, share):
    stall = Stall()
    while len(stall.rounds) < MOST_ROUNDS and not stall.is_shown:
        if len(stall.rounds) >= FEWEST_ROUNDS and not stall.later:
            break
        waited_s = waits_s if draw.random() < share else 0.0
        made = Round(page(draw) + 0.001, page(draw) + waited_s, page(draw))
        stall = Stall((*stall.rounds, made))
    return stall.is_shown


def test_values(golden):
    golden.values()
