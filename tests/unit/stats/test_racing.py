"""Who is given up in a race: those far behind, and hardly ever one who is as good."""

import random

from benchsuite.stats.ranks import FIRST_LOOK, given_up

LOOKS = 4


def blocks(
    behind: float, count: int, seed: int = 0, spread: float = 0.04
) -> dict[str, list[float]]:
    chance = random.Random(seed)
    return {
        "a": [chance.gauss(0.0, spread) for _ in range(count)],
        "b": [chance.gauss(-behind, spread) for _ in range(count)],
    }


def test_nobody_is_given_up_before_the_first_look() -> None:
    assert given_up(blocks(0.5, FIRST_LOOK - 1), looks=LOOKS) == {}


def test_one_that_is_far_behind_is_given_up_with_its_difference() -> None:
    out = given_up(blocks(0.30, 5), looks=LOOKS)
    assert set(out) == {"b"}
    assert -0.36 < out["b"] < -0.24


def test_one_that_is_as_good_is_given_up_in_at_most_one_race_of_twenty() -> None:
    lost = 0
    for seed in range(300):
        whole = blocks(0.0, 6, seed)
        for count in range(FIRST_LOOK, 7):
            if given_up({name: seen[:count] for name, seen in whole.items()}, looks=LOOKS):
                lost += 1
                break
    assert lost <= 15


def test_a_difference_that_nobody_would_act_on_gives_up_nobody() -> None:
    close = {"a": [0.0, 0.0001, 0.0, 0.0001], "b": [-0.02, -0.0201, -0.02, -0.0201]}
    assert given_up(close, looks=LOOKS) == {}


def test_a_few_blocks_that_agree_by_chance_are_not_taken_for_certainty() -> None:
    alike = {"a": [0.0, 0.0, 0.0], "b": [-0.06, -0.06, -0.06]}
    assert given_up(alike, looks=LOOKS) == {}
