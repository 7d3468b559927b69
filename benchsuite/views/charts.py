"""One chart for export: its numbers as CSV, or all of it as one HTML file."""

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from benchsuite.comparing.answer import climbs
from benchsuite.comparing.differences import Comparison, unlike
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.charts import of_run as run_charts
from benchsuite.report.charts import overlays
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.charts.series import Series
from benchsuite.report.exports.runs import table_as_csv
from benchsuite.report.pages.html import one_file
from benchsuite.views import access
from benchsuite.views.page import problem

TYPES = {"csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8"}


@access.guarded
def of_run(request: HttpRequest, pk: UUID, slug: str, form: str) -> HttpResponse:
    run = Run.objects.filter(pk=pk).first()
    if run is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    return chart_file(request, run_charts.charts(run), slug, form, str(pk))


@access.guarded
def of_comparison(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    try:
        ids, batch = wanted_ids(request), request.GET.get("batch", "")
        runs = queries.chosen(queries.compared(), ids, batch, most=queries.MOST_COMPARED)
    except UsageError as error:
        return problem(request, str(error), status=400)
    queries.add_series(runs)
    comparison = Comparison(runs)
    lines = climbs(comparison, unlike(comparison))
    charts = overlays.level_charts(lines) if lines else overlays.charts(comparison)
    return chart_file(request, charts, slug, form, "comparison")


def chart_file(
    request: HttpRequest, charts: Sequence[Chart], slug: str, form: str, name: str
) -> HttpResponse:
    chart = next((one for one in charts if one.series.slug == slug), None)
    if chart is None:
        known = choices(slug[:60], [one.series.slug for one in charts])
        return problem(request, f"There is no chart {slug[:60]!r}; {known}", status=404)
    return HttpResponse(
        as_csv(chart.series)
        if form == "csv"
        else one_file("chart", {"title": chart.series.title, "charts": [chart]}),
        content_type=TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="{slug}-{name}.{form}"'},
    )


def as_csv(series: Series) -> str:
    return "".join(table_as_csv([column.name for column in series.columns], series.rows))


def wanted_ids(request: HttpRequest) -> list[str]:
    """The IDs in `runs`, separated by commas, repeated, or both."""
    return [
        part for value in request.GET.getlist("runs") for part in value.split(",") if part.strip()
    ]
