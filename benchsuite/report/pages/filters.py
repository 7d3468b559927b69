"""The filters beside the list of runs."""

from typing import Any

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Status, Verdict
from benchsuite.models import Environment, Run

STATES = [
    (word, word)
    for word in (
        *(verdict.value for verdict in Verdict),
        Status.RUNNING.value,
        Status.FAILED.value,
        Status.INTERRUPTED.value,
    )
]


MOST_LETTERS = 200
MOST_WORDS = 12


def few_words(text: str) -> None:
    """Each word is looked for in several columns of every run."""
    count = len(text.split())
    if count > MOST_WORDS:
        raise ValidationError(f"Search for {MOST_WORDS} words at most; these are {count}.")


class DateInput(forms.DateInput):
    input_type = "date"


class RunFilter(django_filters.FilterSet):
    """Which runs the list shows; the choices are those that occur."""

    q = django_filters.CharFilter(
        label="Search",
        method="search",
        max_length=MOST_LETTERS,
        validators=[few_words],
        widget=forms.TextInput(
            attrs={"type": "search", "placeholder": "label, server, workload, id, reason"}
        ),
    )
    server = django_filters.MultipleChoiceFilter(
        label="Server", choices=[], widget=forms.CheckboxSelectMultiple
    )
    workload = django_filters.ChoiceFilter(label="Workload", choices=[], empty_label="all")
    verdict = django_filters.ChoiceFilter(
        label="Verdict", choices=STATES, method="by_state", empty_label="all"
    )
    label = django_filters.CharFilter(
        label="Label",
        lookup_expr="icontains",
        max_length=MOST_LETTERS,
        widget=forms.TextInput(attrs={"placeholder": "part of a label"}),
    )
    environment = django_filters.ModelChoiceFilter(
        label="Environment", queryset=Environment.objects.order_by("-created"), empty_label="all"
    )
    since = django_filters.DateFilter(
        label="From", field_name="started_at", lookup_expr="date__gte", widget=DateInput
    )
    until = django_filters.DateFilter(
        label="To", field_name="started_at", lookup_expr="date__lte", widget=DateInput
    )

    class Meta:
        model = Run
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("server", "workload"):
            self.filters[name].extra["choices"] = _occurring(name)

    def refuse_nonsense(self) -> None:
        """Raises UsageError for a filter that means nothing: without it, all runs would be left."""
        if not self.form.is_valid():
            said = [f"{name}: {error}" for name, all in self.form.errors.items() for error in all]
            raise UsageError(f"These filters can’t be used. {' '.join(said)[:300]}")

    def search(self, runs: QuerySet[Run], name: str, text: str) -> QuerySet[Run]:
        """Every word must occur somewhere."""
        for word in text.split():
            anywhere = (
                Q(label__icontains=word)
                | Q(server__icontains=word)
                | Q(server_version__icontains=word)
                | Q(workload__icontains=word)
                | Q(failure__icontains=word)
            )
            plain = word.replace("-", "").lower()
            if len(plain) >= 6 and set(plain) <= set("0123456789abcdef"):
                anywhere |= Q(pk__icontains=plain)
            runs = runs.filter(anywhere)
        return runs

    def by_state(self, runs: QuerySet[Run], name: str, word: str) -> QuerySet[Run]:
        """A verdict is that of a finished run; the other words are states."""
        if word in {verdict.value for verdict in Verdict}:
            return runs.filter(status=Status.FINISHED.value, verdict=word)
        return runs.filter(status=word)


def _occurring(column: str) -> list[tuple[str, str]]:
    values = Run.objects.order_by(column).values_list(column, flat=True).distinct()
    return [(value, value) for value in values]
