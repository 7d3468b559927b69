"""Where the time of a request goes."""

from dataclasses import replace

from benchsuite.bottlenecks.evidence import Budget, budget
from tests.unit.bottlenecks.healthy import HEALTHY


def of(**changes):
    return budget(replace(HEALTHY, **changes))


def words(value):
    if not isinstance(value, Budget):
        return value
    parts = {name: round(seconds, 6) for name, seconds in value.parts.items()}
    return f"{value.sentence}\n{parts}".replace("\u2009", " ")


def test_values(golden):
    golden.values(words)
