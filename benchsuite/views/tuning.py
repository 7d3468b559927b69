"""Tunings: which server in which size holds an objective, and how that is known."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from benchsuite.core.exceptions import UsageError
from benchsuite.models import Tuning
from benchsuite.report import queries
from benchsuite.report.exports.runs import json_of
from benchsuite.report.pages.html import one_file
from benchsuite.report.tuning.evidence import TuningReport, tuning_report
from benchsuite.report.writers import to_markdown
from benchsuite.store.abandoned import sweep_executions
from benchsuite.views import access, live
from benchsuite.views.charts import chart_file
from benchsuite.views.export import download
from benchsuite.views.page import page, problem

PER_PAGE = 20


@access.guarded
def listing(request: HttpRequest) -> HttpResponse:
    sweep_executions()
    paginator = Paginator(Tuning.objects.prefetch_related("trials"), PER_PAGE)
    shown = paginator.get_page(request.GET.get("page", ""))
    context = {
        "title": "Tuning",
        "tunings": [_listed(row) for row in shown],
        "table": {"paginator": paginator, "page": shown},
        "page_range": paginator.get_elided_page_range(shown.number, on_each_side=2),
        "ellipsis": paginator.ELLIPSIS,
    }
    return page(request, "tunings", context)


def _listed(row: Tuning) -> tuple[Tuning, TuningReport | None, str]:
    """With what is wrong with it."""
    try:
        return row, tuning_report(row), ""
    except UsageError as error:
        return row, None, str(error)


@access.guarded
def show(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    row = _found(pk)
    if row is None:
        return _missing(request, pk)
    try:
        mine = tuning_report(row)
        if wanted := request.GET.get("format", ""):
            return _export(request, mine, wanted)
    except UsageError as error:
        return problem(request, str(error), status=400)
    making = live.context(request, "tuning", pk) if mine.is_running else None
    return page(request, "tuning", {**_context(mine), "live": making})


def _context(mine: TuningReport) -> dict[str, Any]:
    return {
        "report": mine,
        "answer": mine.answer,
        "title": _title(mine),
        "charts": mine.charts,
    }


@access.guarded
def chart(request: HttpRequest, pk: UUID, slug: str, form: str) -> HttpResponse:
    row = _found(pk)
    if row is None:
        return _missing(request, pk)
    try:
        return chart_file(request, tuning_report(row).charts, slug, form, str(pk))
    except UsageError as error:
        return problem(request, str(error), status=400)


def _found(pk: UUID) -> Tuning | None:
    sweep_executions()
    return Tuning.objects.select_related("environment").filter(pk=pk).first()


def _missing(request: HttpRequest, pk: UUID) -> HttpResponse:
    return problem(request, f"There is no tuning {pk}; it may have been deleted.", status=404)


def _title(mine: TuningReport) -> str:
    return f"{mine.workload}: {mine.objective}"


def _export(request: HttpRequest, mine: TuningReport, wanted: str) -> HttpResponseBase:
    runs = queries.exported().filter(trials__tuning=mine.row).distinct()
    formats = {
        "md": lambda: [to_markdown(mine.answer)],
        "html": lambda: [one_file("tuning", _context(mine))],
        "json": lambda: json_of(queries.by_and_by(runs)),
    }
    return download(request, wanted, f"tuning-{mine.row.pk}", formats)
