"""Who is first, once there are enough starts to say so."""

import pytest

from benchsuite.comparing.leading import leading_sentence
from benchsuite.comparing.margins import metric
from benchsuite.core.metrics.every import compared
from benchsuite.core.metrics.metric import Scale
from tests.starts import FAST, SLOW, found_out, side

SLOWER = tuple(value / 2 for value in SLOW)


def test_the_best_and_the_next_with_their_interval() -> None:
    cells = [side("a", SLOW).cell, side("b", FAST).cell, side("c", SLOWER).cell]
    assert leading_sentence(cells, metric("goodput")) == (
        "b answered most: 1.30× a’s goodput [1.27, 1.33], p = 0.016 (Holm, of 2)."
    )
    assert leading_sentence(cells, metric("p95")) == (
        "b had the shortest p95: a took 1.30× as long [1.27, 1.33], p = 0.016 (Holm, of 2)."
    )


def test_nobody_leads_without_a_difference() -> None:
    cells = [side("a", SLOW).cell, side("b", [value * 1.002 for value in SLOW]).cell]
    assert leading_sentence(cells, metric("goodput")).startswith(
        "b and a, goodput 1.00 [0.98, 1.03]: no difference shown; ≥ "
    )


def test_a_tie_at_the_top_does_not_hide_who_is_different() -> None:
    exact = [value / 100 for value in (60000, 60010, 59990, 60020, 59980)]
    near = [value * 1.002 for value in exact]
    cells = [side(*each).cell for each in (("a", exact), ("b", near), ("c", SLOWER))]
    told, lead = leading_sentence(cells, metric("goodput")).split(". ", 1)
    assert told.startswith("b and a, goodput 1.002")
    assert told.endswith(": too small to matter (less than 1 %)")
    assert lead.startswith("b against the next that differs: 2.00× c’s goodput [")


def test_invalid_cells_and_other_units_are_not_ranked() -> None:
    broken = side("b", FAST).cell
    for run in broken.runs[:3]:
        found_out(run, "B201 failures")
    assert leading_sentence([side("a", SLOW).cell, broken], metric("goodput")) == ""
    chat = side("chat", FAST, columns={"unit": "message"}).cell
    cells = [side("a", SLOW).cell, chat]
    assert leading_sentence(cells, metric("goodput")) == ""
    assert "memory 1.00 [" in leading_sentence(cells, metric("memory"))


def test_too_many_for_five_starts() -> None:
    cells = [side(f"s{n}", SLOW).cell for n in range(7)] + [side("best", FAST).cell]
    assert "6 of each would for 7 comparisons" in leading_sentence(cells, metric("goodput"))


@pytest.mark.parametrize("starts", [(), SLOW[:4]])
def test_nothing_is_said_of_too_few_starts(starts: tuple[float, ...]) -> None:
    cells = [side("b", FAST).cell] + ([side("a", starts).cell] if starts else [])
    assert leading_sentence(cells, metric("goodput")) == ""


def test_every_ratio_has_its_words() -> None:
    told = {
        one.short: (one.won, one.lost) for one in compared().values() if one.scale is Scale.RATIO
    }
    assert told == {
        "goodput": ("answered most", "{ratio} {other}’s{figure}"),
        "throughput": ("answered most", "{ratio} {other}’s{figure}"),
        **{
            name: (f"had the shortest {name}", "{other} took {ratio} as long")
            for name in ("p50", "p95", "p99", "mean")
        },
        "cpu": ("needed the least CPU", "{other} took {ratio} as much"),
        "memory": ("needed the least memory", "{other} took {ratio} as much"),
        "connection": ("needed the least memory per connection", "{other} took {ratio} as much"),
    }
