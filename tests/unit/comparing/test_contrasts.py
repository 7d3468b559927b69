"""What is said about candidates against a baseline."""

from datetime import timedelta

import pytest

from benchsuite.comparing.contrasts import Contrast, contrasts, few, metric, notes, standing
from benchsuite.core.exceptions import UsageError
from tests.factories import BEGUN
from tests.starts import FAST, OTHER_BATCH, SLOW, found_out, side


def one(first: list[float], second: list[float], name: str = "goodput") -> Contrast:
    (found,) = contrasts([(side("gunicorn", first), side("granian", second))], [metric(name)])
    return found


def test_a_difference_in_a_sentence() -> None:
    found = one([*SLOW], [*FAST])
    assert found.sentence.startswith("granian / gunicorn goodput 1.30 [1.2")
    assert found.sentence.endswith("], p = 0.008.")
    assert found.is_better is True


def test_the_same_difference_of_times_is_better_where_less_is() -> None:
    found = one([*SLOW], [*FAST], "p95")
    assert found.value_text == "0.77"
    assert found.is_better is True
    assert one([*FAST], [*SLOW], "p95").is_better is False


def test_no_difference_says_what_would_have_been_seen() -> None:
    found = one([*SLOW], [601.0, 605.0, 595.0, 610.0, 590.0])
    assert found.sentence.endswith(", p = 1.00: no difference shown; ≥ 3.9 % would have been.")
    assert found.is_better is None


def test_too_few_starts_say_how_many_would_do() -> None:
    found = one([*SLOW[:3]], [*FAST[:3]])
    assert found.sentence == "granian / gunicorn goodput 1.31: too few runs."
    assert few([found], more=True) == "3 runs against 3 prove nothing; 5 of each would."


def test_a_side_without_the_figure() -> None:
    (found,) = contrasts(
        [(side("a", SLOW), side("b", FAST, columns={"p99_s": None}))], [metric("p99")]
    )
    assert found.sentence == (
        "b / a p99 —: b has no run with this figure; p99 needs 368 right answers in the window: "
        "give runbench a longer --duration or more load."
    )


def test_starts_all_alike() -> None:
    found = one([*SLOW], [*SLOW], "memory")
    assert found.sentence == (
        "granian / gunicorn memory 1.00 [1.00, 1.00], p = 1.00: no difference: all runs alike."
    )


def test_zero_has_no_ratio() -> None:
    (found,) = contrasts(
        [(side("a", SLOW, columns={"cpu_percent": 0.0}), side("b", SLOW))], [metric("cpu")]
    )
    assert found.sentence == "b / a cpu —, p = 0.008: a figure is 0, so there is no ratio."


def test_failures_are_compared_by_difference() -> None:
    (found,) = contrasts(
        [(side("a", SLOW), side("b", SLOW, columns={"failures": 60}))], [metric("failures")]
    )
    assert found.sentence == "b − a failures +1.00 points [+1.00, +1.00], p = 0.008."
    assert found.is_better is False
    assert found.change_percent(found.found.value) == pytest.approx(1.0)


def test_a_small_difference_is_not_rounded_away() -> None:
    alike = [600.0, 600.1, 599.9, 600.2, 599.8]
    found = one(alike, [value * 1.004 for value in alike])
    assert not found.is_shown
    assert found.value_text == "1.0040"
    assert found.interval_text.startswith("[1.003")
    assert found.says == "too small to matter (less than 1 %)"
    assert one(alike, [value * 1.02 for value in alike]).is_shown


def test_several_candidates_are_corrected_in_each_metric() -> None:
    pairs = [(side("a", SLOW), side(name, FAST)) for name in ("b", "c", "d")]
    found = contrasts(pairs, [metric("goodput"), metric("p95")])
    assert [each.metric.short for each in found] == ["goodput"] * 3 + ["p95"] * 3
    assert {each.p_text for each in found} == {"p = 0.024 (Holm, of 3)"}


def test_seven_candidates_need_a_sixth_start() -> None:
    found = contrasts([(side("a", SLOW), side(f"b{n}", FAST)) for n in range(7)], [metric("p50")])
    assert "6 of each would" in few(found, more=True)


def test_only_sound_starts_enter() -> None:
    noisy = side("b", FAST)
    for run in noisy.cell.runs:
        found_out(run, "B401 noisy-host")
    (found,) = contrasts([(side("a", SLOW), noisy)], [metric("goodput")])
    assert found.found.starts == (5, 0)
    assert found.says == "b is invalid: 0 of 5 runs; 5 excluded (B401)"
    for columns in ({"status": "interrupted"}, {"goodput": None}):
        assert side("b", FAST, columns=columns).starts == []
    assert len(side("b", FAST, columns={"verdict": "weak"}).starts) == 5


def test_sides_of_different_commands_are_told() -> None:
    later = side("b", FAST, batch=OTHER_BATCH, begun=BEGUN + timedelta(hours=2))
    (note,) = notes([(side("a", SLOW), later)])
    assert note.startswith("a and b were not measured in turns, but 2 h apart")
    assert notes([(side("a", SLOW), side("b", FAST))]) == []


def test_the_best_is_held_against_each_other_nearest_first() -> None:
    middle = [value * 1.1 for value in SLOW]
    sides = [side(*each) for each in (("low", SLOW), ("high", FAST), ("middle", middle))]
    for name in ("goodput", "p95"):
        ranks = standing(sides, metric(name))
        assert ranks is not None
        assert ranks.best.title == "high"
        assert [one.candidate.title for one in ranks.others] == ["middle", "low"]
        assert [one.found.compared for one in ranks.others] == [2, 2]
        assert ranks.rivals == []
        assert ranks.baseline.title == "middle"
    assert standing(sides[:1], metric("goodput")) is None


def test_an_unknown_metric_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="there are: goodput, throughput, p50, p95, p99, mean"):
        metric("latency")
