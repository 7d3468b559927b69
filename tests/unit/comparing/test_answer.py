"""What a comparison answers, whoever writes it."""

from collections.abc import Sequence
from typing import Any

import pytest

from benchsuite.comparing.answer import leader, of_pairs, own_targets, ranking
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import contrasts, corrected, metric, speed_notes
from benchsuite.comparing.differences import Comparison
from benchsuite.core.answer import Shown
from benchsuite.core.metrics.every import compared
from benchsuite.core.metrics.metric import Scale
from benchsuite.core.readings import median_work_s
from benchsuite.core.results import Reading
from tests.factories import facts
from tests.starts import FAST, SLOW, found_out, side

SLOWER = tuple(value / 2 for value in SLOW)
GOODPUT, P95, MEMORY = metric("goodput"), metric("p95"), metric("memory")


def plain(text: str) -> str:
    return text.replace("\u2009", " ")


def cell(server: str, *goodputs: float, **columns: Any) -> Cell:
    given = {"server_facts": facts(server, "io_read"), "key": server, **columns}
    return side(server, goodputs or [612.0], columns=given).cell


def first(*found: Cell) -> str:
    return plain(ranking(found, {}).headline)


def test_the_best_and_the_next_with_their_interval() -> None:
    found = [side("a", SLOW).cell, side("b", FAST).cell, side("c", SLOWER).cell]
    answer = ranking(found, {})
    assert answer.headline == (
        "b answered most: 1.30× a’s goodput [1.27, 1.33], p = 0.016 (Holm, of 2)."
    )
    assert answer.reasons[0] == (
        "b had the shortest p95: a took 1.30× as long [1.27, 1.33], p = 0.016 (Holm, of 2)."
    )
    assert answer.cautions == [], "five starts need no warning"


def test_nobody_leads_without_a_difference() -> None:
    tie = leader([side("a", SLOW).cell, side("b", [1.002 * one for one in SLOW]).cell], GOODPUT)
    assert tie.startswith("b and a, goodput 1.00 [0.98, 1.03]: no difference shown; ≥ ")


def test_a_tie_at_the_top_does_not_hide_who_is_different() -> None:
    exact = [value / 100 for value in (60000, 60010, 59990, 60020, 59980)]
    near = [value * 1.002 for value in exact]
    found = [side(*each).cell for each in (("a", exact), ("b", near), ("c", SLOWER))]
    tie, lead = leader(found, GOODPUT).split(". ", 1)
    assert tie.startswith("b and a, goodput 1.002")
    assert tie.endswith(": too small to matter (less than 1 %)")
    assert lead.startswith("b against the next that differs: 2.00× c’s goodput [")


def test_invalid_cells_and_other_units_are_not_ranked() -> None:
    broken = side("b", FAST).cell
    for run in broken.runs[:3]:
        found_out(run, "B201 failures")
    sound = side("a", SLOW).cell
    assert first(sound, broken) == "Nothing is ranked: b is invalid."
    chat = side("chat", FAST, columns={"unit": "message"}).cell
    assert first(sound, chat) == "Nothing is ranked: their answers are not of the same unit."
    assert "memory 1.00 [" in leader([sound, chat], MEMORY)
    alone = cell("uvicorn", unit="message"), cell("daphne", 900.0, unit="message")
    assert first(*alone).startswith("daphne answered most: 900 /s messages, ")
    gone = cell("uvicorn", status="failed", goodput=None, verdict="")
    assert first(sound, gone) == "Nothing is ranked: uvicorn has no figures."
    idle = cell("uvicorn", connection_bytes=1e5)
    assert first(sound, idle) == "Nothing is ranked: a has no memory per connection."
    assert not first(idle, idle).startswith("Nothing is ranked")


def test_too_many_for_five_starts() -> None:
    found = [side(f"s{n}", SLOW).cell for n in range(7)] + [side("best", FAST).cell]
    assert "6 of each would for 7 comparisons" in leader(found, GOODPUT)


def test_of_few_starts_it_says_what_was_seen_and_what_would_tell() -> None:
    answer = ranking([cell("uwsgi"), cell("waitress", 413.5), cell("daphne", 100.0)], {})
    assert plain(answer.headline) == "uwsgi answered most: 612 /s, 1.48× waitress’s (414 /s)."
    assert answer.cautions == [
        "One start each: a difference may be chance; --repeat 5 would tell.",
        "daphne runs sync views in a thread (docs/reading-results.md): compare with "
        "--workload=io_read_async.",
    ]
    assert first(cell("uwsgi"), cell("uvicorn", goodput=0.0)) == (
        "uwsgi answered most: 612 /s; uvicorn: 0 /s."
    )
    assert first(cell("uwsgi")) == "", "there is nobody else"


@pytest.mark.parametrize(
    ("uwsgi", "waitress"), [((612.0,), (600.0,)), ((700.0, 500.0), (400.0, 520.0))]
)
def test_close_or_overlapping_figures_name_nobody(
    uwsgi: Sequence[float], waitress: Sequence[float]
) -> None:
    assert "too close to call" in first(cell("uwsgi", *uwsgi), cell("waitress", *waitress))


def test_who_is_far_behind_two_that_are_close_is_told() -> None:
    sizes = {"uwsgi": 100.0, "waitress": 101.0, "uvicorn": 150.0}
    found = [cell(server, memory_bytes=size * 2**20) for server, size in sizes.items()]
    assert plain(leader(found, MEMORY)) == (
        "uwsgi and waitress are too close to call in memory: 100 MiB and 101 MiB; uvicorn had "
        "150 MiB, 1.50×."
    )


def test_threads_are_warned_of_where_only_some_servers_use_them() -> None:
    for other in ("daphne", "heritage-channels0-redis"):  # that one's target has no async twin
        cautions = ranking([cell(other), cell("uvicorn", 300.0)], {}).cautions
        assert any("in a thread" in one for one in cautions) is (other != "daphne")


def test_servers_with_targets_of_their_own_are_named() -> None:
    def named(*servers: str) -> str:
        return own_targets((name, facts(name, "plain")) for name in servers)

    assert named("uwsgi", "daphne") == own_targets([("gone", {})]) == ""
    assert (
        named("uwsgi", "peer-ws") == "peer-ws serves a small target of its own, not this project."
    )
    assert named("peer-ws", "heritage-2012-gevent").startswith("heritage-2012-gevent and peer-ws s")


def test_every_ratio_has_its_words() -> None:
    words = {
        one.short: (one.won, one.lost) for one in compared().values() if one.scale is Scale.RATIO
    }
    assert words == {
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


def test_candidates_against_a_baseline() -> None:
    base, broken = side("a", SLOW), side("x", SLOW)
    for run in broken.starts[:3]:
        found_out(run, "B201 failures")
    pairs = [(base, side("b", FAST)), (base, side("c", SLOW[:3])), (base, broken)]
    found = contrasts(pairs, [GOODPUT, MEMORY])
    answer = of_pairs(pairs, found, [], Comparison([]), ["Not the same load."])
    assert answer.premises == ["Forced. Not the same load."]
    assert answer.headline == (
        "b against a: better in goodput (1.30); too small a difference in memory (1.00)."
    )
    assert answer.reasons == [
        "c against a: too few starts in goodput (1.00) and memory (1.00).",
        "x against a: nothing to conclude in goodput (1.00) and memory (1.00).",
    ]
    assert answer.table is not None
    rows = [list(map(plain, map(str, row[:-2]))) for row in answer.table.rows]
    assert rows[0] == [
        *("goodput", "b", "a", "5:5", "781 /s : 600 /s", "1.30", "[1.27, 1.33]"),
    ]
    assert answer.table.rows[0][-2:] == [Shown("0.016", "Holm, of 2"), "better"]
    assert [str(row[-1])[:40] for row in answer.table.rows[1:3]] == [
        *(
            "3 against 5 starts prove nothing; 5 of e",
            "x is invalid: 3 of 5 starts failed (B201)"[:40],
        )
    ] or answer.table.rows[1][-1]
    assert answer.table.note.startswith("Too small to matter is a difference below 1 %")
    assert "x: 3 of 5 starts failed (B201)." in answer.cautions


Times = float | Sequence[float] | None

AS_FAST = (0.0001, 0.000099, 0.000101, 0.000098, 0.000102)
"""Times of the piece of work that are the only reason why the starts of SLOW differ."""


def pair(first_s: Times, second_s: Times, *, second: Sequence[float] = SLOW) -> Any:
    """SLOW and other figures, of CPUs that took so long for the piece of work."""
    sides = side("gunicorn", SLOW), side("granian", second)
    for one_side, seconds in zip(sides, (first_s, second_s), strict=True):
        each = seconds if isinstance(seconds, Sequence) else [seconds] * len(SLOW)
        for run, work_s in zip(one_side.starts, each, strict=True):
            run.target_work_s = work_s
    return sides


def for_speed(name: str, first_s: Times, second_s: Times, **given: Any) -> str:
    (found,) = contrasts([pair(first_s, second_s, **given)], [metric(name)])
    return corrected(found)


@pytest.mark.parametrize(("name", "ratio"), [("goodput", "1.20"), ("p95", "0.83")])
def test_a_slower_cpu_is_made_up_for(name: str, ratio: str) -> None:
    found = for_speed(name, AS_FAST, [1.2 * work_s for work_s in AS_FAST])
    assert found.startswith(f"granian / gunicorn {name}, corrected for the CPUs' speed: {ratio}")


def test_nothing_is_corrected_where_it_is_no_surer_or_nothing_follows() -> None:
    assert for_speed("goodput", 0.0001, 0.00012) == "", "the interval moves as it is"
    noisy = [0.0001, 0.00013, 0.00009, 0.00012, 0.00008]
    assert for_speed("goodput", AS_FAST, noisy) == "", "times of work that scatter widely"
    assert for_speed("memory", 0.0001, 0.00012) == for_speed("failures", 0.0001, 0.00012) == ""
    assert for_speed("goodput", 0.0001, None) == ""


def test_a_clear_result_is_never_turned() -> None:
    """However narrow it makes the interval: a project that waits gains nothing by a fast CPU."""
    slower = [0.95 * rate for rate in SLOW]
    assert "0.95" in for_speed("goodput", AS_FAST, AS_FAST, second=slower)
    for factor in (1.06, 1.12):
        turned = [factor * work_s for work_s in AS_FAST]
        assert for_speed("goodput", AS_FAST, turned, second=slower) == ""


def test_sides_on_cpus_of_another_speed_are_told_and_one_odd_start_makes_none_slow() -> None:
    for times, slow, fast in (
        ((0.0001, 0.00012), "granian", "gunicorn"),
        ((0.00012, 0.0001), "gunicorn", "granian"),
    ):
        (note,) = speed_notes([pair(*times)])
        assert note.startswith("B404 cpu-speed: a fixed piece of work took 20.0")
        assert f"longer on the CPUs of {slow} than on those of {fast}" in note
    odd = pair(0.0001, [0.0001, 0.0001, 0.0001, 0.0001, 0.001])
    assert list(speed_notes([pair(0.0001, 0.000104), pair(None, 0.0001), odd])) == []
    readings = [Reading(second=float(at), part="target", work_s=0.0001) for at in range(1, 9)]
    late = Reading(second=9.0, part="target", work_s=0.01)
    assert median_work_s([*readings, late], "target", (0.0, 10.0)) == 0.0001
    assert median_work_s([], "target", (0.0, 10.0)) is None
