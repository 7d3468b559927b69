"""Which server starts count, in every combination that a cell can hold."""

import pytest

from benchsuite.comparing.starts import Standing, Start, Starts
from benchsuite.core.results import Verdict

VALID = Start("finished", "valid")
WEAK = Start("finished", "weak")
NOISY = Start("finished", "invalid", ("B401 noisy-host",))
GENERATOR = Start("finished", "invalid", ("B101 generator-cpu", "B401 noisy-host"))
FAILING = Start("finished", "invalid", ("B201 failures",))
NEVER = Start("failed", "")


@pytest.mark.parametrize(
    ("start", "standing"),
    [
        (VALID, Standing.COUNTED),
        (WEAK, Standing.COUNTED),
        (NOISY, Standing.EXCLUDED),
        (GENERATOR, Standing.EXCLUDED),
        (Start("interrupted", "valid"), Standing.EXCLUDED),
        (Start("running", ""), Standing.EXCLUDED),
        (FAILING, Standing.FAILED),
        (NEVER, Standing.FAILED),
        (Start("failed", "invalid", ("B203 target-died",)), Standing.FAILED),
        (Start("failed", "valid"), Standing.FAILED),
        # The machine excuses nothing that the server did besides.
        (Start("finished", "invalid", ("B401 noisy-host", "B203 target-died")), Standing.FAILED),
        (Start("finished", "invalid", ("B302 few-samples",)), Standing.FAILED),
        (Start("finished", "invalid"), Standing.FAILED),
    ],
)
def test_whose_fault_decides(start: Start, standing: Standing) -> None:
    assert start.standing is standing
    assert (start.reasons == ()) is (standing is Standing.COUNTED)


def test_only_figures_of_its_own_enter() -> None:
    assert VALID.has_own_figures
    assert FAILING.has_own_figures
    assert not NOISY.has_own_figures
    assert not Start("finished", "invalid", ("B202 wrong-responder",)).has_own_figures
    assert not Start("finished", "invalid", ("B213 answered-elsewhere",)).has_own_figures


@pytest.mark.parametrize(
    ("every", "verdict", "words", "number"),
    [
        ([VALID], Verdict.VALID, "1 run", "1"),
        ([VALID] * 6, Verdict.VALID, "6 runs", "6"),
        ([VALID] * 5 + [NOISY], Verdict.VALID, "5 of 6 runs; 1 excluded (B401)", "5/6"),
        ([VALID] * 5 + [WEAK], Verdict.WEAK, "6 runs", "6"),
        ([VALID] * 4 + [FAILING] * 2, Verdict.WEAK, "2 of 6 runs failed (B201)", "6"),
        ([VALID] * 3 + [FAILING] * 3, Verdict.INVALID, "3 of 6 runs failed (B201)", "6"),
        (
            [VALID] * 3 + [NOISY] * 2 + [GENERATOR, FAILING, NEVER],
            Verdict.WEAK,
            "5 of 8 runs; 3 excluded (3 × B401, B101); 2 of 5 failed (B201, no result)",
            "5/8",
        ),
        # Of four that count two failed: those excluded don't make it look better.
        (
            [VALID] * 2 + [NOISY] * 2 + [NEVER] * 2,
            Verdict.INVALID,
            "4 of 6 runs; 2 excluded (B401); 2 of 4 failed (no result)",
            "4/6",
        ),
        ([NOISY] * 2, Verdict.INVALID, "0 of 2 runs; 2 excluded (B401)", "0/2"),
        ([NEVER], Verdict.INVALID, "1 of 1 run failed (no result)", "1"),
    ],
)
def test_a_cell_of_starts(every: list[Start], verdict: Verdict, words: str, number: str) -> None:
    found = Starts(every)
    assert (found.verdict, found.words, found.number) == (verdict, words, number)
    assert found.is_whole is (every[0] is VALID and set(every) <= {VALID, WEAK})
