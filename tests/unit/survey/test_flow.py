"""Which pages are asked: conditions on answers, on answers left out, and on several at once."""

from typing import Any

import pytest

from benchsuite.target.survey.definitions import Condition, Page, Question
from benchsuite.target.survey.flow import Flow, holds

PAGES = [Page(pk=number, number=number) for number in range(1, 6)]
CAR = Question(pk=11, page_id=1, name="car")
BRAND = Question(pk=21, page_id=2, name="brand")
LATE = Question(pk=41, page_id=4, name="late")


def condition(page: int, source: Question, operator: str, value: str) -> Condition:
    return Condition(page_id=page, source=source, operator=operator, value=value)


def numbers(answers: dict[int, Any], *conditions: Condition) -> list[int]:
    return [page.number for page in Flow(PAGES, conditions, answers).pages()]


def test_without_conditions_all_pages_are_asked() -> None:
    assert numbers({}) == [1, 2, 3, 4, 5]


def test_all_conditions_must_hold() -> None:
    both = condition(3, CAR, "is", "yes"), condition(3, BRAND, "isnot", "none")
    assert numbers({11: "yes", 21: "x"}, *both) == [1, 2, 3, 4, 5]
    assert numbers({11: "yes", 21: "none"}, *both) == [1, 2, 4, 5]
    assert numbers({11: "no", 21: "x"}, *both) == [1, 2, 4, 5]


def test_what_is_left_out_leaves_out_what_depends_on_it() -> None:
    chain = condition(2, CAR, "is", "yes"), condition(3, BRAND, "is", "x")
    assert numbers({11: "yes", 21: "x"}, *chain) == [1, 2, 3, 4, 5]
    assert numbers({11: "no", 21: "x"}, *chain) == [1, 4, 5]


def test_a_later_page_or_the_page_itself_decides_nothing() -> None:
    assert numbers({41: "x"}, condition(3, LATE, "is", "x")) == [1, 2, 4, 5]
    assert numbers({41: "x"}, condition(4, LATE, "is", "x")) == [1, 2, 3, 5]


def test_neighbours_are_pages_that_are_asked() -> None:
    flow = Flow(PAGES, [condition(2, CAR, "is", "yes"), condition(5, CAR, "is", "yes")], {})
    assert [page and page.number for page in (flow.before(1), flow.before(3))] == [None, 1]
    assert [page and page.number for page in (flow.after(1), flow.after(4))] == [3, None]


@pytest.mark.parametrize(
    ("done", "first", "may_open"),
    [
        ([], 1, [1]),
        ([1], 3, [1, 3]),
        ([1, 4], 3, [1, 3]),
        ([1, 2, 3], 4, [1, 3, 4]),
        ([1, 3, 4, 5], None, [1, 3, 4, 5]),
    ],
)
def test_pages_open_one_after_the_other(
    done: list[int], first: int | None, may_open: list[int]
) -> None:
    flow = Flow(PAGES, [condition(2, CAR, "is", "yes")], {})
    found = flow.first_open(done)
    assert (found and found.number) == first
    assert [number for number in range(7) if flow.may_open(number, done)] == may_open


@pytest.mark.parametrize(
    ("operator", "wanted", "found", "right"),
    [
        ("is", "yes", "yes", True),
        ("is", "yes", "no", False),
        ("is", "red", ["blue", "red"], True),
        ("is", "re", ["blue", "red"], False),
        ("is", "2", "2.00", True),
        ("isnot", "yes", "no", True),
        ("isnot", "red", ["blue", "red"], False),
        ("atleast", "9", 10, True),
        ("atleast", "9", "10", True),
        ("atleast", "9", 8, False),
        ("atleast", "9", 9, True),
        ("atmost", "9", 10, False),
        ("atmost", "9", 9, True),
        ("atleast", "2024-02-29", "2024-03-01", True),
        ("atmost", "2024-02-29", "2024-03-01", False),
        *((operator, "0", nothing, False) for operator in ("is", "isnot", "atleast", "atmost")
          for nothing in (None, "", [], {})),
    ],
)  # fmt: skip
def test_operators(operator: str, wanted: str, found: Any, right: object) -> None:
    assert holds(operator, wanted, found) is right
