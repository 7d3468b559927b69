"""How often the prober asks, and for how long it waits."""

from typing import Any

import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.telemetry.prober.program import AT_ONCE, Pacing


def paced(rate: float, p50_s: float = 0.01, seconds: int = 3, **load: Any) -> Pacing:
    """After so many seconds at this rate."""
    pacing = Pacing(LoadProfile(**load))
    for second in range(1, seconds + 1):
        pacing.told(float(second), int(rate * second), p50_s)
    return pacing


@pytest.mark.parametrize(
    ("rate", "duration_s", "pause_s"),
    [
        (5000, 10.0, 0.2),  # five times a second is enough
        (5000, 2.0, 0.05),  # but it must be forty times in a window
        (5000, 60.0, 0.2),
        (200, 60.0, 0.5),  # one in a hundred
        (200, 10.0, 0.25),
        (20, 10.0, 1.0),  # and one in twenty at most, whatever comes of it
        (200, 1.0, 0.1),
    ],
)
def test_of_what_is_asked_the_prober_asks_a_hundredth_or_what_is_needed(
    rate: float, duration_s: float, pause_s: float
) -> None:
    assert paced(rate, duration_s=duration_s).pace.pause_s == pytest.approx(pause_s)


@pytest.mark.parametrize(
    ("p50_s", "patience_s"), [(0.01, 1.0), (0.2, 6.0), (0.5, 15.0), (7.0, 30.0)]
)
def test_patience_goes_with_the_loads_times(p50_s: float, patience_s: float) -> None:
    pace = paced(100, p50_s).pace
    assert (pace.patience_s, pace.at_once) == (pytest.approx(patience_s), AT_ONCE)


def test_before_the_load_is_answered_one_probe_waits_and_all_its_time() -> None:
    pace = Pacing(LoadProfile(timeout_s=17.0)).pace
    assert (pace.at_once, pace.patience_s) == (1, 17.0)
    pacing = paced(100, seconds=1)
    pacing.told(2.0, 100, None)
    assert pacing.pace.at_once == AT_ONCE, "a second without an answer changes nothing"


def test_arrivals_have_a_rate_before_the_first_answer() -> None:
    load = LoadProfile(model="open", arrival_rate=100.0, stages=(20.0, 100.0), duration_s=10.0)
    assert Pacing(load).pace.pause_s == pytest.approx(1.0)


def test_it_follows_the_stages_of_a_load() -> None:
    pacing = paced(1000, seconds=10)
    assert pacing.pace.pause_s == pytest.approx(0.2)
    for second in range(11, 16):
        pacing.told(float(second), 10_000 + 20 * (second - 10), 0.01)
    assert pacing.pace.pause_s == pytest.approx(1.0)


def test_a_burst_of_slow_answers_is_no_rate() -> None:
    """Four users, three seconds an answer: they come four at a time."""
    pacing = Pacing(LoadProfile(users=4, duration_s=10.0))
    pauses = []
    for second in range(1, 13):
        pacing.told(float(second), second // 3 * 4, 3.0 if second % 3 == 0 else None)
        pauses.append(pacing.pace.pause_s)
    assert min(pauses[6:]) > 8.0
