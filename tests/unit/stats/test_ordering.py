"""Publications that came after later ones, whoever published them."""

import numpy as np

from benchsuite.stats.broadcasts import overtaken
from tests.unit.stats.test_fanout import samples

EVERY_S, USUAL_S = 0.025, 0.004


def published(*publishers: int) -> np.ndarray:
    """One each 25 ms, sent at once."""
    moments = [number * EVERY_S for number in range(len(publishers))]
    return samples(
        *((who, at, at, at) for who, at in zip(publishers, moments, strict=True)),
    )


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


def test_in_order_nothing_is_overtaken() -> None:
    sent = published(0, 1, 2, 0, 1, 2)
    assert found(sent, delivered(sent)) == []


def test_one_of_another_publisher_that_came_later_to_one_or_to_all() -> None:
    sent = published(0, 1, 2, 0, 1, 2)
    assert found(sent, delivered(sent, user1={1: 0.03})) == [(1, 1)]
    late = {1: 0.03}
    assert found(sent, delivered(sent, user0=late, user1=late)) == [(0, 1), (1, 1)]


def test_all_late_alike_is_slow_but_in_order() -> None:
    sent = published(0, 1, 2, 3)
    late = dict.fromkeys(range(4), 0.5)
    assert found(sent, delivered(sent, user0=late, user1=late)) == []


def test_two_at_nearly_the_same_time_may_change_places() -> None:
    sent = samples((0, 1.0, 1.0, 1.0), (1, 1.002, 1.002, 1.002))
    got = samples((0, 1.0, 1.0, 1.0060), (0, 1.002, 1.002, 1.0059))
    assert not overtaken(sent, got).any()


def test_one_publishers_own_may_not() -> None:
    sent = samples((0, 1.0, 1.0, 1.0), (0, 1.002, 1.002, 1.002))
    got = samples((3, 1.0, 1.0, 1.0060), (3, 1.002, 1.002, 1.0059))
    assert list(overtaken(sent, got)) == [True, False]


def test_what_somebody_had_before_the_other_was_sent_may_not() -> None:
    sent = samples((0, 1.0, 1.0, 1.0), (1, 1.003, 1.003, 1.003))
    mine = samples((0, 1.0, 1.0, 1.002), (0, 1.003, 1.003, 1.005))
    theirs = samples((7, 1.003, 1.003, 1.005), (7, 1.0, 1.0, 1.006))
    got = np.concatenate([mine, theirs])
    assert list(overtaken(sent, got)) == [False, False, False, True]


def test_what_arrived_with_the_same_bytes_keeps_its_place() -> None:
    sent = published(0, 0, 0)
    got = samples(*((0, at, at, 9.0) for at in sent["start"]))
    assert not overtaken(sent, got).any()
    assert list(overtaken(sent, got[::-1])) == [False, True, True]


def test_nothing_is_in_order() -> None:
    none = samples()
    assert not len(overtaken(none, none))
