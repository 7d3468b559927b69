"""The list of runs with its filters, and their deletion: by POST, after a confirmation."""

from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods

from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Status
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.pages.run_list import RunFilter, RunTable
from benchsuite.views import access
from benchsuite.views.charts import wanted_ids
from benchsuite.views.page import page, problem

PER_PAGE = 50
MOST_PER_PAGE = 500
REFRESH_S = 5


@access.guarded
def show(request: HttpRequest) -> HttpResponse:
    filters = RunFilter(request.GET, queryset=queries.listed())
    table = RunTable(filters.qs, request.GET.getlist("sort"))
    per_page = _number(request.GET.get("per_page", "")) or PER_PAGE
    table.paginate(per_page=min(per_page, MOST_PER_PAGE))
    table.page = table.paginator.get_page(_number(request.GET.get("page", "")) or 1)
    context = {
        "title": "Runs",
        "filters": filters,
        "filtering": bool(active(filters)),
        "table": table,
        "total": table.paginator.count,
        "page_range": list(
            table.paginator.get_elided_page_range(table.page.number, on_each_side=2)
        ),
        "ellipsis": table.paginator.ELLIPSIS,
        "running": [row.record for row in table.paginated_rows if is_running(row.record)],
        "nothing_yet": not table.paginator.count and not Run.objects.exists(),
        "may_delete": access.may_delete(request),
        "deleted": _number(request.GET.get("deleted", "")),
        "refresh_s": REFRESH_S,
        "capped": MOST_PER_PAGE if per_page > MOST_PER_PAGE else None,
    }
    return page(request, "list", context)


def is_running(run: Run) -> bool:
    return run.status == Status.RUNNING.value


def active(filters: RunFilter) -> dict[str, Any]:
    """The filters in use."""
    filters.form.is_valid()
    return {name: value for name, value in filters.form.cleaned_data.items() if value}


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
@access.guarded
def delete(request: HttpRequest) -> HttpResponse:
    if not access.may_delete(request):
        return problem(
            request,
            "Deleting runs needs the permission “benchsuite | run | Can delete run”.",
            status=403,
        )
    ids = request.POST.getlist("runs") if request.method == "POST" else wanted_ids(request)
    try:
        runs = queries.chosen(queries.listed(), ids)
    except UsageError as error:
        return problem(request, str(error), status=400)
    kept = [run for run in runs if is_running(run)]
    gone = [run for run in runs if not is_running(run)]
    if request.method == "POST" and gone:
        with transaction.atomic():
            Run.objects.filter(pk__in=[run.pk for run in gone]).delete()
        return HttpResponseRedirect(f"{reverse('benchsuite:list')}?deleted={len(gone)}")
    context = {"title": "Delete runs", "runs": gone, "kept": kept}
    return page(request, "delete", context)
