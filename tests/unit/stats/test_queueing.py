"""What requests met, from moments that are known."""

import numpy as np
import pytest

from benchsuite.stats import summary
from benchsuite.stats.signs import Traffic


def traffic(*spans: tuple[float, float]) -> Traffic:
    samples = np.zeros(len(spans), dtype=summary.DTYPE)
    samples["start"], samples["finish"] = zip(*spans, strict=True)
    return Traffic.of(samples)


LINE = traffic((2.0, 5.0), (0.0, 2.0), (1.0, 4.0))  # two of 2 s and one of 1 s, one after another


@pytest.mark.parametrize(
    ("moment", "backlog_s", "expected_s", "before_s"),
    [
        (-5.0, 0.0, 0.5, -np.inf),  # nobody is there, and nobody comes
        (-0.2, 0.0, 2.2, -np.inf),  # the next one is answered at 2
        (0.5, 1.5, 3.5, 1.5),
        (1.5, 2.5, 3.5, 2.5),
        (4.5, 0.5, 1.0, 0.5),  # the backlog, and its own half a second
        (9.0, 0.0, 0.5, -4.0),
    ],
)
def test_what_a_moment_meets(
    moment: float, backlog_s: float, expected_s: float, before_s: float
) -> None:
    moments = np.array([moment])
    assert LINE.backlog_s(moments) == pytest.approx([backlog_s])
    assert LINE.expected_s(moments, 0.5) == pytest.approx([expected_s])
    assert LINE.before_s(moments) == pytest.approx([before_s])


def test_own_times_are_those_without_the_backlog() -> None:
    line = traffic(*((at * 1.0, 3.0 * at + 3) for at in range(100)))
    assert line.own_times_s((10.0, 60.0)) == pytest.approx((3.0, 3.0))
    assert line.own_times_s((200.0, 300.0)) == (0.0, 0.0)


def test_own_times_are_an_interval_of_the_median() -> None:
    times = np.linspace(0.1, 0.5, 99)
    seen = traffic(*((at, at + time) for at, time in enumerate(times)))
    low, high = seen.own_times_s((0.0, 99.0))
    assert low < 0.3 < high
    assert high - 0.3 == pytest.approx(0.3 - low)
    assert seen.own_times_s((99.0, 100.0)) == (0.0, 0.0)


def test_how_many_are_answered_and_what_they_take() -> None:
    assert LINE.answered(np.array([0.0, 3.0, 6.0])).tolist() == [1, 2]
    assert LINE.taken_s(np.array([0.0, 1.5, 6.0]), 1) == pytest.approx([1.5, 3.5])
    assert LINE.taken_s(np.array([0.0, 1.5, 6.0]), 2) == pytest.approx([2.0, 6.0])
