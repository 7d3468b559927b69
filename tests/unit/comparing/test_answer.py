"""What a comparison answers, whoever writes it."""

from typing import Any

import pytest

from benchsuite.comparing.answer import Climbed, answer_of, climbs, of_pairs, own_targets, ranking
from benchsuite.comparing.contrasts import contrasts, metric
from benchsuite.comparing.differences import Comparison, unlike
from benchsuite.core.metrics.every import Scale, compared
from benchsuite.core.readings import median_work_s
from benchsuite.core.results import Reading
from benchsuite.report.writers import to_markdown
from benchsuite.stats.compare import compare
from tests.factories import facts
from tests.starts import FAST, SLOW, found_out, side

SLOWER = tuple(value / 2 for value in SLOW)
GOODPUT, MEMORY = metric("goodput"), metric("memory")
AS_GOOD = tuple(value * 1.012 for value in SLOW)


def plain(text):
    return text.replace("\u2009", " ")


def cell(server, *goodputs, **columns):
    given = {"server_facts": facts(server, "io_read"), "key": server, **columns}
    return side(server, goodputs or [612.0], columns=given)


def broken(server, code="B201 failures"):
    failed = cell(server, *FAST)
    for run in failed.runs:
        found_out(run, code)
    return failed


CASES: dict[str, Any] = {
    "clear": [cell("a", *SLOW), cell("b", *FAST), cell("c", *SLOWER)],
    "two may be best": [cell("a", *SLOW), cell("b", *AS_GOOD), cell("c", *SLOWER)],
    "nothing is clear": [cell("a", *SLOW), cell("b", *AS_GOOD)],
    "as good as the same": [cell("a", *SLOW), cell("b", *(one * 1.001 for one in SLOW))],
    "one run each": [cell("uwsgi"), cell("waitress", 413.5), cell("daphne", 100.0)],
    "three runs each": [cell("a", *SLOW[:3]), cell("b", *FAST[:3]), cell("c", *FAST[1:4])],
    "far apart in memory, few runs": [
        cell(server, memory_bytes=size * 2**20) for server, size in (("a", 100.0), ("b", 150.0))
    ],
    "a rate that all answer": [
        cell(name, 200.0, 200.1, 200.2, 199.9, 199.8, model="open", p95_s=p95)
        for name, p95 in (("a", 0.2), ("b", 0.1))
    ],
    "nothing answered": [cell("uwsgi"), cell("uvicorn", goodput=0.0)],
    "one is invalid": [cell("a", *SLOW), broken("b")],
    "all are excluded": [broken("a", "B401 noisy-host"), broken("b", "B401 noisy-host")],
    "no figures": [cell("a", *SLOW), cell("b", status="failed", goodput=None, verdict="")],
    "other units": [cell("a", *SLOW), cell("chat", *FAST, unit="message")],
    "idle beside busy": [cell("a", *SLOW), cell("b", connection_bytes=1e5)],
    "alone": [cell("a", *SLOW)],
}


def test_what_is_answered(golden):
    lines = []
    for case, cells in CASES.items():
        answer = ranking(cells, {})
        said = [
            answer.headline,
            *answer.reasons,
            *answer.next_steps,
            answer.command,
            *answer.cautions,
        ]
        lines += [f"{case}:", *(f"    {plain(one)}" for one in said if one)]
        for sentence in (answer.headline, *answer.reasons):
            assert len(sentence.split()) <= 20, sentence
    golden("\n".join(lines), replace={"again=[0-9a-f,]+": "again=<ids>"})


def test_a_pair_has_one_ratio_whoever_is_named_first():
    for first, second in ((SLOW, FAST), (SLOW, AS_GOOD)):
        one, other = compare(first, second), compare(second, first)
        assert None not in (one.value, one.low, one.high)
        assert (one.value, one.low, one.high) == pytest.approx(
            (1 / other.value, 1 / other.high, 1 / other.low)
        )


def test_the_runs_that_would_tell_come_from_the_spread_that_was_seen():
    noisy = [600.0, 660.0, 540.0, 630.0, 570.0]
    for spread, wanted in ((SLOW, 6), (noisy, None)):
        assert compare(spread, [1.05 * value for value in spread]).runs_wanted() == wanted
    assert compare(noisy, [1.2 * value for value in noisy]).runs_wanted() == 6
    assert compare(SLOW[:3], FAST[:3]).runs_wanted() == 5
    assert compare(SLOW, SLOW).runs_wanted() is None


def test_threads_are_warned_of_where_only_some_servers_use_them():
    for other in ("daphne", "heritage-channels0-redis"):  # that one's target has no async twin
        cautions = ranking([cell(other), cell("uvicorn", 300.0)], {}).cautions
        assert any("in a thread" in one for one in cautions) is (other != "daphne")


def test_servers_with_targets_of_their_own_are_named():
    def named(*servers):
        return own_targets((name, facts(name, "plain")) for name in servers)

    apart: dict[str, Any] = {"serves_project": False}
    two = "a and b serve small targets of their own, not this project."
    assert own_targets([("b", apart), ("a", apart), ("c", {})]) == two
    alone = ranking([cell("a", server_facts=apart)], {})
    assert alone.cautions == ["a serves a small target of its own, not this project."]
    assert named("uwsgi", "daphne") == own_targets([("gone", {})]) == ""
    assert (
        named("uwsgi", "peer-ws") == "peer-ws serves a small target of its own, not this project."
    )
    assert named("peer-ws", "heritage-2012-gevent").startswith("heritage-2012-gevent and peer-ws s")


def test_every_ratio_has_its_words(golden):
    figures = [one for one in compared().values() if one.scale is Scale.RATIO]
    golden("\n".join(f"a {one.won}; b {one.beside('0.50', 'a')}" for one in figures))


def test_alike_shares_have_no_best_and_others_differ_in_points():
    def headline(count, failed):
        pair = (cell("a", *SLOW[:count]), cell("b", *FAST[:count], failures=failed))
        found = contrasts([pair], [metric("failures")])
        return plain(of_pairs([pair], found, [], Comparison([])).headline)

    alike = "b has 0 points in failed share against a"
    assert headline(5, 0) == f"No difference is clear: {alike} [0, 0]."
    assert headline(1, 0) == f"Too close to call: {alike}."
    worse = "b has +1.00 points in failed share against a [+1.00, +1.00]"
    assert headline(5, 60) == f"Take a; {worse}."


def test_candidates_against_a_baseline(golden):
    base, failed = side("a", SLOW), broken("x")
    pairs = [(base, side("b", FAST)), (base, side("c", SLOW[:3])), (base, failed)]
    found = contrasts(pairs, [GOODPUT, MEMORY])
    answer = of_pairs(pairs, found, [], Comparison([]), ["Not the same load."])
    golden(plain(to_markdown(answer)))


def test_a_baseline_that_tells_nothing_does_not_hide_which_of_the_others_is_best():
    others = cell("b", *FAST), cell("c", *SLOW)
    bases = {
        "goodput": [broken("x"), broken("x", "B401 noisy-host")],
        "p95": [cell("x", *SLOW, p95_s=None)],
    }
    for name, every in bases.items():
        for base in every:
            pairs = [(base, other) for other in others]
            answer = of_pairs(pairs, contrasts(pairs, [metric(name)]), [], Comparison([]))
            assert answer.headline.startswith("Take b; c ")


def test_one_slow_second_makes_no_cpu_slow():
    readings = [Reading(second=float(at), part="target", work_s=0.0001) for at in range(1, 9)]
    late = Reading(second=9.0, part="target", work_s=0.01)
    assert median_work_s([*readings, late], "target", (0.0, 10.0)) == 0.0001
    assert median_work_s([], "target", (0.0, 10.0)) is None


def climbed(*lines, **columns):
    """A run of each server at each number of users, with its goodput."""
    runs = []
    for server, goodputs in lines:
        for users, goodput in goodputs.items():
            about = {"key": f"{server} {users}", "users": users, **columns}
            runs += side(server, [goodput], users=users, columns=about).runs
    return Comparison(runs)


def arrivals(rate, goodput):
    asked = side("a", [goodput], columns={"model": "open", "arrival_rate": rate})
    asked.first.spec["load"] |= {"model": "open", "arrival_rate": rate}
    return asked


def test_who_answers_no_rate_is_not_said_to_keep_up():
    low, high = arrivals(100.0, 60.0), arrivals(200.0, 70.0)
    for cells in ([low], [low, high]):
        said = plain(Climbed("a", cells).sentence)
        assert said == "a falls behind already at 100 /s with 60.0 /s"
    kept = Climbed("a", [arrivals(50.0, 50.0), low])
    assert plain(kept.sentence) == "a keeps up until 50 /s with 50.0 /s"


CLIMBS = {
    "levels off": climbed(("a", {4: 50, 8: 96, 16: 100}), ("b", {4: 50, 8: 60, 16: 80})),
    "still rises": climbed(("a", {4: 50, 8: 80}), ("b", {4: 50})),
    "of one server": climbed(("a", {16: 95, 4: 50, 8: 94.9, 32: 100})),
    "one level each": climbed(("a", {4: 50}), ("b", {8: 60})),
    "the same load": climbed(("a", {4: 50}), ("b", {4: 60})),
}


def test_where_configurations_level_off(golden):
    lines = []
    for case, comparison in CLIMBS.items():
        lines += [case, *(f"  {one.sentence}" for one in climbs(comparison, unlike(comparison)))]
        if found := climbs(comparison, unlike(comparison)):
            answer = answer_of(found, {})
            lines += [f"  {text}" for text in (answer.headline, *answer.reasons)]
    golden(plain("\n".join(lines)))
