"""The page of the checks names what there is."""

import re
from pathlib import Path

from benchsuite.conformance.checks import CHECKS

PAGE = Path(__file__).parents[3] / "docs" / "conformance.md"


def test_the_page_says_how_many_checks_there_are_and_in_which_groups():
    text = PAGE.read_text()
    assert f"The {len(CHECKS)} checks" in text
    table = text.partition("## What is checked")[2].partition("## Results")[0]
    groups = re.findall(r"^\| (\w+) \| [\dR]", table, re.MULTILINE)
    assert groups == list(dict.fromkeys(check.group for check in CHECKS))


def test_each_server_of_the_page_has_as_many_results_as_there_are_checks():
    rows = re.findall(r"^\| `.*?\| [\d.]+ \| (\d+)/(\d+)/(\d+) \|", PAGE.read_text(), re.MULTILINE)
    assert rows
    assert {sum(map(int, row)) for row in rows} == {len(CHECKS)}


def test_no_two_checks_have_the_same_name():
    names = [(check.group, check.name) for check in CHECKS]
    assert len(set(names)) == len(names)
