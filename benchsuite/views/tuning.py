"""Tunings: which server in which size holds an objective, and how that is known."""

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from benchsuite.core.exceptions import UsageError
from benchsuite.models import Tuning
from benchsuite.report import queries
from benchsuite.report.tuning.evidence import TuningReport, tuning_report
from benchsuite.store import sweep_executions
from benchsuite.views import live
from benchsuite.views.access import gone
from benchsuite.views.export import download, formats_of
from benchsuite.views.page import guarded, page

PER_PAGE = 20


@guarded
def listing(request: HttpRequest) -> HttpResponse:
    sweep_executions()
    paginator = Paginator(Tuning.objects.prefetch_related("trials"), PER_PAGE)
    shown = paginator.get_page(request.GET.get("page", ""))
    tunings: list[tuple[Tuning, TuningReport | None, str]] = []  # with what is wrong with it
    for row in shown:
        try:
            tunings.append((row, tuning_report(row), ""))
        except UsageError as error:
            tunings.append((row, None, str(error)))
    table = {"paginator": paginator, "page": shown}
    return page(request, "tunings", {"title": "Tuning", "tunings": tunings, "table": table})


@guarded
def show(request: HttpRequest, pk: UUID) -> HttpResponseBase:
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
    making = live.context(request, "tuning", pk) if mine.is_running else None
    return page(request, "tuning", {**context, "live": making})
