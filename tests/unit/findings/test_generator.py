"""B101 to B105: the run that trips each, and the one just below that doesn't."""

from dataclasses import replace

from tests.unit.findings.clean import CLEAN, words


def test_less_is_a_lower_rate_where_any_stage_has_one():
    stage = replace(CLEAN, stage="100 /s")
    assert replace(CLEAN, arrivals=None, stages=(stage,)).less == "a lower --rate"


def test_values(golden):
    golden.values(words)
