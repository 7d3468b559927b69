"""B501 to B503: what slows the project down, and what answers in front of it."""

from tests.unit.findings.clean import words


def test_values(golden):
    golden.values(words)
