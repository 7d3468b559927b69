"""Loads the surveys of the package, and reads definitions in a fixed number of queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from django.core.management import call_command
from django.db import connections, transaction
from django.db.models import Count, Prefetch, Q, QuerySet
from django.http import Http404

from benchsuite.target.survey.definitions import Choice, Condition, Page, Question, Survey
from benchsuite.target.survey.flow import Flow
from benchsuite.target.survey.store import Visit

FOLDER = Path(__file__).parent.parent / "fixtures" / "surveys"


class SurveyError(Exception):
    """The surveys can't be loaded; says what to do."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The package's surveys in the database afterwards."""

    surveys: int
    pages: int
    questions: int


def slugs() -> list[str]:
    """The names of the package's surveys, the smallest first."""
    files = sorted(FOLDER.glob("*.json"), key=lambda path: path.stat().st_size)
    return [path.stem for path in files]


def load_surveys(*, using: str = "default") -> Loaded:
    """Creates or restores the seven surveys; answers and other surveys stay."""
    _check_tables(using)
    names = slugs()
    with transaction.atomic(using=using):
        for name in names:
            call_command("loaddata", str(FOLDER / f"{name}.json"), database=using, verbosity=0)
    pages = Page.objects.using(using).filter(survey__slug__in=names)
    questions = Question.objects.using(using).filter(page__in=pages)
    return Loaded(len(names), pages.count(), questions.count())


def _check_tables(using: str) -> None:
    table = Survey._meta.db_table
    if table not in connections[using].introspection.table_names():
        raise SurveyError(
            f"The table {table} is not in {connections[using].settings_dict['NAME']}; create it: "
            "python manage.py migrate benchsuite_target"
        )


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

    def page(self, number: int) -> Page:
        for page in self.pages:
            if page.number == number:
                return page
        raise Http404(f"The survey {self.survey.slug} has no page {number}.")

    def flow(self, answers: Mapping[int, Any]) -> Flow:
        return Flow(self.pages, self.conditions, answers)

    def may_end_with(self, number: int) -> bool:
        """Whether no answer on this page can show a later page."""
        later = {page.pk for page in self.pages if page.number > number}
        return not any(condition.page_id in later for condition in self.conditions)


def questions_of(page: Page, flow: Flow) -> list[Question]:
    """The questions of the page that are shown, with their choices."""
    choices = Prefetch("choices", Choice.objects.order_by("position"))
    questions = page.questions.order_by("position").prefetch_related(choices)
    return [question for question in questions if flow.asks(question.pk, page.pk)]


def stale(definition: Definition, visit: Visit, flow: Flow) -> set[int]:
    """IDs of answered questions that, after going back, are no longer shown."""
    if not definition.conditions:
        return set()
    answered = Question.objects.filter(pk__in=visit.answers).values_list("pk", "page_id")
    return {question for question, page in answered if not flow.asks(question, page)}


def listed() -> "QuerySet[Survey]":
    """The surveys with pages, each with its `page_count` and `question_count`."""
    return Survey.objects.annotate(
        page_count=Count("pages", distinct=True), question_count=Count("pages__questions")
    ).filter(page_count__gt=0)
