"""Which pages and questions are shown for the answers so far: pure functions of definitions."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from benchsuite.target.survey.definitions import Condition, Operator, Page


class Flow:
    """The path through one survey; `answers` maps a question's ID to its value."""

    def __init__(
        self, pages: Sequence[Page], conditions: Sequence[Condition], answers: Mapping[int, Any]
    ) -> None:
        self._pages = pages
        self._answers = answers
        self._numbers = {page.pk: page.number for page in pages}
        self._of_page: dict[int, list[Condition]] = {}
        self._of_question: dict[int, list[Condition]] = {}
        for condition in conditions:
            if condition.page_id is not None:
                self._of_page.setdefault(condition.page_id, []).append(condition)
            elif condition.question_id is not None:
                self._of_question.setdefault(condition.question_id, []).append(condition)

    def pages(self) -> list[Page]:
        """The pages that are shown."""
        return [page for page in self._pages if self._asks_page(page.pk)]

    def asks(self, question_id: int, page_id: int) -> bool:
        return self._asks_page(page_id) and all(
            self._holds(condition, page_id) for condition in self._of_question.get(question_id, ())
        )

    def after(self, number: int) -> Page | None:
        """The next page shown; None after the last."""
        return next((page for page in self.pages() if page.number > number), None)

    def before(self, number: int) -> Page | None:
        """The page shown before; None before the first."""
        return next((page for page in reversed(self.pages()) if page.number < number), None)

    def first_open(self, done: Collection[int]) -> Page | None:
        """The first page shown and not done; None when all are done."""
        return next((page for page in self.pages() if page.number not in done), None)

    def may_open(self, number: int, done: Collection[int]) -> bool:
        """Whether the page is shown and every earlier page is done."""
        first = self.first_open(done)
        asked = any(page.number == number for page in self.pages())
        return asked and (first is None or number <= first.number)

    def _asks_page(self, page_id: int) -> bool:
        return all(self._holds(condition, page_id) for condition in self._of_page.get(page_id, ()))

    def _holds(self, condition: Condition, page_id: int) -> bool:
        """Only earlier pages decide, so this terminates."""
        source = condition.source
        earlier = self._numbers.get(source.page_id, 0) < self._numbers.get(page_id, 0)
        if not earlier or source.page_id not in self._numbers:
            return False
        if not self.asks(source.pk, source.page_id):
            return False
        return holds(condition.operator, condition.value, self._answers.get(source.pk))


def holds(operator: str, wanted: str, given: Any) -> bool:
    """Whether an answer meets a condition; a missing answer meets none."""
    if given in (None, "", [], {}):
        return False
    if operator == Operator.IS:
        return _contains(wanted, given)
    if operator == Operator.IS_NOT:
        return not _contains(wanted, given)
    low, high = (wanted, given) if operator == Operator.AT_LEAST else (given, wanted)
    return _ordered(str(low), str(high))


def _contains(wanted: str, given: Any) -> bool:
    if isinstance(given, list):
        return wanted in given
    if str(given) == wanted:
        return True
    numbers = _number(str(given)), _number(wanted)
    return None not in numbers and numbers[0] == numbers[1]


def _ordered(low: str, high: str) -> bool:
    """Compares numbers as numbers, and dates (year first) as text."""
    first, second = _number(low), _number(high)
    if first is not None and second is not None:
        return first <= second
    return low <= high


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
