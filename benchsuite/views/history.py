"""One configuration: has anything changed since it was first measured?"""

from django.http import HttpRequest, HttpResponse

from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.pages import history
from benchsuite.views import access
from benchsuite.views.page import page, problem


@access.guarded
def show(request: HttpRequest, key: str) -> HttpResponse:
    runs = Run.objects.select_related("environment", "software")
    mine = history.of(key, runs.defer(*queries.HEAVY[:2]))
    if mine is None:
        message = f"There is no configuration {key[:64]!r}; its runs may have been deleted."
        return problem(request, message, status=404)
    return page(request, "history", {"title": mine.title, "history": mine})
