"""Simulated queues: sound ones are not accused, and the others are."""

import random
from collections import Counter

from benchmarks.sound.queues import Server, drawn, evidence
from benchsuite import findings
from benchsuite.core.results import Level

SOUND = 150


def levels(server, draw):
    return {one.code[:4]: one.level for one in findings.assess(evidence(server, draw))}


def test_sound_runs_are_not_invalid_and_seldom_weak():
    """Of all utilisations up to 95 %; few samples (B302) are few in a sound run, too."""
    counted: Counter[tuple[str, Level]] = Counter()
    for seed in range(SOUND):
        draw = random.Random(seed)
        counted.update(levels(drawn(draw), draw).items())
    weighing = {key: count for key, count in counted.items() if key[1] is not Level.INFO}
    weighing.pop(("B302", Level.WEAK), 0)
    assert not [key for key in weighing if key[1] is Level.INVALID or key[0] == "B106"], weighing
    assert sum(weighing.values()) <= 0.05 * SOUND, weighing


def test_a_prober_between_arrivals_that_never_meet_is_no_doubt():
    """It meets one of them nearly each time, and both share the CPU."""
    server = Server(service_s=0.01, rate=95.0, poisson=False, shares=True)
    found = [levels(server, random.Random(seed)).get("B106") for seed in range(20)]
    assert set(found) == {None}


def is_told(number, **changes):
    """By nine of ten runs at least."""
    server = Server(**changes)
    told = [levels(server, random.Random(seed)).get(number) for seed in range(10)]
    return sum(level in (Level.WEAK, Level.INVALID) for level in told) >= 9


def test_values(golden):
    golden.values()
