"""Each rule names the limit that was injected, and none speaks of a healthy run."""

import re
import runpy
from itertools import product
from pathlib import Path

import pytest

from benchsuite.bottlenecks.evidence import Alone
from benchsuite.bottlenecks.registry import RULES, Limit
from tests.golden import FOLDER
from tests.unit.bottlenecks.healthy import of

PAGE = Path(__file__).parents[3] / "docs" / "bottlenecks.md"


def words(value):
    """All that limits say, a line for each."""
    if not isinstance(value, dict):
        return value
    limits: list[Limit] = list(value.values())
    lines = [f"{one.code}: {one.says} {one.evidence} → {one.fix} {one.gain}" for one in limits]
    return "\n".join(lines).replace("\u2009", " ") or "no limit"


def test_values(golden):
    golden.values(words)


def test_every_rule_has_been_injected():
    """Alone, but for those that explain too little."""
    cases = (FOLDER / "unit/bottlenecks/test_rules/test_values.txt").read_text()
    assert set(re.findall(r"^ +(L\d\d[a-d]?) ", cases, re.MULTILINE)) == set(RULES)


HEALTHY_CHANGES = [
    *product(
        ({}, {"rate": 20.0, "offered_rate": 20.0, "in_flight": 1.0, "active": 0.5}),
        ({}, {"interface": "asgi", "slots": None, "queued": None}, {"processes": 1, "slots": 4}),
        ({}, {"active": None, "waits": {}, "connections": None, "connections_limit": None}),
        ({}, {"busiest_percent": None, "run_delay_percent": None, "alone": Alone(mean_s=0.045)}),
    )
]


@pytest.mark.parametrize("changes", HEALTHY_CHANGES)
def test_none_speaks_of_a_healthy_run(changes):
    merged = {name: value for one in changes for name, value in one.items()}
    assert of(**merged) == {}


def test_the_page_has_the_table_that_is_made_from_the_rules(capsys):
    runpy.run_module("benchsuite.bottlenecks", run_name="__main__")
    assert capsys.readouterr().out in PAGE.read_text(), "python -m benchsuite.bottlenecks"


def test_every_number_that_is_named_is_a_rule():
    text = "".join(path.read_text() for path in PAGE.parent.glob("*.md"))
    assert set(re.findall(r"\bL\d\d[a-d]?\b", text)) == set(RULES)
