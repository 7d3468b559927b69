"""Who is given up in a race: those far behind, and hardly ever one who is as good."""

import random

from benchsuite.stats.ranks import FIRST_LOOK, given_up
from tests.golden import Golden

LOOKS = 4


def blocks(
    behind: float, count: int, seed: int = 0, spread: float = 0.04
) -> dict[str, list[float]]:
    chance = random.Random(seed)
    return {
        "a": [chance.gauss(0.0, spread) for _ in range(count)],
        "b": [chance.gauss(-behind, spread) for _ in range(count)],
    }


def test_one_that_is_as_good_is_given_up_in_at_most_one_race_of_twenty() -> None:
    lost = 0
    for seed in range(300):
        whole = blocks(0.0, 6, seed)
        for count in range(FIRST_LOOK, 7):
            if given_up({name: seen[:count] for name, seen in whole.items()}, looks=LOOKS):
                lost += 1
                break
    assert lost <= 15


def test_values(golden: Golden) -> None:
    golden.values()
