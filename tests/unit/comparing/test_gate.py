"""Conditions: how they are written, and when they are broken, held or undecided."""

from benchsuite.comparing.gate import Judgement, judge, parse
from tests.starts import found_out, side


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
