"""Which runs `benchmarks.chaos` disturbs, and how."""

from benchmarks.disturbances.cases import KINDS, ROLES, draw
from benchsuite.management.options import run as run_options
from benchsuite.runner import planning

CASES = [draw(1, number) for number in range(1, 301)]


def test_the_same_seed_and_number_is_the_same_case():
    assert [draw(1, case.number) for case in CASES] == CASES
    assert [draw(2, case.number) for case in CASES] != CASES


def test_every_kind_befalls_and_every_role_is_killed():
    assert {case.kind for case in CASES} == set(KINDS)
    assert {case.role for case in CASES if case.kind == KINDS[-1]} == set(ROLES)


def test_each_is_a_run_that_makes_sense():
    for case in CASES:
        (run,) = run_options.of_words(*case.words)
        planning.resolve(run)
        assert f"--server={run.server.server}" in case.words
