"""Which CPUs the server gets and which the load, and what can't be had."""

import os
from collections.abc import Callable

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.system import cpus


def alone(cpu: int) -> frozenset[int]:
    return frozenset({cpu})


def threads(of: int) -> Callable[[int], frozenset[int]]:
    """Hardware threads as Linux numbers them: CPU n and CPU n + cores are one core."""
    return lambda cpu: frozenset({cpu % of, cpu % of + of})


@pytest.mark.parametrize(
    ("count", "processes", "expected"),
    [
        (2, 1, ((0,), (1,))),
        (2, 4, ((0,), (1,))),
        (3, 2, ((0, 1), (2,))),
        (4, 1, ((0, 1, 2), (3,))),
        (4, 2, ((0, 1), (2, 3))),
        (8, 1, ((0, 1, 2, 3, 4, 5, 6), (7,))),
        (8, 6, ((0, 1, 2, 3), (4, 5, 6, 7))),
    ],
)
def test_the_load_gets_a_core_for_each_process_and_at_most_half(
    count: int, processes: int, expected: object
) -> None:
    assert cpus.split(tuple(range(count)), processes, alone) == expected


def test_threads_of_a_core_stay_together() -> None:
    assert cpus.split(tuple(range(8)), 1, threads(4)) == ((0, 1, 2, 4, 5, 6), (3, 7))
    assert cpus.split(tuple(range(8)), 2, threads(4)) == ((0, 1, 4, 5), (2, 3, 6, 7))


def test_where_there_is_one_core_its_threads_are_shared_out() -> None:
    assert cpus.split((0, 1), 1, threads(1)) == ((0,), (1,))


def test_only_what_may_be_used_is_shared_out() -> None:
    assert cpus.split((2, 5), 1, threads(4)) == ((2,), (5,))


def test_one_cpu_is_not_split() -> None:
    assert cpus.split((3,), 1, alone) is None


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("0", (0,)), ("2,0", (0, 2)), ("0-3,8", (0, 1, 2, 3, 8)), (" 1 - 2 ", None), ("7-7", (7,))],
)
def test_lists_of_cpus(text: str, numbers: tuple[int, ...] | None) -> None:
    if numbers is None:
        with pytest.raises(UsageError):
            cpus.parse(text)
    else:
        assert cpus.parse(text) == numbers


@pytest.mark.parametrize(
    ("load", "target", "expected"),
    [
        ((3,), (0, 1), (2,)),  # neither's
        ((3,), (0, 1, 2), (0, 1, 2)),  # the default split leaves none
        ((3,), None, (0, 1, 2)),
        ((0, 1, 2, 3), (0, 1, 2, 3), None),
        (None, (0, 1), None),
        ((3,), (3,), (0, 1, 2)),
    ],
)
def test_who_looks_on_keeps_away_from_the_load(
    load: cpus.Cpus | None, target: cpus.Cpus | None, expected: cpus.Cpus | None
) -> None:
    assert cpus.beside(load, target, (0, 1, 2, 3)) == expected


@pytest.mark.parametrize("text", ["", "x", "3-1", "1,,2", "-1", "0-", "99999", "0-9999"])
def test_no_list_of_cpus(text: str) -> None:
    with pytest.raises(UsageError, match="is no list of CPUs; write numbers: 0, 0,2 or 0-3"):
        cpus.parse(text)


def test_in_words() -> None:
    assert cpus.words((0,)) == "CPU 0"
    assert cpus.words((0, 1, 2, 5)) == "CPUs 0–2, 5"


def test_what_is_not_there_is_refused() -> None:
    cpus.check(cpus.available(), "The server")
    cpus.check(None, "The server")
    with pytest.raises(UsageError, match="The load can't run on CPU 8000: this machine has CPU"):
        cpus.check((8000,), "The load")


def test_the_own_affinity_is_as_before_afterwards() -> None:
    before = os.sched_getaffinity(0)
    with cpus.given({min(before)}):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before
    with cpus.given(None):
        assert os.sched_getaffinity(0) == before
