"""Rounds of three ways to ask: which pages wait for acknowledgements, and which only take long."""

import random
from collections.abc import Callable

import pytest

from benchsuite.core.samples import Round, Stall
from benchsuite.telemetry.prober.probes import FEWEST_ROUNDS, MOST_ROUNDS

Draw = Callable[[random.Random], float]

TRIALS = 2_000


def constant(draw: random.Random) -> float:
    return 0.002


def branch(draw: random.Random) -> float:
    """Every second request takes another way."""
    return draw.choice((0.002, 0.043))


def seldom(draw: random.Random) -> float:
    return 0.043 if draw.random() < 0.3 else 0.002


def broad(draw: random.Random) -> float:
    """p50 52 ms, p95 88 ms."""
    return max(0.005, draw.gauss(0.052, 0.022))


def heavy(draw: random.Random) -> float:
    return draw.expovariate(1 / 0.04)


def shown(page: Draw, waits_s: float, draw: random.Random, *, share: float = 1.0) -> bool:
    """Asked as `acknowledging.stall` asks; `share` of the answers are written in two pieces."""
    found = Stall()
    while len(found.rounds) < MOST_ROUNDS and not found.is_shown:
        if len(found.rounds) >= FEWEST_ROUNDS and not found.later:
            break
        waited_s = waits_s if draw.random() < share else 0.0
        made = Round(page(draw) + 0.001, page(draw) + waited_s, page(draw))
        found = Stall((*found.rounds, made))
    return found.is_shown


@pytest.mark.parametrize("page", [constant, branch, seldom, broad, heavy])
def test_a_page_that_takes_long_by_itself_is_not_accused(page: Draw) -> None:
    draw = random.Random(1)
    accused = sum(shown(page, 0.0, draw) for _ in range(TRIALS))
    assert accused / TRIALS <= 0.003


@pytest.mark.parametrize(
    ("page", "waits_s", "share", "found"),
    [
        (constant, 0.0415, 1.0, 1.0),
        (constant, 0.205, 1.0, 1.0),
        (lambda draw: 0.030, 0.0415, 1.0, 1.0),
        (lambda draw: draw.gauss(0.03, 0.005), 0.0415, 1.0, 0.99),
        (constant, 0.0415, 0.8, 0.95),
    ],
)
def test_a_page_that_waits_is_found(page: Draw, waits_s: float, share: float, found: float) -> None:
    draw = random.Random(1)
    seen = sum(shown(page, waits_s, draw, share=share) for _ in range(TRIALS))
    assert seen / TRIALS >= found


def test_too_few_rounds_show_nothing() -> None:
    stalled = Round(0.003, 0.044, 0.002)
    assert not Stall().is_shown
    assert not Stall((stalled,) * 9).is_shown
    assert Stall((stalled,) * 10).is_shown
    assert not Stall((stalled,) * 10 + (Round(0.003, 0.002, 0.044),)).is_shown


def test_a_new_connection_must_be_fast_too() -> None:
    """Else it is the kept connections that wait, for whatever reason, and not for us."""
    assert not Stall((Round(0.044, 0.044, 0.002),) * MOST_ROUNDS).is_shown
