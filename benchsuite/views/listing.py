"""What was measured, by command and by configuration; deletion of runs, and notes on them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from benchsuite.comparing.cells import Cell, Starts, cells, reasons_of
from benchsuite.comparing.titles import cell_titles, load_title, units_beside, workload_title
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place
from benchsuite.core.results import Status
from benchsuite.core.units import counted, format_rate, listed
from benchsuite.models import Note, Run, StudyRun, Tuning
from benchsuite.report import queries, sentences
from benchsuite.report.pages import history
from benchsuite.report.pages.run_list import CommandTable, ConfigurationTable, Grouped, RunFilter
from benchsuite.report.studies.execution import headline
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.store import notes
from benchsuite.store.abandoned import sweep_executions
from benchsuite.views import access, live
from benchsuite.views.page import guarded, page, send_runs, wanted_ids

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
        return HttpResponseRedirect(address)
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
    text = request.GET.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text)):
        raise UsageError(f"{text[:60]!r} is no number from 1 on, as {name} must be.")
    return int(text)


MOST_RUNS = 12  #: Of a row of the list.
MOST_BARS = 5
GOODPUT = every.figure("goodput")
CLOSE = 1.05  #: Below this ratio no winner is named: a few percent are within what runs differ by.

Ranked = tuple[str, Cell, float]  #: A configuration with its title and its goodput.


def _commands(
    groups: Iterable[Mapping[str, Any]], runs: QuerySet[Run], *, filtering: bool, most: int
) -> list[dict[str, Any]]:
    """The commands of these groups with matching runs, in a fixed number of queries."""
    groups = list(groups)
    ids = [group["command"] for group in groups]
    executions: dict[UUID, Any] = {
        **StudyRun.objects.defer("text").in_bulk(ids),
        **Tuning.objects.prefetch_related("trials").in_bulk(ids),
    }
    batches = queries.of_batches(pk for pk in ids if pk not in executions)
    own = [run.pk for some in batches.values() for run in some]
    matching = set(runs.filter(pk__in=own).values_list("pk", flat=True)) if filtering else set(own)
    shown: dict[UUID, list[Run]] = {
        batch: [run for run in reversed(some) if run.pk in matching][:most]
        for batch, some in batches.items()
    }
    counts = {batch: Counter(map(sentences.state, some)) for batch, some in batches.items()}
    if executions:
        made = queries.by_command(runs)
        for run in queries.newest_of(made, "command", executions, most):
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
    configurations = cells(batch)
    ranked = _ranked(configurations)
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
        works, loads = ({*map(words, batch)} for words in (workload_title, load_title))
        parts = works if len(works) == 1 else [f"{len(works)} workloads"]
        title = " · ".join([*parts, *(loads if len(loads) == 1 else [f"{len(loads)} loads"])])
        answer = _answer(ranked) if ranked else _without(batch, configurations)
    url = f"{reverse('benchsuite:compare')}?batch={pk}"
    if execution or len(batch) == 1:
        url = (execution or batch[0]).get_absolute_url()
    starts = Starts([start for cell in configurations for start in cell.starts.every])
    repeats, known = {len(cell.runs) for cell in configurations}, sum(counts.values())
    size = counted(known, "run")
    if len(repeats) == 1 and len(configurations) > 1 and repeats != {1}:
        size = f"{len(configurations)} configurations × {repeats.pop()}"
    best, most = (ranked[0][1].first, ranked[0][2] or 1.0) if ranked else (first, 1.0)
    bars = [
        (title, format_rate(rate, units_beside(cell.first)), round(rate / most * 100, 1))
        for title, cell, rate in ranked[:MOST_BARS]
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


def _ranked(configurations: Sequence[Cell]) -> list[Ranked]:
    """Sound configurations that answer, most goodput first; none of different units."""
    sound = [
        (title, cell, cell.goodput)
        for title, cell in zip(cell_titles(configurations), configurations, strict=True)
        if cell.is_sound and cell.middle("connection_bytes") is None
    ]
    return sound if len({cell.first.unit for _, cell, _ in sound}) == 1 else []


def _answer(ranked: Sequence[Ranked]) -> str:
    """Which answered most, unless so few runs can't tell it from others."""
    (title, best, most), *behind = ranked
    own, close = best.figures(GOODPUT), []
    for name, cell, rate in behind:
        theirs, several = cell.figures(GOODPUT), min(len(best.entering), len(cell.entering)) > 1
        among = several and own and theirs and min(own) <= max(theirs)
        if most < CLOSE * rate or among:
            close.append(name)
    if close:
        several_names = f"{len(close)} others" if len(close) > 2 else listed(close)
        return f"{title} and {several_names}: too close to call"
    rate_words = format_rate(most, units_beside(best.first))
    return f"{title} answered most: {rate_words}" if behind else f"{title}: {rate_words}"


def _without(batch: Sequence[Run], configurations: Sequence[Cell]) -> str:
    if len({run.unit for run in batch}) > 1:
        return "Not ranked: their answers are not of one unit."
    if idle := [cell for cell in configurations if cell.is_sound]:
        return f"{listed(cell_titles(idle)[:MOST_BARS])}: idle connections"
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


@require_http_methods(["GET", "HEAD", "POST"])
@guarded
def delete(request: HttpRequest) -> HttpResponse:
    access.require(request, "delete_run", "Deleting runs needs")
    runs = queries.chosen(queries.listed(), wanted_ids(request))
    kept = [run for run in runs if run.status == Status.RUNNING.value]
    gone = [run for run in runs if run not in kept]
    if request.method == "POST" and gone:
        Run.objects.filter(pk__in=[run.pk for run in gone]).delete()
        return HttpResponseRedirect(f"{reverse('benchsuite:list')}?deleted={len(gone)}")
    return page(request, "delete", {"title": "Delete runs", "runs": gone, "kept": kept})


@require_http_methods(["GET", "HEAD", "POST"])
@guarded
def note_on(request: HttpRequest) -> HttpResponse:
    """Of `run` or `label`. A POST with `star` turns the star over and leaves the text."""
    access.require(request, "change_note", "Notes need")
    given = request.POST if request.method == "POST" else request.GET
    run, label = None, given.get("label", "")
    about: dict[str, Any] = {"label": label}
    what = f"the label “{label}”"
    if given.get("run", ""):
        run = queries.chosen(queries.listed(), [given["run"]])[0]
        about, what = {"run": run}, f"{history.title(run)}, {history.moment(run.started_at)}"
    elif not Run.objects.filter(label=label).exclude(label="").exists():
        raise UsageError(f"There is no run with the label {label[:60]!r} to note something of.")
    note, back = Note.objects.filter(**about).first() or Note(), _back(request, run)
    if request.method == "POST":
        if "star" in given:
            notes.keep(**about, starred=not note.starred)
        else:
            notes.keep(**about, text=given.get("text", ""), starred=given.get("starred") == "1")
        return HttpResponseRedirect(back)
    context = {"about": about, "note": note, "back": back, "longest": notes.LONGEST}
    return page(request, "note", {"title": f"Note on {what}", **context})


def _back(request: HttpRequest, run: Run | None) -> str:
    """Where the reader came from, if that is one of these pages."""
    wanted = request.POST.get("next", "") or request.headers.get("Referer", "")
    allowed = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    if allowed and "/note/" not in wanted:
        return wanted
    return run.get_absolute_url() if run else reverse("benchsuite:list")
