"""B101 to B105: the run that trips each, and the one just below that doesn't."""

from tests.unit.findings.clean import words


def test_values(golden):
    golden.values(words)
