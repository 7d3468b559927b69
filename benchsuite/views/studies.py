"""Studies: what they found, and of which of their claims that can be said."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from benchsuite import conf
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.results import Status
from benchsuite.models import StudyRun
from benchsuite.report import queries
from benchsuite.report.studies import differences
from benchsuite.report.studies.execution import StudyReport, chosen, csv, headline, study_report
from benchsuite.store import sweep_executions
from benchsuite.studies import reading
from benchsuite.views import live
from benchsuite.views.access import NotShown
from benchsuite.views.export import download, formats_of
from benchsuite.views.page import guarded, page


@guarded
def listing(request: HttpRequest) -> HttpResponse:
    files = conf.study_files()
    sweep_executions()
    executed: dict[str, list[StudyRun]] = {}
    for row in StudyRun.objects.defer("text").all():
        executed.setdefault(row.name, []).append(row)
    studies = []
    for name in dict.fromkeys([*files, *executed]):
        rows, question, wrong = executed.get(name, []), "", ""
        try:
            question = reading.read(files[name]).question if name in files else ""
        except UsageError as error:
            wrong = str(error)
        shown = {"name": name, "question": question, "error": wrong, "executions": rows}
        studies.append({**shown, "answer": headline(rows[0].outcomes) if rows else ""})
    return page(request, "studies", {"title": "Studies", "studies": studies})


@guarded
def show(request: HttpRequest, name: str) -> HttpResponseBase:
    mine, wanted = _report(request, name), request.GET.get("format", "")
    beside = differences.chosen_beside(mine, request.GET.get("with", ""))
    if not wanted:
        making = live.context(request, "study", mine.row.pk)
        return page(request, "study", {**_context(mine, beside), "live": making})
    runs = queries.exported().filter(study_cell__study_run=mine.row).order_by("started_at")
    answer = differences.whole(mine, beside)
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


def _context(mine: StudyReport, beside: differences.Beside | None) -> dict[str, Any]:
    return {
        "title": mine.study.name,
        "report": mine,
        "charts": mine.charts,
        "answer": mine.answer,
        "above": beside.section if beside else None,
        "executions": list(StudyRun.objects.filter(name=mine.row.name).defer("text")),
        "trend": differences.trend_of(mine)[0],
        "query": f"execution={mine.row.pk}",
        "with_other": f"&with={beside.other.row.pk}" if beside else "",
    }
