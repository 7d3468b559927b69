"""What the list can be filtered by, and its tables: of commands and of configurations."""

from datetime import date, datetime, time
from typing import Any, ClassVar
from uuid import UUID

import django_tables2 as tables
from django import forms
from django.db.models import Avg, Count, F, Max, Q, QuerySet
from django.utils.timezone import make_aware
from django_filters import FilterSet, filters

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.results import Status, Verdict
from benchsuite.models import Environment, Note, Run
from benchsuite.report import queries

UNFINISHED = (Status.FAILED, Status.INTERRUPTED)  # what is running stands above the list
STATES = [(state.value, state.value) for state in (*Verdict, *UNFINISHED)]
MOST_SEARCHED = 80  #: Letters: each word is looked for in several columns of every run.
SEARCHED = "label, server, workload, id, reason"
SEARCH = forms.TextInput(attrs={"type": "search", "placeholder": SEARCHED})
DATE = forms.DateInput(attrs={"type": "date"})


class RunFilter(FilterSet):
    q = filters.CharFilter(label="Search", method="search", max_length=MOST_SEARCHED, widget=SEARCH)
    server = filters.AllValuesMultipleFilter(label="Server", widget=forms.CheckboxSelectMultiple)
    workload = filters.AllValuesFilter(label="Workload", empty_label="all")
    verdict = filters.ChoiceFilter(
        label="Verdict", choices=STATES, method="by_state", empty_label="all"
    )
    project = filters.ChoiceFilter(label="Project", choices=[], empty_label="all")
    environment = filters.ModelChoiceFilter(
        label="Environment", queryset=Environment.objects.order_by("-created"), empty_label="all"
    )
    since = filters.DateFilter(label="From", method="by_day", widget=DATE)
    until = filters.DateFilter(label="To", method="by_day", widget=DATE)
    noted = filters.BooleanFilter(
        label="With a star or a note", method="by_note", widget=forms.CheckboxInput
    )
    command = filters.UUIDFilter(method="by_command", widget=forms.HiddenInput)

    class Meta:
        model = Run
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        projects = Run.objects.exclude(project="").order_by("project")
        names = projects.values_list("project", flat=True).distinct()
        self.filters["project"].extra["choices"] = [(name, name) for name in names]
        if not names:
            self.filters["project"].extra["widget"] = forms.HiddenInput

    def refuse_nonsense(self) -> None:
        """Raises UsageError for a filter that means nothing: without it, all runs would be left."""
        if not self.form.is_valid():
            errors = self.form.errors.items()
            sentences = [f"{name}: {error}" for name, some in errors for error in some]
            raise UsageError(f"These filters can’t be used. {' '.join(sentences)[:300]}")

    def search(self, runs: QuerySet[Run], name: str, text: str) -> QuerySet[Run]:
        for word in text.split():
            anywhere = Q()
            for column in ("label", "project", "server", "server_version", "workload", "failure"):
                anywhere |= Q(**{f"{column}__icontains": word})
            plain = word.replace("-", "").lower()
            if len(plain) >= 6 and set(plain) <= set("0123456789abcdef"):
                # dashed as it is written: some databases keep the dashes
                anywhere |= Q(pk=plain) if len(plain) == 32 else Q(pk__icontains=word)
            runs = runs.filter(anywhere)
        return runs

    def by_state(self, runs: QuerySet[Run], name: str, word: str) -> QuerySet[Run]:
        """A verdict is that of a finished run; the other words are states."""
        if word in {verdict.value for verdict in Verdict}:
            return runs.filter(status=Status.FINISHED.value, verdict=word)
        return runs.filter(status=word)

    def by_day(self, runs: QuerySet[Run], name: str, day: date) -> QuerySet[Run]:
        """Of the zone in which pages tell times; a database may know none, or is not told it."""
        day = day.replace(year=min(max(day.year, 2), 9998))  # in any zone there is such a moment
        if name == "since":
            return runs.filter(started_at__gte=make_aware(datetime.combine(day, time.min)))
        return runs.filter(started_at__lte=make_aware(datetime.combine(day, time.max)))

    def by_note(self, runs: QuerySet[Run], name: str, wanted: bool) -> QuerySet[Run]:  # noqa: FBT001 - django-filter calls it so
        labels = Note.objects.exclude(label=None).values("label")
        noted = Q(pk__in=Note.objects.exclude(run=None).values("run")) | Q(label__in=labels)
        return runs.filter(noted) if wanted else runs

    def by_command(self, runs: QuerySet[Run], name: str, pk: UUID) -> QuerySet[Run]:
        return queries.by_command(runs).filter(command=pk)


def _sound(figure: str) -> Avg:
    """The mean of a figure over runs that count."""
    valid = Q(status=Status.FINISHED.value, verdict__in=[Verdict.VALID.value, Verdict.WEAK.value])
    return Avg(figure, filter=valid)


class Ordered(tables.Column):
    """A column whose missing values come last in both directions, newer rows first among equals."""

    def __init__(self, identity: str, *fields: str, figure: bool = False, **options: Any) -> None:
        self.identity, self.fields = identity, fields
        attrs = {"th": {"class": "figure"}} if figure else {}
        super().__init__(empty_values=(), attrs=attrs, **options)

    def order(self, queryset: Any, is_descending: bool) -> tuple[Any, bool]:  # noqa: FBT001 - django-tables2 calls it so
        way = "desc" if is_descending else "asc"
        columns = [getattr(F(name), way)(nulls_last=True) for name in self.fields]
        return queryset.order_by(*columns, "-newest", self.identity), True


class Grouped(tables.Table):
    """Groups of runs as they are `queries.by_command`, sorted and paged by the database."""

    identity = ""  #: By what runs are grouped.
    figures: ClassVar[dict[str, Any]] = {}

    def __init__(self, runs: QuerySet[Run], order: str = "") -> None:
        """In that order; raises UsageError for one that there is not."""
        known = [name for name, one in self.base_columns.items() if one.orderable is not False]
        if order and order.removeprefix("-") not in known:
            words = f"There is no column {order[:60]!r} to sort by; {choices(order, known)}"
            raise UsageError(words)
        groups = runs.order_by().values(self.identity)
        figures = {"newest": Max("started_at"), "count": Count("pk"), **self.figures}
        super().__init__(groups.annotate(**figures), order_by=order or "-when")

    @property
    def records(self) -> list[dict[str, Any]]:
        return [row.record for row in self.paginated_rows]


class CommandTable(Grouped):
    identity = "command"
    figures: ClassVar[dict[str, Any]] = {"label": Max("label"), "workload": Max("workload")}
    when = Ordered("command", "newest", verbose_name="when")
    what = Ordered("command", "workload", verbose_name="what")
    answer = tables.Column(orderable=False, empty_values=(), verbose_name="answer")
    runs = Ordered("command", "count", verbose_name="runs")
    label = Ordered("command", "label", verbose_name="label and note")


class ConfigurationTable(Grouped):
    identity = "key"
    figures: ClassVar[dict[str, Any]] = {
        **{name: Max(name) for name in ("server", "workload", "users", "processes", "threads")},
        **{name: _sound(name) for name in ("goodput", "p95_s", "memory_bytes")},
    }
    server = Ordered("key", "server", "processes", "threads", verbose_name="configuration")
    what = Ordered("key", "workload", "users", verbose_name="what")
    runs = Ordered("key", "count", figure=True, verbose_name="runs")
    goodput = Ordered("key", "goodput", figure=True, verbose_name="goodput, mean")
    p95 = Ordered("key", "p95_s", figure=True, verbose_name="p95, mean")
    memory = Ordered("key", "memory_bytes", figure=True, verbose_name="memory, mean")
    history = tables.Column(orderable=False, empty_values=(), verbose_name="history")
    when = Ordered("key", "newest", verbose_name="newest")
