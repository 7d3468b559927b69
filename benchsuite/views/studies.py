"""Studies: what they found, and of which of their claims that can be said."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.suggestions import choices
from benchsuite.models import StudyRun
from benchsuite.report.pages.one_file import one_file
from benchsuite.report.studies import exports, others
from benchsuite.report.studies.told import Told, chosen, told
from benchsuite.studies import reading
from benchsuite.views import access
from benchsuite.views.charts import chart_file
from benchsuite.views.download import export
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
        mine = _told(request, name)
        wanted = request.GET.get("format", "")
        if wanted:
            return _export(request, mine, wanted)
        other = request.GET.get("with", "")
        beside = others.beside(mine, told(chosen(name, other))) if other else None
        return page(request, "study", _context(mine, beside))
    except UsageError as error:
        missing = name not in conf.study_files() or not StudyRun.objects.filter(name=name).exists()
        return problem(request, str(error), status=404 if missing else 400)


@access.guarded
def chart(request: HttpRequest, name: str, slug: str, form: str) -> HttpResponse:
    try:
        return chart_file(request, _told(request, name).charts, slug, form, name)
    except UsageError as error:
        return problem(request, str(error), status=404)


def _told(request: HttpRequest, name: str) -> Told:
    known = [*conf.study_files(), *StudyRun.objects.values_list("name", flat=True).distinct()]
    if name not in known:
        raise UsageError(
            f"There is no study {name[:60]!r}; {choices(name[:60], dict.fromkeys(known))}"
        )
    return told(chosen(name, request.GET.get("execution", "")))


def _context(mine: Told, beside: others.Beside | None) -> dict[str, Any]:
    executions = list(StudyRun.objects.filter(name=mine.row.name).defer("text"))
    return {
        "title": mine.study.name,
        "told": mine,
        "charts": mine.charts,
        "beside": beside,
        "executions": executions,
        "steps": others.steps(mine),
        "query": f"execution={mine.row.pk}",
    }


def _export(request: HttpRequest, mine: Told, wanted: str) -> HttpResponseBase:
    name = mine.study.name
    return export(
        request,
        wanted,
        name,
        {
            "md": lambda: [exports.markdown(mine)],
            "csv": lambda: exports.csv(mine),
            "html": lambda: [one_file("study_file", name, mine.charts, {"told": mine})],
        },
    )
