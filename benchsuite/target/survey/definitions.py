"""Surveys with their pages, questions of each kind, choices and conditions."""

import re
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint


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
