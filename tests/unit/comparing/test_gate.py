"""Conditions: how they are written, and when they are broken, held or undecided."""

from benchsuite.comparing.answer import outcome
from benchsuite.comparing.gate import Decision, Judgement, judge, overall, parse
from benchsuite.report.exports import as_junit
from tests.starts import FAST, SLOW, found_out, side

OF_CASES = (FAST, SLOW, as_junit, overall)


def written(text):
    condition = parse(text)
    return condition.metric.short, condition.operator, condition.limit_percent


def judged(text, first, second, spoilt=("", 0), **columns):
    """Of a branch, some of whose runs have a finding that spoils them."""
    candidate = side("branch", second, columns=dict(columns))
    for run in candidate.runs[: spoilt[1]]:
        found_out(run, spoilt[0])
    (found,) = judge([(side("main", first), candidate)], [parse(text)])
    return found


def words(value):
    return value.sentence if isinstance(value, Judgement) else value


def test_values(golden):
    golden.values(words)


def test_nothing_is_held_and_nothing_broken_against_an_invalid_baseline():
    main = side("main", FAST)
    for run in main.runs:
        found_out(run, "B201 failures")
    for text in ("goodput < -30%", "goodput < -5%"):
        (found,) = judge([(main, side("branch", SLOW))], [parse(text)])
        assert found.decision is Decision.UNDECIDED
        assert found.why == "main is invalid: 5 runs failed (B201 failures)"


def test_figures_of_other_levels_of_load_are_not_held_against_each_other():
    """What gets slower levels off with fewer users, and answers those sooner."""
    main = side("main", FAST, columns={"level": 100.0})
    branch = side("branch", FAST, columns={"level": 50.0, "p95_s": 0.1})
    conditions = [parse("p95 > +10%"), parse("memory > +10%"), parse("goodput < -5%")]
    times, memory, rate = judge([(main, branch)], conditions)
    for judgement in (times, memory):
        assert judgement.decision is Decision.UNDECIDED
        assert judgement.why == "the figures are of 100 users and 50 users"
        assert outcome(judgement.contrast) == "other levels of load"
    assert rate.decision is Decision.HELD
