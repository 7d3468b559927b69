"""Each finding has a saboteur and a run without it, and docs/sabotage.md lists both."""

import re
from pathlib import Path

import pytest

from benchsuite.findings.registry import FINDINGS

ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| (B\d+) ([\w-]+) \|.*\| `(\w+)` \|$", re.MULTILINE)
TESTS = {
    name
    for file in (ROOT / "tests" / "sabotage").glob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
}
ROWS = ROW.findall((ROOT / "docs" / "sabotage.md").read_text())


def test_the_page_lists_all_findings() -> None:
    assert [(number, name) for number, name, _ in ROWS] == [
        (number, row.name) for number, row in sorted(FINDINGS.items())
    ]


@pytest.mark.parametrize("number", FINDINGS)
def test_each_finding_has_a_saboteur(number: str) -> None:
    assert any(name.startswith(f"test_{number.lower()}_") for name in TESTS)


@pytest.mark.parametrize(("number", "clean"), [(number, clean) for number, _, clean in ROWS])
def test_each_finding_has_a_run_without_it(number: str, clean: str) -> None:
    assert clean in TESTS
