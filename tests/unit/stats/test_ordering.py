"""Publications that came after later ones, whoever published them."""

import numpy as np

from benchsuite.stats.messages import overtaken
from tests.unit.stats.test_fanout import samples

EVERY_S, USUAL_S = 0.025, 0.004


def published(*publishers: int) -> np.ndarray:
    """One each 25 ms, sent at once."""
    moments = [number * EVERY_S for number in range(len(publishers))]
    return samples(*((who, at, at, at) for who, at in zip(publishers, moments, strict=True)))


def delivered(sent: np.ndarray, **late_s: dict[int, float]) -> np.ndarray:
    """To subscribers 0 and 1, in 4 ms; by subscriber, what came so much later."""
    return samples(
        *(
            (user, at, at, at + USUAL_S + late_s.get(f"user{user}", {}).get(number, 0.0))
            for number, at in enumerate(sent["start"])
            for user in (0, 1)
        )
    )


def found(sent: np.ndarray, got: np.ndarray) -> list[tuple[int, int]]:
    """(subscriber, number)."""
    marked = got[overtaken(sent, got)]
    return [(int(one["user"]), round(float(one["start"]) / EVERY_S)) for one in marked]


def test_values(golden):
    golden.values()
