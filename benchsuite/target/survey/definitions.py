"""Surveys: stored, loaded, read in a fixed number of queries, and what is shown by the answers."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.validators import MinValueValidator
from django.db import models, transaction
from django.db.models import CheckConstraint, Count, Prefetch, Q, QuerySet, UniqueConstraint
from django.http import Http404

FOLDER = Path(__file__).parent.parent / "fixtures" / "surveys"


class Kind(models.TextChoices):
    SHORT = "short", "short text"
    LONG = "long", "long text"
    NUMBER = "number", "number"
    DATE = "date", "date"
    EMAIL = "email", "e-mail address"
    YESNO = "yesno", "yes or no"
    RADIO = "radio", "one of several, as buttons"
    SELECT = "select", "one of several, as a list"
    MULTIPLE = "multiple", "several of several"
    RATING = "rating", "rating grid"
    FILE = "file", "file"


WITH_CHOICES = (Kind.RADIO, Kind.SELECT, Kind.MULTIPLE, Kind.RATING)
"""Kinds whose choices are rows of their own; those of a rating grid are its lines."""
LONGEST_SCALE = 10  #: Steps of a rating grid.
LARGEST_UPLOAD = 2 * 1024 * 1024  #: Uploads are kept in the database, so they stay small.


Row = TypeVar("Row", bound="Keyed")


class KeyedManager(models.Manager[Row]):
    def get_by_natural_key(self, *key: Any) -> Row:
        return self.get(**dict(zip(self.model.KEY, key, strict=True)))


class Keyed(models.Model):
    """Rows that fixtures name by what the fields of `KEY` hold."""

    KEY: ClassVar[tuple[str, ...]]
    objects: ClassVar[KeyedManager[Self]] = KeyedManager()

    class Meta:
        abstract = True

    def natural_key(self) -> tuple[Any, ...]:
        return tuple(attrgetter(path.replace("__", "."))(self) for path in self.KEY)


class Survey(Keyed):
    KEY = ("slug",)
    slug = models.SlugField(unique=True, help_text="Its address.")
    title = models.CharField(max_length=200)
    intro = models.TextField(blank=True, help_text="Stands above the first page.")
    thanks = models.TextField(blank=True, help_text="Stands on the last page.")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title


class Page(Keyed):
    KEY = ("survey__slug", "number")
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="pages")
    number = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    title = models.CharField(max_length=200)
    intro = models.TextField(blank=True)

    class Meta:
        ordering = ["survey", "number"]
        constraints = [UniqueConstraint(fields=["survey", "number"], name="survey_page_number")]

    def __str__(self) -> str:
        return f"{self.survey} {self.number}: {self.title}"


def _limit(help_text: str) -> "models.DecimalField[Any, Any]":
    return models.DecimalField(
        max_digits=12, decimal_places=3, null=True, blank=True, help_text=help_text
    )


class Question(Keyed):
    KEY = ("page__survey__slug", "page__number", "name")
    page = models.ForeignKey(Page, models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    name = models.SlugField(help_text="The name of its field in the form.")
    kind = models.CharField(max_length=10, choices=Kind)
    text = models.CharField(max_length=300)
    help = models.CharField(max_length=300, blank=True)
    required = models.BooleanField(default=True)
    minimum = _limit("Least number, fewest ticks, or first step of a rating.")
    maximum = _limit("Greatest number, most ticks, or last step of a rating.")
    decimals = models.PositiveSmallIntegerField(default=0, help_text="0 for whole numbers.")
    earliest = models.DateField(null=True, blank=True)
    latest = models.DateField(null=True, blank=True)
    max_length = models.PositiveIntegerField(null=True, blank=True)
    pattern = models.CharField(
        max_length=200, blank=True, help_text="A regular expression that the whole text must match."
    )
    pattern_hint = models.CharField(
        max_length=200, blank=True, help_text="The pattern in words; shown with the question."
    )
    low_label = models.CharField(max_length=50, blank=True)
    high_label = models.CharField(max_length=50, blank=True)
    max_bytes = models.PositiveIntegerField(null=True, blank=True)
    accept = models.CharField(
        max_length=100, blank=True, help_text="Endings of allowed files: .pdf,.png"
    )

    class Meta:
        ordering = ["page", "position"]
        constraints = [UniqueConstraint(fields=["page", "name"], name="survey_question_name")]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuses impossible limits; those that the kind does not have say nothing."""
        errors: dict[str, str] = {}
        for least, most in (("minimum", "maximum"), ("earliest", "latest")):
            low, high = getattr(self, least), getattr(self, most)
            if low is not None and high is not None and low > high:
                errors[most] = f"Must not be below {low}."
        if self.pattern:
            try:
                for written in (self.pattern, f"(?:{self.pattern})"):  # alone, and as pages have it
                    re.compile(written)
            except re.error as error:
                errors["pattern"] = f"Not a regular expression: {error}."
        if self.kind == Kind.RATING:
            low, high = self.minimum, self.maximum
            if low is None or high is None or low % 1 or high - low not in range(1, LONGEST_SCALE):
                errors["maximum"] = f"A rating has 2 to {LONGEST_SCALE} steps, in whole numbers."
        if errors:
            raise ValidationError(errors)


class Choice(Keyed):
    """An answer to choose; for a rating grid one of its lines."""

    KEY = (*(f"question__{path}" for path in Question.KEY), "value")
    question = models.ForeignKey(Question, models.CASCADE, related_name="choices")
    position = models.PositiveSmallIntegerField()
    value = models.SlugField()
    label = models.CharField(max_length=200)

    class Meta:
        ordering = ["question", "position"]
        constraints = [UniqueConstraint(fields=["question", "value"], name="survey_choice_value")]

    def __str__(self) -> str:
        return self.label

    def clean(self) -> None:
        if self.question_id and self.question.kind not in WITH_CHOICES:
            raise ValidationError(f"A question of kind {self.question.kind} has no choices.")


class Operator(models.TextChoices):
    IS = "is", "is, or contains"
    IS_NOT = "isnot", "is not, and does not contain"
    AT_LEAST = "atleast", "is at least"
    AT_MOST = "atmost", "is at most"


class ConditionManager(models.Manager["Condition"]):
    def get_by_natural_key(self, slug: str, number: int, name: str, *source: Any) -> "Condition":
        if name:
            target = zip(Question.KEY, (slug, number, name), strict=True)
            lookups = {f"question__{path}": value for path, value in target}
        else:
            lookups = {"page__survey__slug": slug, "page__number": number}
        decides = ("source__page__number", "source__name", "operator")
        return self.get(**lookups, **dict(zip(decides, source, strict=True)))


class Condition(models.Model):
    """A page or question is shown only if all of its conditions hold, none of them on no answer."""

    page = models.ForeignKey(Page, models.CASCADE, null=True, blank=True, related_name="conditions")
    question = models.ForeignKey(
        Question, models.CASCADE, null=True, blank=True, related_name="conditions"
    )
    source = models.ForeignKey(
        Question, models.CASCADE, related_name="decides", help_text="A question of an earlier page."
    )
    operator = models.CharField(max_length=10, choices=Operator, default=Operator.IS)
    value = models.CharField(max_length=100)
    objects = ConditionManager()

    class Meta:
        constraints = [
            CheckConstraint(
                condition=Q(page=None) ^ Q(question=None), name="survey_condition_on_one"
            ),
            UniqueConstraint(fields=["page", "source", "operator"], name="survey_condition_page"),
            UniqueConstraint(
                fields=["question", "source", "operator"], name="survey_condition_question"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source.name} {self.get_operator_display()} {self.value}"

    @property
    def target_page(self) -> Page:
        """The conditional page, or the page of the conditional question."""
        if self.page is not None:
            return self.page
        assert self.question is not None
        return self.question.page

    def natural_key(self) -> tuple[Any, ...]:
        name = self.question.name if self.question else ""
        decides = (self.source.page.number, self.source.name, self.operator)
        return (*self.target_page.natural_key(), name, *decides)

    def clean(self) -> None:
        if not self.source_id or not (self.page_id or self.question_id):
            return
        target, source = self.target_page, self.source.page
        if source.survey_id != target.survey_id or source.number >= target.number:
            raise ValidationError(
                {"source": "It must be a question of an earlier page of the same survey."}
            )


def load_surveys() -> tuple[int, int, int]:
    """Creates or restores the seven surveys, no answers; how many surveys, pages and questions."""
    files = sorted(FOLDER.glob("*.json"))
    with transaction.atomic():  # in which it doesn't close the connection
        call_command("loaddata", *map(str, files), verbosity=0)
    pages = Page.objects.using("default").filter(survey__slug__in=[path.stem for path in files])
    questions = Question.objects.using("default").filter(page__in=pages)
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
