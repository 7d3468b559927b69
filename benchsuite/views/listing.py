"""What was measured, by command and by configuration; deletion of runs, and notes on them."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place
from benchsuite.core.results import Status
from benchsuite.models import Note, Run, StudyRun, Tuning
from benchsuite.report import live, queries
from benchsuite.report.pages import history
from benchsuite.report.pages.commands import MOST_RUNS, commands
from benchsuite.report.pages.run_list import CommandTable, ConfigurationTable, Grouped, RunFilter
from benchsuite.store import notes, sweep_executions
from benchsuite.views import access
from benchsuite.views.export import wanted_ids
from benchsuite.views.page import guarded, page

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
        rows = commands(table.records, runs, filtering=filtering, most=most)
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
