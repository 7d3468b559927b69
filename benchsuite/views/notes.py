"""Notes and stars of runs and labels, changed by POST."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from benchsuite.core.exceptions import UsageError
from benchsuite.models import Note, Run
from benchsuite.report import queries
from benchsuite.report.pages import history
from benchsuite.store import notes
from benchsuite.views import access
from benchsuite.views.page import page, problem


@require_http_methods(["GET", "HEAD", "POST"])
@access.guarded
def change(request: HttpRequest) -> HttpResponse:
    """Of `run` or `label`. A POST with `star` turns the star over and leaves the text."""
    if not access.may(request, "change_note"):
        needs = "Notes need the permission “benchsuite | note | Can change note”."
        return problem(request, needs, status=403)
    given = request.POST if request.method == "POST" else request.GET
    try:
        run, label = _about(given.get("run", ""), given.get("label", ""))
        note = Note.objects.filter(**({"run": run} if run else {"label": label})).first() or Note()
        if request.method == "POST":
            if "star" in given:
                notes.keep(run=run, label=label, starred=not note.starred)
            else:
                text, starred = given.get("text", ""), given.get("starred") == "1"
                notes.keep(run=run, label=label, text=text, starred=starred)
            return HttpResponseRedirect(_back(request, run))
    except UsageError as error:
        return problem(request, str(error), status=400)
    context = {
        "title": f"Note on {history.title(run)}, {history.moment(run)}"
        if run
        else f"Note on the label “{label}”",
        "about": {"run": run.pk} if run else {"label": label},
        "note": note,
        "back": _back(request, run),
        "longest": notes.LONGEST,
    }
    return page(request, "note", context)


def _about(run_id: str, label: str) -> tuple[Run | None, str | None]:
    if run_id:
        return queries.chosen(queries.listed(), [run_id])[0], None
    if not Run.objects.filter(label=label).exclude(label="").exists():
        raise UsageError(f"There is no run with the label {label[:60]!r} to note something of.")
    return None, label


def _back(request: HttpRequest, run: Run | None) -> str:
    """Where the reader came from, if that is one of these pages."""
    wanted = request.POST.get("next", "") or request.headers.get("Referer", "")
    allowed = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    if allowed and "/note/" not in wanted:
        return wanted
    return run.get_absolute_url() if run else reverse("benchsuite:list")
