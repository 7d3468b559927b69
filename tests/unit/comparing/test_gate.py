"""Conditions: how they are written, and when they are broken, held or undecided."""

from xml.etree import ElementTree

import pytest

from benchsuite.comparing.gate import Decision, Judgement, judge, overall, parse
from benchsuite.core.exceptions import UsageError
from benchsuite.report.exports.comparison import as_junit
from tests.starts import FAST, SLOW, found_out, side


@pytest.mark.parametrize(
    ("text", "name", "operator", "limit"),
    [
        ("p95 > +10%", "p95", ">", 10.0),
        ("goodput<-5%", "goodput", "<", -5.0),
        ("  memory  >  2.5 %  ", "memory", ">", 2.5),
        ("failures > 0%", "failures", ">", 0.0),
    ],
)
def test_how_a_condition_is_written(text: str, name: str, operator: str, limit: float) -> None:
    found = parse(text)
    assert (found.metric.short, found.operator, found.limit_percent) == (name, operator, limit)


@pytest.mark.parametrize(
    "text", ["", "p95", "p95 > 10", "p95 >= 10%", "p95 > ten%", "> 10%", "p95 > 1e3%", "p95 > --5%"]
)
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(UsageError, match="is not a condition; write a metric"):
        parse(text)


@pytest.mark.parametrize("text", ["goodput < -100%", "goodput < -500%", "p95 > -100%"])
def test_a_limit_that_no_figure_can_reach(text: str) -> None:
    with pytest.raises(UsageError, match="no figure falls by 100 % or more; write a limit above"):
        parse(text)


def test_an_unknown_metric_in_a_condition() -> None:
    with pytest.raises(UsageError, match="no metric 'rps'"):
        parse("rps > 10%")


@pytest.mark.parametrize(
    ("text", "low", "high", "decision"),
    [
        ("p95 > +10%", 11.0, 14.0, Decision.BROKEN),
        ("p95 > +10%", 9.0, 14.0, Decision.UNDECIDED),
        ("p95 > +10%", 3.0, 9.0, Decision.HELD),
        ("p95 > +10%", 3.0, 10.0, Decision.HELD),  # at the limit is not above it
        ("p95 > +10%", 10.0, 12.0, Decision.UNDECIDED),
        ("goodput < -5%", -9.0, -6.0, Decision.BROKEN),
        ("goodput < -5%", -9.0, -4.0, Decision.UNDECIDED),
        ("goodput < -5%", -5.0, 20.0, Decision.HELD),
        ("failures > 0%", 0.0, 0.0, Decision.HELD),
    ],
)
def test_decisions(text: str, low: float, high: float, decision: Decision) -> None:
    assert parse(text).decide(low, high) is decision


def judged(text: str, first: list[float], second: list[float], **columns: object) -> Judgement:
    pair = (side("main", first), side("branch", second, columns=dict(columns)))
    (found,) = judge([pair], [parse(text)])
    return found


def test_a_slower_candidate_breaks_what_it_must_keep() -> None:
    found = judged("goodput < -5%", [*FAST], [*SLOW])
    assert found.decision is Decision.BROKEN
    assert found.sentence.startswith(
        "branch against main: goodput < -5% is broken: −23.2 % [−25.0, −21."
    )


def test_an_equal_candidate_keeps_what_its_noise_lets_be_seen() -> None:
    assert judged("goodput < -5%", [*SLOW], [*SLOW]).decision is Decision.HELD
    found = judged("goodput < -1%", [*SLOW], [*SLOW])
    assert found.decision is Decision.UNDECIDED
    assert "reaches across the limit" in found.why


def test_too_few_starts_decide_nothing() -> None:
    found = judged("p95 > +10%", [*SLOW], [*SLOW[:4]])
    assert found.decision is Decision.UNDECIDED
    assert "5 runs against 4 prove nothing" in found.why


def test_invalid_starts_never_pass() -> None:
    found = judged("p95 > +10%", [*SLOW], [*FAST], status="failed")
    assert found.decision is Decision.UNDECIDED
    assert "but 5 of 5 runs failed (no result)" in found.why


@pytest.mark.parametrize(
    ("code", "spoilt", "words"),
    [
        ("B201 failures", 1, "but 1 of 5 runs failed (B201)"),
        ("B401 noisy-host", 5, "branch is invalid: 0 of 5 runs; 5 excluded (B401)"),
    ],
)
def test_a_cell_that_is_unsound_or_fails_in_part_never_passes(
    code: str, spoilt: int, words: str
) -> None:
    candidate = side("branch", [*FAST])
    for run in candidate.cell.runs[:spoilt]:
        found_out(run, code)
    (judgement,) = judge([(side("main", [*SLOW]), candidate)], [parse("p95 > +10%")])
    assert judgement.decision is Decision.UNDECIDED
    assert words in judgement.why


def test_failures_are_judged_in_percentage_points() -> None:
    assert judged("failures > +0.5%", [*SLOW], [*SLOW], failures=0).decision is Decision.HELD
    found = judged("failures > +0.5%", [*SLOW], [*SLOW], failures=60)
    assert found.decision is Decision.BROKEN
    assert "+1.0 points" in found.why


def test_the_worst_decides() -> None:
    held = judged("goodput < -5%", [*SLOW], [*SLOW])
    undecided = judged("goodput < -1%", [*SLOW], [*SLOW])
    broken = judged("goodput < -5%", [*FAST], [*SLOW])
    assert overall([]) is Decision.HELD
    assert overall([held, held]) is Decision.HELD
    assert overall([held, undecided]) is Decision.UNDECIDED
    assert overall([undecided, broken, held]) is Decision.BROKEN


def test_junit_shows_what_is_not_held() -> None:
    root = ElementTree.fromstring(
        as_junit(
            [
                judged("goodput < -5%", [*SLOW], [*SLOW]),
                judged("goodput < -1%", [*SLOW], [*SLOW]),
                judged("p95 > +10%", [*FAST], [*SLOW]),
            ]
        )
    )
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
        "3",
        "1",
        "1",
        "0",
    ]
    held, undecided, broken = suite
    assert [child.tag for child in held] == ["system-out"]
    assert [child.tag for child in undecided] == ["error"]
    assert [child.tag for child in broken] == ["failure"]
    assert broken.get("classname") == "benchsuite.p95"
    assert broken.get("name") == "branch against main: p95 > +10%"
    assert "is broken: +30." in (broken[0].get("message") or "")
