"""All findings together, their table and the page that explains them."""

import re
import runpy
from math import inf
from pathlib import Path

import pytest

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Level
from benchsuite.findings import registry
from benchsuite.findings.registry import CHECKS, FINDINGS
from benchsuite.stats.levels import FAILED, HELD

PAGE = Path(__file__).parents[3] / "docs" / "reading-results.md"


def test_every_finding_has_a_section_that_names_its_thresholds():
    sections = dict(re.findall(r"^### (B\d+ \S+)\n(.*?)(?=^##|\Z)", PAGE.read_text(), re.M | re.S))
    assert list(sections) == [FINDINGS[number].code for number in sorted(FINDINGS)]
    for rule in FINDINGS.values():
        numbers = set(re.findall(r"\d+(?:\.\d+)?", sections[rule.code]))
        wanted = {f"{limit:g}" for limit in (rule.weak, rule.invalid) if 0 < limit < inf}
        assert wanted <= numbers, f"{rule.code}: {wanted - numbers} not in its section"


def test_the_page_has_the_table_that_is_made_from_the_findings(capsys):
    runpy.run_module("benchsuite.findings", run_name="__main__")
    assert capsys.readouterr().out in PAGE.read_text(), "python -m benchsuite.findings"


def test_a_finding_is_declared_by_its_function(monkeypatch):
    monkeypatch.setattr(registry, "FINDINGS", {})
    monkeypatch.setattr(registry, "CHECKS", [])

    @registry.finding("B999", "odd", weak=3, weak_words="or 1", by_stage=True)
    def odd(rule, evidence):
        """what is
        odd

        It has reasons.
        """
        yield from rule.weighed(evidence.unmade, "It is odd.", hint="Look.")

    @registry.also("B999")
    def even(rule, evidence):
        yield rule.finding(Level.INFO, "It is even.")

    assert registry.rows() == [("B999 odd", "what is odd", "above 3 %, or 1", "")]
    assert [odd, even] == registry.CHECKS
    assert [check.by_stage for check in registry.CHECKS] == [True, False]
    (said,) = odd(Evidence(unmade=4))
    assert (said.level, said.value, said.unit, said.hint) == (Level.WEAK, 4, "%", "Look.")
    seen = [finding for check in registry.CHECKS for finding in check(Evidence(unmade=3))]
    assert [finding.message for finding in seen] == ["It is even."]


def test_every_number_that_is_named_is_a_finding():
    root = PAGE.parents[1]
    pages = [*(root / "docs").glob("*.md"), root / "README.md"]
    code = [*(root / "benchsuite").rglob("*.py"), *(root / "benchsuite").rglob("*.html")]
    for path in (*pages, *code):
        unknown = set(re.findall(r"\bB[1-5]\d\d\b", path.read_text())) - set(FINDINGS)
        assert not unknown, f"{path.relative_to(root)} names {unknown}"


def test_levels_are_held_to_the_same_limits():
    assert FINDINGS["B104"].weak == pytest.approx(100 * (1 - HELD))
    assert FINDINGS["B201"].invalid == 100 * FAILED


def test_no_number_is_declared_twice():
    assert all(check.rule is FINDINGS[check.rule.number] for check in CHECKS)


ROOT = Path(__file__).parents[3]
ROW = re.compile(r"^\| (B\d+) ([\w-]+) \|.*\| `(\w+)` \|$", re.MULTILINE)
TESTS = {
    name
    for file in (ROOT / "tests" / "sabotage").glob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
}
ROWS = ROW.findall((ROOT / "docs" / "sabotage.md").read_text())


@pytest.mark.parametrize("number", FINDINGS)
def test_each_finding_has_a_saboteur(number):
    assert any(name.startswith(f"test_{number.lower()}_") for name in TESTS)


@pytest.mark.parametrize(("number", "clean"), [(number, clean) for number, _, clean in ROWS])
def test_each_finding_has_a_run_without_it(number, clean):
    assert clean in TESTS


def test_values(golden):
    golden.values()
