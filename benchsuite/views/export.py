"""Runs as CSV or JSON: the selected ones, those that match a filter, or one."""

from collections.abc import Iterable
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from benchsuite.core.exceptions import UsageError
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.exports.runs import csv_of, json_of
from benchsuite.report.pages.run_list import RunFilter
from benchsuite.views import access
from benchsuite.views.charts import wanted_ids
from benchsuite.views.download import export
from benchsuite.views.page import problem


@access.guarded
def selection(request: HttpRequest) -> HttpResponseBase:
    """The runs in `runs` or `batch`, else all that match the filters.

    With `chosen`, runs should have been ticked: none is an error.
    """
    ids, batch = wanted_ids(request), request.GET.get("batch", "")
    wanted = queries.tabled() if request.GET.get("format") == "csv" else queries.exported()
    try:
        runs: Iterable[Run]
        if ids or batch or "chosen" in request.GET:
            runs = queries.each(wanted, queries.chosen_ids(ids, batch), queries.WHOLE_AT_ONCE)
        else:
            filters = RunFilter(request.GET, queryset=wanted)
            filters.refuse_nonsense()
            runs = queries.by_and_by(filters.qs)
        return _answer(request, runs, "runs")
    except UsageError as error:
        return problem(request, str(error), status=400)


@access.guarded
def one(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    run = queries.exported().filter(pk=pk).first()
    if run is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    try:
        return _answer(request, [run], f"run-{pk}")
    except UsageError as error:
        return problem(request, str(error), status=400)


def _answer(request: HttpRequest, runs: Iterable[Run], name: str) -> HttpResponseBase:
    def address(run: Run) -> str:
        return request.build_absolute_uri(run.get_absolute_url())

    formats = {"csv": lambda: csv_of(runs), "json": lambda: json_of(runs, address)}
    return export(request, request.GET.get("format", "json"), name, formats)
