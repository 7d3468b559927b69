"""What `benchmarks.sabotage` draws, and how it judges what was found."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from benchmarks.faults.case import Case
from benchmarks.faults.drawing import DECK, FAULTS, KINDS, drawn
from benchmarks.faults.judging import Ending, judged
from benchsuite.core.results import Finding, Level, RunResult, Status
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.findings.registry import FINDINGS
from benchsuite.runner.plan import Plan
from tests.integration.quiet import Quiet
from tests.sabotage.runs import Laboratory

CASES = [drawn(1, number) for number in range(1, 2 * len(DECK) + 1)]

NOT_DRAWN = {
    "B107",  # a load process that ends: the run has no verdict
    "B305",  # of a fixed amount of work, and every case has a window
    "B214",  # said of every run whose answers nobody checks
    "B403",  # said of every run that is not pinned
    "B404",  # the machine's own speed
    "B405",  # what can't be read
    "B502",  # a diagnostic start is asked for, and no fault
    "B503",  # a cache is the project's own choice
}


def test_the_same_seed_and_number_is_the_same_case() -> None:
    def told(seed: int) -> list[tuple[str, str]]:
        return [(one.kind, one.words) for one in (drawn(seed, case.number) for case in CASES)]

    assert told(1) == [(case.kind, case.words) for case in CASES]
    assert told(2) != told(1)


def test_each_fault_comes_once_in_a_deal_and_a_fifth_is_clean() -> None:
    counts = Counter(case.kind for case in CASES[: len(DECK)])
    assert {kind: counts[kind] for kind in FAULTS} == dict.fromkeys(FAULTS, 1)
    clean = sum(counts[kind] for kind in KINDS if kind not in FAULTS)
    assert clean / len(DECK) == pytest.approx(0.2, abs=0.01)


def test_each_finding_is_the_true_one_about_some_fault() -> None:
    named = {code for case in CASES for code in case.codes}
    assert named <= set(FINDINGS)
    assert set(FINDINGS) - named <= NOT_DRAWN


def test_each_is_a_run_that_makes_sense() -> None:
    class Planner:
        """Takes a session's place; each run is resolved before it comes here."""

        def run(self, plan: Plan, watcher: Quiet) -> None:
            assert plan.spec.server.server

    lab = Laboratory(Planner(), [])
    for case in CASES:
        lab.run(**{name: value for name, value in case.run.items() if name != "ceilings"})


def made(*findings: Finding, failure: str = "") -> RunResult:
    return RunResult(
        spec=RunSpec(server=ServerSpec(server="waitress")),
        status=Status.FAILED if failure else Status.FINISHED,
        started_at=datetime.now(UTC),
        failure=failure,
        findings=findings,
    )


def finding(code: str, level: Level) -> Finding:
    return Finding(code=f"{code} some", level=level, message="It was so.")


@pytest.mark.parametrize(
    ("codes", "is_due", "findings", "ending"),
    [
        ({"B201"}, True, [finding("B201", Level.WEAK), finding("B301", Level.WEAK)], "caught"),
        ({"B304"}, True, [finding("B304", Level.INFO)], "caught"),
        ({"B106"}, True, [finding("B106", Level.INFO)], "missed"),
        ({"B201"}, True, [finding("B301", Level.INVALID)], "wrong code"),
        ({"B201"}, True, [finding("B302", Level.INFO)], "missed"),
        ({"B201"}, False, [finding("B201", Level.WEAK)], "clean"),
        ({"B201"}, False, [finding("B203", Level.WEAK)], "weak"),
        (set(), False, [finding("B301", Level.INVALID)], "invalid"),
        (set(), False, [finding("B304", Level.INFO)], "clean"),
    ],
)
def test_how_a_run_is_judged(
    codes: set[str], *, is_due: bool, findings: list[Finding], ending: str
) -> None:
    case = Case(words="broken", codes=frozenset(codes), is_due=is_due, run={})
    assert judged(case, made(*findings)).ending == Ending(ending)


def test_a_run_that_could_not_be_made_is_none_that_was_missed() -> None:
    case = Case(words="broken", codes=frozenset({"B201"}), run={})
    assert judged(case, made(failure="no such server")).ending is Ending.UNMADE
