"""What was measured, by command and by configuration: filters, tables, rows with their answers."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from statistics import fmean
from typing import Any, ClassVar
from urllib.parse import urlencode
from uuid import UUID

import django_tables2 as tables
from django import forms
from django.core.exceptions import DisallowedRedirect
from django.db.models import Avg, Count, F, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.timezone import make_aware
from django_filters import FilterSet, filters

from benchsuite import conf
from benchsuite.comparing.answer import beside_best, climbs
from benchsuite.comparing.cells import Cell, Starts, cells, reasons_of
from benchsuite.comparing.cells import counted as without_diagnostic
from benchsuite.comparing.contrasts import (
    contrasts,
    deciding,
    figures_of,
    is_clear,
    metric,
    unranked,
)
from benchsuite.comparing.titles import (
    cell_titles,
    load_title,
    titled,
    units_beside,
    workload_title,
)
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place
from benchsuite.core.results import Status, Verdict
from benchsuite.core.specs import OPEN
from benchsuite.core.units import counted, listed
from benchsuite.models import Environment, Note, Run, StudyRun, Tuning
from benchsuite.report import queries, sentences
from benchsuite.report.pages import history
from benchsuite.report.studies.execution import headline
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.store import notes, sweep_executions
from benchsuite.views import access, live
from benchsuite.views.page import guarded, page, send_runs, wanted_ids

UNFINISHED = (Status.FAILED, Status.INTERRUPTED)  # what is running stands above the list
STATES = [(state.value, state.value) for state in (*Verdict, *UNFINISHED)]
SOUND = Q(status=Status.FINISHED.value, verdict__in=[Verdict.VALID.value, Verdict.WEAK.value])
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
        "goodput": Avg("goodput", filter=SOUND & Q(requests__gt=0)),
        **{name: Avg(name, filter=SOUND) for name in ("p95_s", "memory_bytes")},
    }
    server = Ordered("key", "server", "processes", "threads", verbose_name="configuration")
    what = Ordered("key", "workload", "users", verbose_name="what")
    runs = Ordered("key", "count", figure=True, verbose_name="runs")
    goodput = Ordered("key", "goodput", figure=True, verbose_name="goodput, mean")
    p95 = Ordered("key", "p95_s", figure=True, verbose_name="p95, mean")
    memory = Ordered("key", "memory_bytes", figure=True, verbose_name="memory, mean")
    history = tables.Column(orderable=False, empty_values=(), verbose_name="history")
    when = Ordered("key", "newest", verbose_name="newest")


PER_PAGE = 25
MOST_OF_COMMAND = 200  #: Runs that are listed of a command by itself.

GOES = ("compare", "csv", "json", "delete", "clear")  #: What can be done with chosen runs.


@guarded
def show(request: HttpRequest) -> HttpResponse:
    """The commands, newest first; what is under way stands above them."""
    sweep_executions()
    return _listing(request, CommandTable, live.under_way())


@guarded
def configurations(request: HttpRequest) -> HttpResponse:
    return _listing(request, ConfigurationTable, [])


def _listing(
    request: HttpRequest, kind: type[Grouped], running: Sequence[live.UnderWay]
) -> HttpResponse:
    if address := _elsewhere(request):
        try:
            return HttpResponseRedirect(address)
        except DisallowedRedirect as error:
            raise UsageError("All that is too long for one address: choose less.") from error
    filters = RunFilter(request.GET, queryset=queries.listed())
    filters.refuse_nonsense()
    number, deleted = _number(request, "page") or 1, _number(request, "deleted")
    runs = filters.qs
    table = kind(_ended(runs), request.GET.get("sort", ""))
    table.paginate(per_page=PER_PAGE)
    table.page = table.paginator.get_page(number)
    filtering = any(filters.form.cleaned_data.values())
    total = table.paginator.count
    context: dict[str, Any] = {
        "title": "Results",
        "filters": filters,
        "sort": request.GET.get("sort", ""),
        "filtering": filtering,
        "table": table,
        "total": total,
        "under_way": running if number == 1 else [],
        "nothing_yet": not total and not running and not Run.objects.exists(),
        "may_delete": access.may(request, "delete_run"),
        "deleted": deleted,
    }
    if kind is CommandTable:
        most = MOST_OF_COMMAND if "command" in request.GET else MOST_RUNS
        rows = _commands(table.records, runs, filtering=filtering, most=most)
        shown = {str(row["command"]) for row in rows}
        shown |= {str(run.pk) for row in rows for run in row["runs"]}
        context |= {"rows": rows, "figures": every.in_place(Place.LIST)}
    else:
        lines = history.lines([record["key"] for record in table.records])
        shown = {str(run.pk) for run, _ in lines.values()}
        context["rows"] = [(record, *lines[record["key"]]) for record in table.records]
    context["chosen"] = dict.fromkeys(wanted_ids(request)[: queries.MOST_CHOSEN])
    context["elsewhere"] = [pk for pk in context["chosen"] if pk not in shown]
    name = "list" if kind is CommandTable else "configurations"
    return page(request, name, {**context, "tab": name})


def _ended(runs: Any) -> Any:
    runs = queries.by_command(runs)
    kinds: Any = {Run: ("batch", "batch"), StudyRun: ("command", "pk"), Tuning: ("command", "pk")}
    for kind, (column, of_kind) in kinds.items():
        running = kind.objects.filter(status=Status.RUNNING.value).order_by()
        runs = runs.exclude(**{f"{column}__in": running.values(of_kind)})
    return runs


def _elsewhere(request: HttpRequest) -> str:
    """Where a button leads, or a shorter address; UsageError for a button that there is not."""
    given = request.GET.copy()
    if (go := given.get("go", "")) and go not in GOES:
        raise UsageError(f"There is no action {go[:60]!r}; {choices(go, GOES)}")
    if go == "clear":
        given.setlist("runs", [""])
    elif go:
        runs = ",".join(wanted_ids(request))
        name = go if go in ("compare", "delete") else "export"
        words = {"runs": runs, "chosen": "1", **({"format": go} if name == "export" else {})}
        return f"{reverse(f'benchsuite:{name}')}?{urlencode(words, safe=',')}"
    given.setlist("go", [""])
    if "order" in given:
        given["sort"] = given.pop("order")[-1]
    for name in [name for name, values in given.lists() if not any(values)]:
        del given[name]
    if given == request.GET:
        return ""
    return f"{request.path}?{given.urlencode()}".rstrip("?")


def _number(request: HttpRequest, name: str) -> int | None:
    if not (text := request.GET.get(name, "")):
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text)):
        raise UsageError(f"{text[:60]!r} is no number from 1 on, as {name} must be.")
    return int(text)


MOST_RUNS = 12  #: Of a row of the list.
MOST_BARS = 5
Ranked = tuple[str, Cell, float]  #: A configuration with its title and what it is ranked by.


def _commands(
    groups: Sequence[Mapping[str, Any]], runs: QuerySet[Run], *, filtering: bool, most: int
) -> list[dict[str, Any]]:
    """The commands of these groups with matching runs, in a fixed number of queries."""
    ids = [group["command"] for group in groups]
    executions: dict[UUID, Any] = {
        **StudyRun.objects.defer("text").in_bulk(ids),
        **Tuning.objects.prefetch_related("trials").in_bulk(ids),
    }
    batches = queries.of_batches(pk for pk in ids if pk not in executions)
    # an open load asks for journeys, of which `per_journey` needs how many requests they make
    queries.add_journeys([run for some in batches.values() for run in some if run.model == OPEN])
    own = [run.pk for some in batches.values() for run in some]
    matching = set(runs.filter(pk__in=own).values_list("pk", flat=True)) if filtering else set(own)
    shown: dict[UUID, list[Run]] = {
        batch: [run for run in reversed(some) if run.pk in matching][:most]
        for batch, some in batches.items()
    }
    counts = {batch: Counter(map(sentences.state, some)) for batch, some in batches.items()}
    if executions:
        for run in queries.newest_of(queries.by_command(runs), "command", executions, most):
            shown.setdefault(run.command, []).append(run)  # type: ignore[attr-defined]
        known = queries.by_command(Run.objects.order_by()).filter(command__in=list(executions))
        states = known.values_list("command", "status", "verdict").annotate(Count("pk"))
        for pk, status, verdict, many in states:
            state = verdict if status == Status.FINISHED.value and verdict else status
            counts.setdefault(pk, Counter())[state] += many
    noted = notes.of([run for some in (*batches.values(), *shown.values()) for run in some])
    rows = []
    for group in groups:
        pk = group["command"]
        batch, mine, execution = batches.get(pk, []), shown.get(pk, []), executions.get(pk)
        if not execution and not mine:
            continue
        row = {**group, **_row(pk, batch, mine, execution, counts.get(pk, Counter())), "runs": mine}
        pks, labels = ({getattr(run, name) for run in [*batch, *mine]} for name in ("pk", "label"))
        row["notes"] = [one for one in noted if one.run_id in pks or one.label in labels]
        if star := next((note for note in row["notes"] if note.starred), None):  # a click takes it
            row["starred"] = ("run", star.run_id) if star.run_id else ("label", star.label)
        rows.append(row)
    return rows


def _row(
    pk: UUID,
    batch: Sequence[Run],
    shown: Sequence[Run],
    execution: StudyRun | Tuning | None,
    counts: Mapping[str, int],
) -> dict[str, Any]:
    """Of a batch with all its runs in their order, an execution of a study, or a tuning."""
    batch = without_diagnostic(batch)
    configurations = cells(batch)
    lines = climbs([cell for cell in configurations if cell.is_sound])
    beside = beside_best(lines) if lines else configurations
    figure, ranked = _ranked(beside)
    works = {*map(workload_title, batch)}
    if len(works) > 1:
        ranked = []
    first = batch[0] if batch else shown[-1] if shown else None
    label = execution.label if execution else first.label if first else ""
    if isinstance(execution, StudyRun):
        title, answer = f"study {execution.name}", headline(execution.outcomes)
    elif isinstance(execution, Tuning):
        try:
            report = tuning_report(execution)
            title, answer = f"tune {report.workload} · {report.objective}", report.outcome.headline
        except UsageError as error:
            title, answer = "tune ", str(error)
    else:
        loads = {*map(load_title, batch)}
        parts = works if len(works) == 1 else [f"{len(works)} workloads"]
        title = " · ".join([*parts, *(loads if len(loads) == 1 else [f"{len(loads)} loads"])])
        answer = _answer(figure, ranked) if ranked else _without(batch, works, beside, figure)
        if lines and ranked:
            answer = f"At {load_title(ranked[0][1].first)}: {answer}"
    url = f"{reverse('benchsuite:compare')}?batch={pk}"
    if execution or len(batch) == 1:
        url = (execution or batch[0]).get_absolute_url()
    starts = Starts([start for cell in configurations for start in cell.starts.every])
    repeats, known = {len(cell.runs) for cell in configurations}, sum(counts.values())
    size = counted(known, "run")
    if len(repeats) == 1 and len(configurations) > 1 and repeats != {1}:
        size = f"{len(configurations)} configurations × {repeats.pop()}"
    best, drawn = ranked[0][1].first if ranked else first, ranked[:MOST_BARS]
    most = max([value for _, _, value in drawn], default=0.0) or 1.0
    bars = [
        (title, figure.show(value, units_beside(cell.first)), round(value / most * 100, 1))
        for title, cell, value in drawn
    ]
    return {
        "title": title,
        "answer": answer,
        "url": url,
        "label": label,
        "bars": bars if len(bars) > 1 else [],
        "more_bars": max(0, len(ranked) - MOST_BARS),
        "excluded": "" if starts.is_whole else starts.words,
        "known": known,
        "size": size,
        "states": [(word, counts[word]) for word in sentences.SHAPES if counts.get(word)],
        # What its star stands for, as the form names it: its label, else the best of its runs.
        "star": ("label", label) if label or not best else ("run", str(best.pk)),
    }


def _ranked(configurations: Sequence[Cell]) -> tuple[Metric, list[Ranked]]:
    """What decides, and sound configurations that have it, best first; none of different units."""
    names, margins = figures_of(configurations), conf.margins()
    figure = deciding(configurations, [metric(name, margins) for name in names])
    sound = [
        (title, cell, fmean(values))
        for title, cell in zip(cell_titles(configurations), configurations, strict=True)
        if cell.is_sound and (values := cell.compared(figure))
    ]
    sound.sort(key=lambda ranked: ranked[2], reverse=figure.more_is_better)
    return figure, sound if len({cell.first.unit for _, cell, _ in sound}) == 1 else []


def _answer(figure: Metric, ranked: Sequence[Ranked]) -> str:
    """Which is best, unless its runs can't tell it from others."""
    (title, best, most), *behind = ranked
    compared = contrasts([(best, cell) for _, cell, _ in behind], [figure])
    pairs = zip(behind, compared, strict=True)
    if close := [name for (name, _, _), contrast in pairs if not is_clear(contrast)]:
        several_names = f"{len(close)} others" if len(close) > 2 else listed(close)
        return f"{title} and {several_names}: too close to call"
    words = figure.show(most, units_beside(best.first))
    return f"{title} {figure.won}: {words}" if behind else f"{title}: {words}"


def _without(
    batch: Sequence[Run], works: Collection[str], configurations: Sequence[Cell], figure: Metric
) -> str:
    if len({run.unit for run in batch}) > 1:
        return "Not ranked: their answers are not of one unit."
    if len(works) > 1:
        return "Not ranked: they did not do the same work."
    if any(cell.is_sound for cell in configurations):
        return unranked(titled(configurations), figure)
    if reasons := [reason for run in batch if (reason := sentences.reason(run, 120))]:
        return f"Nothing counts: {reasons[0]}"
    why = reasons_of([start for cell in configurations for start in cell.starts.every])
    return f"Nothing counts: all runs are invalid{f' ({why})' if why else ''}."


@guarded
def export(request: HttpRequest) -> HttpResponseBase:
    """The runs in `runs` or `batch`, else all that match; with `chosen`, none is an error."""
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    wanted = queries.exported()
    runs: Iterable[Run]
    if ids or batch or "chosen" in request.GET:
        runs = queries.each(wanted, queries.chosen_ids(ids, batch), queries.WHOLE_AT_ONCE)
    else:
        filters = RunFilter(request.GET, queryset=wanted)
        filters.refuse_nonsense()
        runs = queries.by_and_by(filters.qs)
    return send_runs(request, runs, "runs")
