"""Views are counted where they run, through whatever keeps them with `functools.wraps`."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from benchsuite.isolation.served.counting import _counts_inside


def halves(function: Callable[..., Any]) -> Callable[..., Any]:
    """Lets every second call through."""
    calls = [0]

    @wraps(function)
    def some(*arguments: Any) -> Any:
        calls[0] += 1
        return function(*arguments) if calls[0] % 2 else "kept"

    return some


def page(*arguments: Any) -> str:
    return "made"


class Shown:
    @halves
    def get(self) -> str:
        return "made"


def as_view(*arguments: Any) -> str:
    return Shown.get(Shown())


as_view.view_class = Shown  # type: ignore[attr-defined]


@pytest.mark.parametrize("view", [halves(page), halves(halves(page)), as_view])
def test_what_a_decorator_answers_itself_is_not_counted(view: Callable[..., Any]) -> None:
    counted: list[str] = []
    for _ in range(2):  # once for each address, and methods
        assert _counts_inside(view, "get", lambda: counted.append("view"))
    answers = [view() for _ in range(8)]
    assert len(counted) == answers.count("made") > 0
    assert "kept" in answers


def test_a_view_without_decorator_is_counted_from_outside() -> None:
    assert not _counts_inside(page, "get", lambda: None)
    assert not _counts_inside(lambda request: page(), "post", lambda: None)
