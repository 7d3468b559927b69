"""One chart for export: its numbers as CSV, or all of it as one HTML file."""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from benchsuite.comparing.comparison import Comparison
from benchsuite.core.exceptions import UsageError
from benchsuite.core.suggestions import choices
from benchsuite.models import Measurement, Run
from benchsuite.report import queries, stages
from benchsuite.report.charts import overlays, series
from benchsuite.report.charts import sockets as socket_charts
from benchsuite.report.charts import stages as stage_charts
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.charts.series import Series
from benchsuite.report.charts.standalone import as_html
from benchsuite.report.exports.runs import table_as_csv
from benchsuite.views import access
from benchsuite.views.page import problem
from benchsuite.views.run import charts as charts_of

OF_INTERVALS = {
    "response-times": series.response_times,
    "websockets": socket_charts.connections,
    "losses": socket_charts.losses,
}
OF_READINGS = {
    "cpu": series.cpu,
    "memory": series.memory,
    "processes": series.processes,
    "connections": series.connections,
}
OF_STAGES: Mapping[str, Callable[[Sequence[Measurement]], Series]] = {
    "stage-goodput": stage_charts.goodput,
    "stage-response-times": stage_charts.response_times,
}
GOODPUT = "goodput"
DISTRIBUTION = "distribution"
CONNECTION_MEMORY = "connection-memory"


@access.guarded
def of_run(request: HttpRequest, pk: UUID, slug: str) -> HttpResponse:
    run = Run.objects.filter(pk=pk).first()
    if run is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    if slug == GOODPUT:
        return as_csv(series.goodput(run, queries.intervals(run)), str(run.pk))
    if slug in OF_INTERVALS:
        return as_csv(OF_INTERVALS[slug](queries.intervals(run)), str(run.pk))
    if slug in OF_READINGS:
        return as_csv(OF_READINGS[slug](queries.readings(run)), str(run.pk))
    if slug in OF_STAGES:
        return as_csv(OF_STAGES[slug](stages.stages_of(run.measurements.all())), str(run.pk))
    if slug == DISTRIBUTION:
        total = run.measurements.filter(scope="all").first()
        return as_csv(series.distribution(total), str(run.pk))
    if slug == CONNECTION_MEMORY:
        return as_csv(socket_charts.memory_of_connections(run), str(run.pk))
    several = [*OF_INTERVALS, *OF_READINGS, *OF_STAGES]
    known = ", ".join([GOODPUT, DISTRIBUTION, CONNECTION_MEMORY, *several])
    return problem(request, f"There is no chart {slug[:60]!r}; there are: {known}.", status=404)


@access.guarded
def of_comparison(request: HttpRequest, slug: str) -> HttpResponse:
    if slug not in overlays.SLUGS:
        known = ", ".join(overlays.SLUGS)
        return problem(request, f"There is no chart {slug[:60]!r}; there are: {known}.", status=404)
    try:
        ids, batch = wanted_ids(request), request.GET.get("batch", "")
        runs = queries.chosen(queries.compared(), ids, batch, most=queries.MOST_COMPARED)
    except UsageError as error:
        return problem(request, str(error), status=400)
    queries.add_series(runs)
    return as_csv(overlays.data(Comparison(runs), slug), "comparison")


@access.guarded
def page_of_run(request: HttpRequest, pk: UUID, slug: str) -> HttpResponse:
    run = Run.objects.filter(pk=pk).first()
    if run is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    return _as_html(request, charts_of(run, list(run.measurements.all())), slug, str(pk))


@access.guarded
def page_of_comparison(request: HttpRequest, slug: str) -> HttpResponse:
    try:
        ids, batch = wanted_ids(request), request.GET.get("batch", "")
        runs = queries.chosen(queries.compared(), ids, batch, most=queries.MOST_COMPARED)
    except UsageError as error:
        return problem(request, str(error), status=400)
    queries.add_series(runs)
    return _as_html(request, overlays.charts(Comparison(runs)), slug, "comparison")


def _as_html(request: HttpRequest, charts: Sequence[Chart], slug: str, name: str) -> HttpResponse:
    chart = next((one for one in charts if one.series.slug == slug), None)
    if chart is None:
        known = choices(slug[:60], [one.series.slug for one in charts])
        return problem(request, f"There is no chart {slug[:60]!r}; {known}", status=404)
    return HttpResponse(
        as_html(chart),
        headers={"Content-Disposition": f'attachment; filename="{slug}-{name}.html"'},
    )


def wanted_ids(request: HttpRequest) -> list[str]:
    """The IDs in `runs`, separated by commas, repeated, or both."""
    return [
        part for value in request.GET.getlist("runs") for part in value.split(",") if part.strip()
    ]


def as_csv(numbers: Series, name: str) -> HttpResponse:
    lines = table_as_csv([column.name for column in numbers.columns], numbers.rows)
    return HttpResponse(
        "".join(lines),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{numbers.slug}-{name}.csv"'},
    )
