"""One run: what happened in it, and can I believe it?"""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from benchsuite.core.results import Status
from benchsuite.report import queries
from benchsuite.report.pages import run_page
from benchsuite.views import access, live
from benchsuite.views.page import page, problem, url_or_none


@access.guarded
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    stored = run_page.stored(pk)
    if stored is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    run = stored.run
    before, after = queries.neighbours(run)
    context = {
        **stored.context(request.GET.get("call", "")),
        "in_company": stored.in_company,
        "before": before,
        "after": after,
        "admin_run_url": url_or_none("admin:benchsuite_run_change", run.pk),
        "may_delete": access.may_delete(request),
    }
    if run.status == Status.RUNNING.value:
        context["live"] = live.context(request, "run", pk)
    return page(request, "run", context)
