"""Studies: what they found, and of which of their claims that can be said."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from benchsuite import conf
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.results import Status
from benchsuite.models import StudyRun
from benchsuite.report import queries
from benchsuite.report.exports.runs import json_of
from benchsuite.report.pages.html import one_file
from benchsuite.report.studies import differences
from benchsuite.report.studies.execution import StudyReport, chosen, csv, study_report
from benchsuite.report.writers import to_markdown
from benchsuite.store.abandoned import sweep_executions
from benchsuite.studies import reading
from benchsuite.views import access, live
from benchsuite.views.charts import chart_file
from benchsuite.views.export import download
from benchsuite.views.page import page, problem


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
    question: str
    error: str  #: What is wrong with its file.
    newest: StudyRun | None
    count: int


@access.guarded
def listing(request: HttpRequest) -> HttpResponse:
    try:
        files = conf.study_files()
    except UsageError as error:
        return problem(request, str(error), status=400)
    sweep_executions()
    executed: dict[str, list[StudyRun]] = {}
    for row in StudyRun.objects.defer("text").all():
        executed.setdefault(row.name, []).append(row)
    names = dict.fromkeys([*files, *executed])
    studies = [_listed(name, files.get(name), executed.get(name, [])) for name in names]
    return page(request, "studies", {"title": "Studies", "studies": studies})


def _listed(name: str, file: Path | None, rows: list[StudyRun]) -> Listed:
    newest = rows[0] if rows else None
    try:
        question = reading.read(file).question if file else ""
    except UsageError as error:
        return Listed(name, "", str(error), newest, len(rows))
    return Listed(name, question, "", newest, len(rows))


@access.guarded
def show(request: HttpRequest, name: str) -> HttpResponseBase:
    try:
        mine, wanted = _told(request, name), request.GET.get("format", "")
        beside = differences.chosen_beside(mine, request.GET.get("with", ""))
        if wanted:
            return _export(request, mine, beside, wanted)
        context = _context(mine, beside) | {"live": live.context(request, "study", mine.row.pk)}
        return page(request, "study", context)
    except UsageError as error:
        missing = name not in conf.study_files() or not StudyRun.objects.filter(name=name).exists()
        return problem(request, str(error), status=404 if missing else 400)


@access.guarded
def chart(request: HttpRequest, name: str, slug: str, form: str) -> HttpResponse:
    try:
        return chart_file(request, _told(request, name).charts, slug, form, name)
    except UsageError as error:
        return problem(request, str(error), status=404)


def _told(request: HttpRequest, name: str) -> StudyReport:
    known = [*conf.study_files(), *StudyRun.objects.values_list("name", flat=True).distinct()]
    if name not in known:
        raise UsageError(
            f"There is no study {name[:60]!r}; {choices(name[:60], dict.fromkeys(known))}"
        )
    sweep_executions()
    return study_report(chosen(name, request.GET.get("execution", "") or _under_way(name)))


def _under_way(name: str) -> str:
    """The id of the newest execution that somebody is at work on; empty without one."""
    running = StudyRun.objects.filter(name=name, status=Status.RUNNING.value)
    return str(running.values_list("pk", flat=True).first() or "")


def _context(mine: StudyReport, beside: differences.Beside | None) -> dict[str, Any]:
    executions = list(StudyRun.objects.filter(name=mine.row.name).defer("text"))
    return {
        "title": mine.study.name,
        "report": mine,
        "charts": mine.charts,
        "answer": mine.answer,
        "above": beside.section if beside else None,
        "executions": executions,
        "trend": differences.trend_of(mine)[0],
        "query": f"execution={mine.row.pk}",
        "with_other": f"&with={beside.other.row.pk}" if beside else "",
    }


def _export(
    request: HttpRequest, mine: StudyReport, beside: differences.Beside | None, wanted: str
) -> HttpResponseBase:
    name = mine.study.name
    runs = queries.exported().filter(study_cell__study_run=mine.row).order_by("started_at")

    answer = differences.whole(mine, beside)
    return download(
        request,
        wanted,
        name,
        {
            "md": lambda: [to_markdown(answer)],
            "csv": lambda: csv(mine),
            "html": lambda: [one_file("study", _context(mine, beside))],
            "json": lambda: json_of(queries.by_and_by(runs)),
        },
    )
