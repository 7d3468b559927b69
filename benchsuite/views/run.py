"""One run: can I believe it? And its configuration: has anything changed since?"""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from benchsuite.core.results import Status
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.pages import history, run_page
from benchsuite.views import access, live
from benchsuite.views.export import download, formats_of
from benchsuite.views.page import guarded, page


@guarded
def show(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    run = run_page.stored(pk)
    if run is None:
        raise access.gone("run", pk)
    context = {
        **run_page.context(run),
        "admin_run_url": access.url_or_none("admin:benchsuite_run_change", run.pk),
        "may_delete": access.may(request, "delete_run"),
    }
    if wanted := request.GET.get("format", ""):
        runs = queries.exported().filter(pk=pk)
        formats = formats_of("run", lambda: context, context["answer"], runs)
        return download(request, wanted, f"run-{pk}", formats)
    if run.status == Status.RUNNING.value:
        context["live"] = live.context(request, "run", pk)
    return page(request, "run", context)


@guarded
def configuration(request: HttpRequest, key: str) -> HttpResponse:
    runs = Run.objects.select_related("environment", "software").defer(*queries.HEAVY[:2])
    shown = history.of(key, runs)
    if shown is None:
        raise access.gone("configuration", f"{key[:64]!r}")
    return page(request, "history", {"title": history.title(shown["newest"]), "history": shown})
