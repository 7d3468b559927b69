"""Deletes runs: by POST, after a confirmation."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods

from benchsuite.core.exceptions import UsageError
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.views import access
from benchsuite.views.charts import wanted_ids
from benchsuite.views.listing import is_running
from benchsuite.views.page import page, problem


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
@access.guarded
def show(request: HttpRequest) -> HttpResponse:
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
