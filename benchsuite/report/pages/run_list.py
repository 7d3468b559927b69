"""The list of runs: its filters and its table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import django_filters
import django_tables2 as tables
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Case, F, Q, QuerySet, When
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from benchsuite.comparing.titles import level_title, load_title, size_title, workload_title
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric, Place
from benchsuite.core.results import Status, Verdict
from benchsuite.core.samples import REQUEST
from benchsuite.core.units import format_count
from benchsuite.models import Environment, Run
from benchsuite.report import queries
from benchsuite.report.pages import html

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
            sentences = [
                f"{name}: {error}" for name, all in self.form.errors.items() for error in all
            ]
            raise UsageError(f"These filters can’t be used. {' '.join(sentences)[:300]}")

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


MOST_ORDERS = 4  #: Columns by which a table is sorted one after another.

MOST_LEVELS = 4  #: Levels of a load that are all named.


def _last(what: Q) -> Case:
    return Case(When(what, then=1), default=0)


class Ordered(tables.Column):
    """A column whose missing values come last in both directions, newer runs first among equals."""

    fields: tuple[str, ...] = ()

    def __init__(self, *fields: str, numeric: bool = False, **options: Any) -> None:
        self.fields = fields
        kind = "figure" if numeric else ""
        attrs = {"td": {"class": kind}, "th": {"class": kind}} if kind else {}
        super().__init__(empty_values=(), attrs=attrs, **options)

    def order(self, queryset: QuerySet[Run], is_descending: bool) -> tuple[QuerySet[Run], bool]:  # noqa: FBT001 - django-tables2 calls it so
        columns = [
            F(name).desc(nulls_last=True) if is_descending else F(name).asc(nulls_last=True)
            for name in self.fields
        ]
        return queryset.order_by(*self.apart(), *columns, "-started_at", "pk"), True

    def apart(self) -> list[Any]:
        """What keeps rows from standing among the others."""
        return []


class FigureColumn(Ordered):
    """A measured figure, or "—" with the reason."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        options = {"verbose_name": metric.heading, "orderable": metric.read is not None}
        super().__init__(metric.name, numeric=True, **options)

    def apart(self) -> list[Any]:
        """Neither what is invalid nor answers of another unit stand among the others."""
        return [
            _last(Q(**{f"{self.metric.name}__isnull": True})),
            _last(Q(verdict=Verdict.INVALID.value)),
            *([_last(~Q(unit=REQUEST)), "unit"] if self.metric.of_answers else []),
        ]

    def render(self, record: Run) -> SafeString | str:
        return html.figure_text(record, self.metric)


class GoodputColumn(FigureColumn):
    """Goodput and, for workloads that count them, how many people came to the end.

    Idle connections answer nothing; there it is the memory that each takes.
    """

    def render(self, record: Run) -> SafeString | str:
        if record.connection_bytes is not None:
            each = html.figure_text(record, every.figure("connection_bytes"))
            return format_html('{} <span class="quiet">per connection</span>', each)
        shown = super().render(record)
        if level := level_title(record):
            return format_html('{} <span class="quiet">at {}</span>', shown, level)
        if record.completions is None:
            return shown
        return format_html(
            '{} <span class="quiet">{} completed</span>', shown, format_count(record.completions)
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one command that stand together; `batch` is None for a row on its own."""

    batch: queries.Batch | None
    rows: list[Any]


class RunTable(tables.Table):
    """One row a run: what it was, then the figures of the list."""

    chosen = tables.Column(
        verbose_name="", empty_values=(), orderable=False, attrs={"td": {"class": "tick"}}
    )
    verdict = Ordered("status", "verdict", verbose_name="verdict")
    when = Ordered("started_at", verbose_name="when")
    label = Ordered("label", verbose_name="label")
    workload = Ordered("workload", verbose_name="workload")
    server = Ordered("server", "server_version", verbose_name="server")
    size = Ordered("processes", "threads", numeric=True, verbose_name="processes × threads")
    load = Ordered("users", numeric=True, verbose_name="load")

    class Meta:
        model = Run
        fields = ()
        order_by = ("-when",)

    def __init__(self, runs: QuerySet[Run], wanted: Sequence[str] = ()) -> None:
        """In those of the wanted orders that there are; in the usual one without any."""
        figures = [
            (
                one.heading.lower().replace(" ", "_"),
                GoodputColumn(one) if one.name == "goodput" else FigureColumn(one),
            )
            for one in every.in_place(Place.LIST)
        ]
        columns = {**self.base_columns, **dict(figures)}
        known = {name for name, one in columns.items() if one.orderable is not False}
        order = [one for one in wanted[:MOST_ORDERS] if one.removeprefix("-") in known]
        super().__init__(runs, order_by=order or None, extra_columns=figures)

    def render_chosen(self, record: Run) -> SafeString:
        return format_html(
            '<input type="checkbox" name="runs" value="{}" aria-label="Choose {} of {}">',
            record.pk,
            record.server,
            _moment(record),
        )

    def render_verdict(self, record: Run) -> SafeString:
        word = html.badge(html.state(record))
        if record.status == Status.RUNNING.value:
            return format_html("{} {}", word, html.progress(record))
        return word

    def render_when(self, record: Run) -> SafeString:
        moment = localtime(record.started_at)
        return format_html(
            '<a href="{}"><time datetime="{}">{}</time></a>',
            record.get_absolute_url(),
            moment.isoformat(timespec="seconds"),
            _moment(record),
        )

    def render_label(self, record: Run) -> str:
        return record.label

    def render_workload(self, record: Run) -> str:
        return workload_title(record)

    def render_server(self, record: Run) -> SafeString:
        return format_html('{} <span class="quiet">{}</span>', record.server, record.server_version)

    def render_size(self, record: Run) -> str:
        return size_title(record)

    def render_load(self, record: Run) -> SafeString | str:
        """Many levels are told by the first and the last: the others would push figures out."""
        whole = load_title(record)
        levels = whole.split(", ")
        if len(levels) <= MOST_LEVELS:
            return whole
        return format_html('<span title="{}">{} … {}</span>', whole, levels[0], levels[-1])

    @property
    def grouped(self) -> bool:
        """Whether runs of one command can stand together: only when sorted by date."""
        return [str(one).lstrip("-") for one in self.order_by] == ["when"]

    def groups(self) -> Iterator[Group]:
        """The rows of this page; those of one command together under a line of their own."""
        rows = list(self.paginated_rows)
        if not self.grouped:
            yield Group(None, rows)
            return
        known = queries.batches(row.record.batch for row in rows)
        for batch, members in groupby(rows, key=lambda row: row.record.batch):
            whole = known.get(batch)
            yield Group(whole if whole and len(whole.runs) > 1 else None, list(members))


def _moment(run: Run) -> str:
    moment = localtime(run.started_at)
    this_year = moment.year == localtime().year
    return date_format(moment, "j M, H:i:s" if this_year else "j M Y, H:i")
