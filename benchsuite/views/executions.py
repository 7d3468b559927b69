"""Studies, and which of their claims hold; tunings, and which server in which size holds what."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from benchsuite import conf
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.results import Status
from benchsuite.core.units import gathered
from benchsuite.models import StudyRun, Tuning
from benchsuite.report import queries
from benchsuite.report.studies import several
from benchsuite.report.studies.execution import StudyReport, chosen, csv, headline, study_report
from benchsuite.report.tuning.evidence import TuningReport, tuning_report
from benchsuite.store import sweep_executions
from benchsuite.studies import reading
from benchsuite.views import live
from benchsuite.views.access import NotShown, gone
from benchsuite.views.page import download, formats_of, guarded, page


@guarded
def studies(request: HttpRequest) -> HttpResponse:
    files = conf.study_files()
    sweep_executions()
    executed = gathered((row.name, row) for row in StudyRun.objects.defer("text").all())
    shown: list[dict[str, Any]] = []
    for name in dict.fromkeys([*files, *executed]):
        rows, question, wrong = executed.get(name, []), "", ""
        try:
            question = reading.read(files[name]).question if name in files else ""
        except UsageError as error:
            wrong = str(error)
        study = {"name": name, "question": question, "error": wrong, "executions": rows}
        shown.append({**study, "answer": headline(rows[0].outcomes) if rows else ""})
    return page(request, "studies", {"title": "Studies", "studies": shown})


@guarded
def study(request: HttpRequest, name: str) -> HttpResponseBase:
    mine, wanted = _report(request, name), request.GET.get("format", "")
    beside = several.chosen_beside(mine, request.GET.get("with", ""))
    if not wanted:
        making = live.context(request, "study", mine.row.pk)
        return page(request, "study", {**_context(mine, beside), "live": making})
    runs = queries.exported().filter(study_cell__study_run=mine.row).order_by("started_at")
    answer = several.whole(mine, beside)
    table = {"csv": lambda: csv(mine)}
    formats = formats_of("study", lambda: _context(mine, beside), answer, runs, table)
    return download(request, wanted, mine.study.name, formats)


def _report(request: HttpRequest, name: str) -> StudyReport:
    """The execution that is asked for, else the newest under way, else the newest ended."""
    known = [*conf.study_files(), *StudyRun.objects.values_list("name", flat=True).distinct()]
    if name not in known:
        near = choices(name[:60], dict.fromkeys(known))
        raise NotShown(f"There is no study {name[:60]!r}; {near}")
    sweep_executions()
    rows = StudyRun.objects.filter(name=name).values_list("pk", flat=True)
    under_way = str(rows.filter(status=Status.RUNNING.value).first() or "")
    try:
        return study_report(chosen(name, request.GET.get("execution", "") or under_way))
    except UsageError as error:
        raise NotShown(str(error), status=400 if rows else 404) from error


def _context(mine: StudyReport, beside: several.Beside | None) -> dict[str, Any]:
    return {
        "title": mine.study.name,
        "report": mine,
        "charts": mine.charts,
        "answer": mine.answer,
        "above": beside.section if beside else None,
        "executions": list(StudyRun.objects.filter(name=mine.row.name).defer("text")),
        "trend": several.trend_of(mine)[0],
        "query": f"execution={mine.row.pk}",
        "with_other": f"&with={beside.other.row.pk}" if beside else "",
    }


TUNINGS_PER_PAGE = 20


@guarded
def tunings(request: HttpRequest) -> HttpResponse:
    sweep_executions()
    paginator = Paginator(Tuning.objects.prefetch_related("trials"), TUNINGS_PER_PAGE)
    shown = paginator.get_page(request.GET.get("page", ""))
    rows: list[tuple[Tuning, TuningReport | None, str]] = []  # with what is wrong with it
    for row in shown:
        try:
            rows.append((row, tuning_report(row), ""))
        except UsageError as error:
            rows.append((row, None, str(error)))
    table = {"paginator": paginator, "page": shown}
    return page(request, "tunings", {"title": "Tuning", "tunings": rows, "table": table})


@guarded
def tuning(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    sweep_executions()
    row = Tuning.objects.select_related("environment").filter(pk=pk).first()
    if row is None:
        raise gone("tuning", pk)
    mine = tuning_report(row)
    title = f"{mine.workload}: {mine.objective}"
    context = {"report": mine, "answer": mine.answer, "title": title, "charts": mine.charts}
    if wanted := request.GET.get("format", ""):
        runs = queries.exported().filter(trials__tuning=row).distinct()
        formats = formats_of("tuning", lambda: context, mine.answer, runs)
        return download(request, wanted, f"tuning-{mine.row.pk}", formats)
    making = live.context(request, "tuning", pk) if row.status == Status.RUNNING.value else None
    return page(request, "tuning", {**context, "live": making})
