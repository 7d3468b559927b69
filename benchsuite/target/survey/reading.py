"""Surveys: loaded, read in a fixed number of queries, and what is shown for the answers so far."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Self

from django.core.management import call_command
from django.db import transaction
from django.db.models import Count, Prefetch, Q, QuerySet
from django.http import Http404

from benchsuite.target.survey.definitions import Choice, Condition, Operator, Page, Question, Survey

FOLDER = Path(__file__).parent.parent / "fixtures" / "surveys"


def load_surveys(*, using: str = "default") -> tuple[int, int, int]:
    """Creates or restores the seven surveys; answers and other surveys stay. The numbers of these
    surveys, of their pages, and of the questions on these.
    """
    files = sorted(FOLDER.glob("*.json"))
    with transaction.atomic(using=using):
        for path in files:
            call_command("loaddata", str(path), database=using, verbosity=0)
    pages = Page.objects.using(using).filter(survey__slug__in=[path.stem for path in files])
    questions = Question.objects.using(using).filter(page__in=pages)
    return len(files), pages.count(), questions.count()


class Flow:
    """The path through one survey: a pure function; `answers` maps a question's ID to its value."""

    def __init__(
        self, pages: Sequence[Page], conditions: Sequence[Condition], answers: Mapping[int, Any]
    ) -> None:
        self._pages = pages
        self._answers = answers
        self._numbers = {page.pk: page.number for page in pages}
        self._conditions = defaultdict[tuple[int | None, int | None], list[Condition]](list)
        for condition in conditions:
            self._conditions[condition.page_id, condition.question_id].append(condition)

    def pages(self) -> list[Page]:
        """The pages that are shown."""
        return [page for page in self._pages if self._asks_page(page.pk)]

    def asks(self, question_id: int, page_id: int) -> bool:
        conditions = self._conditions.get((None, question_id), ())
        return self._asks_page(page_id) and all(self._holds(one, page_id) for one in conditions)

    def first_open(self, done: Collection[int]) -> Page | None:
        """The first page shown and not done; None when all are done."""
        return next((page for page in self.pages() if page.number not in done), None)

    def open_page(self, done: Collection[int]) -> Page:
        """The first page that is not done, else the last one; Http404 where none is shown."""
        shown = self.pages()
        if not shown:
            raise Http404("Every page of this survey depends on another one.")
        return self.first_open(done) or shown[-1]

    def _asks_page(self, page_id: int) -> bool:
        conditions = self._conditions.get((page_id, None), ())
        return all(self._holds(condition, page_id) for condition in conditions)

    def _holds(self, condition: Condition, page_id: int) -> bool:
        """Only earlier pages decide, so this terminates."""
        source = condition.source
        return (
            0 < self._numbers.get(source.page_id, 0) < self._numbers.get(page_id, 0)
            and self.asks(source.pk, source.page_id)
            and holds(condition.operator, condition.value, self._answers.get(source.pk))
        )


def holds(operator: str, wanted: str, given: Any) -> bool:
    """Whether an answer meets a condition; a missing answer meets none."""
    if given in (None, "", [], {}):
        return False
    if operator in (Operator.IS, Operator.IS_NOT):
        answers = given if isinstance(given, list) else [given]
        return (_value(wanted) in map(_value, answers)) == (operator == Operator.IS)
    low, high = (wanted, given) if operator == Operator.AT_LEAST else (given, wanted)
    values = _value(low), _value(high)
    if isinstance(values[0], str) or isinstance(values[1], str):
        return str(low) <= str(high)  # dates, year first
    return values[0] <= values[1]


def _value(answer: Any) -> Decimal | str:
    """Numbers are equal however they are written."""
    try:
        number = Decimal(str(answer))
    except InvalidOperation:
        return str(answer)
    return number if number.is_finite() else str(answer)


@dataclass(frozen=True, slots=True)
class Definition:
    """A survey with its pages and conditions; a page's questions are read when it is shown."""

    survey: Survey
    pages: list[Page]
    conditions: list[Condition]

    @classmethod
    def of(cls, slug: str) -> Self:
        """Raises Http404 for an unknown name."""
        pages = list(Page.objects.filter(survey__slug=slug).select_related("survey"))
        if not pages:
            raise Http404(f"There is no survey {slug!r}, or it has no pages.")
        survey = pages[0].survey
        on_survey = Q(page__survey=survey) | Q(question__page__survey=survey)
        conditions = Condition.objects.filter(on_survey).select_related("source")
        return cls(survey, pages, list(conditions))

    def flow(self, answers: Mapping[int, Any]) -> Flow:
        return Flow(self.pages, self.conditions, answers)


def questions_of(page: Page, flow: Flow) -> list[Question]:
    """The questions of the page that are shown, with their choices."""
    choices = Prefetch("choices", Choice.objects.order_by("position"))
    questions = page.questions.order_by("position").prefetch_related(choices)
    return [question for question in questions if flow.asks(question.pk, page.pk)]


def listed() -> "QuerySet[Survey]":
    """The surveys with pages, each with its `page_count` and `question_count`."""
    return Survey.objects.annotate(
        page_count=Count("pages", distinct=True), question_count=Count("pages__questions")
    ).filter(page_count__gt=0)
