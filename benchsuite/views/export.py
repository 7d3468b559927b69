"""Runs as CSV or JSON: the ticked ones, those a filter leaves, or one."""

from collections.abc import Iterable
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from benchsuite.exceptions import UsageError
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.export import json_of, runs_as_csv
from benchsuite.report.filters import RunFilter
from benchsuite.views import access
from benchsuite.views.charts import download, wanted_ids
from benchsuite.views.page import problem

FORMATS = ("csv", "json")


@access.guarded
def selection(request: HttpRequest) -> HttpResponse:
    """The runs named in `runs` or `batch`; without any, all that the filters leave.

    `chosen` says that runs were to be ticked: without any, that is a mistake.
    """
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    wanted = queries.tabled() if request.GET.get("format") == "csv" else queries.exported()
    try:
        runs: Iterable[Run]
        if ids or batch or "chosen" in request.GET:
            runs = queries.chosen(wanted, ids, batch)
        else:
            runs = RunFilter(request.GET, queryset=wanted).qs
        return _answer(request, runs, "runs")
    except UsageError as error:
        return problem(request, str(error), status=400)


@access.guarded
def one(request: HttpRequest, pk: UUID) -> HttpResponse:
    run = queries.exported().filter(pk=pk).first()
    if run is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    try:
        return _answer(request, [run], f"run-{pk}")
    except UsageError as error:
        return problem(request, str(error), status=400)


def _answer(request: HttpRequest, runs: Iterable[Run], name: str) -> HttpResponse:
    wanted = request.GET.get("format", "json")
    if wanted == "csv":
        return download(runs_as_csv(runs), "text/csv", f"{name}.csv")
    if wanted != "json":
        raise UsageError(f"There is no format {wanted!r}; there are: {', '.join(FORMATS)}.")

    def address(run: Run) -> str:
        return request.build_absolute_uri(run.get_absolute_url())

    return download("".join(json_of(runs, address)), "application/json", f"{name}.json")
