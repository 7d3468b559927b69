"""One run: can I believe it? Its configuration: has anything changed? Deletion, and notes."""

import shlex
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from benchsuite.comparing.answer import own_targets
from benchsuite.comparing.titles import around
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place, was_asked
from benchsuite.core.plain import read
from benchsuite.core.results import Status
from benchsuite.models import Note, Run, TuningTrial
from benchsuite.report import answers, queries
from benchsuite.report.charts import of_run
from benchsuite.report.exports import table_as_csv
from benchsuite.report.limiting import limits_of
from benchsuite.report.pages import history
from benchsuite.report.sentences import model_sentence
from benchsuite.store import notes
from benchsuite.tuning.trial import Trial
from benchsuite.views import access, live
from benchsuite.views.page import (
    download,
    formats_of,
    guarded,
    page,
    page_or_file,
    send_runs,
    wanted_ids,
)


@guarded
def show(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    if (run := _stored(pk)) is None:
        raise access.gone("run", pk)
    context = {
        **_context(run),
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
def configuration(request: HttpRequest, key: str) -> HttpResponseBase:
    runs = Run.objects.select_related("environment", "software").defer(*queries.HEAVY[:2])
    if (shown := history.of(key, runs)) is None:
        raise access.gone("configuration", f"{key[:64]!r}")
    context = {"title": history.title(shown["newest"]), "history": shown}
    return page_or_file(request, "history", context)


@guarded
def export(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    runs = queries.exported().filter(pk=pk)
    if not runs.exists():
        raise access.gone("run", pk)
    return send_runs(request, runs, f"run-{pk}")


@guarded
def chart(request: HttpRequest, pk: UUID, slug: str) -> HttpResponseBase:
    """The numbers of a chart of a run: its page shows those of a long run in steps."""
    if (run := Run.objects.filter(pk=pk).first()) is None:
        raise access.gone("run", pk)
    by_slug = {chart.series.slug: chart.series for chart in of_run.charts(run)}
    if slug not in by_slug:
        raise access.NotShown(f"There is no chart {slug[:60]!r}; {choices(slug[:60], by_slug)}")
    series = by_slug[slug]
    lines = table_as_csv([column.name for column in series.columns], series.rows)
    return download(request, "csv", f"{slug}-{pk}", {"csv": lambda: lines})


@require_http_methods(["GET", "HEAD", "POST"])
@guarded
def delete(request: HttpRequest) -> HttpResponse:
    access.require(request, "delete_run", "Deleting runs needs")
    runs = queries.chosen(queries.listed(), wanted_ids(request))
    kept = [run for run in runs if run.status == Status.RUNNING.value]
    gone = [run for run in runs if run not in kept]
    if request.method == "POST" and gone:
        Run.objects.filter(pk__in=[run.pk for run in gone]).delete()
        return HttpResponseRedirect(f"{reverse('benchsuite:list')}?deleted={len(gone)}")
    return page(request, "delete", {"title": "Delete runs", "runs": gone, "kept": kept})


@require_http_methods(["GET", "HEAD", "POST"])
@guarded
def note_on(request: HttpRequest) -> HttpResponse:
    """Of `run` or `label`. A POST with `star` turns the star over and leaves the text."""
    access.require(request, "change_note", "Notes need")
    given = request.POST if request.method == "POST" else request.GET
    run, label = None, given.get("label", "")
    about: dict[str, Any] = {"label": label}
    what = f"the label “{label}”"
    if given.get("run", ""):
        run = queries.chosen(queries.listed(), [given["run"]])[0]
        about, what = {"run": run}, f"{history.title(run)}, {history.moment(run.started_at)}"
    elif not Run.objects.filter(label=label).exclude(label="").exists():
        raise UsageError(f"There is no run with the label {label[:60]!r} to note something of.")
    note, back = Note.objects.filter(**about).first() or Note(), _back(request, run)
    if request.method == "POST":
        if "star" in given:
            notes.keep(**about, starred=not note.starred)
        else:
            notes.keep(**about, text=given.get("text", ""), starred=given.get("starred") == "1")
        return HttpResponseRedirect(back)
    context = {"about": about, "note": note, "back": back, "longest": notes.LONGEST}
    return page(request, "note", {"title": f"Note on {what}", **context})


def _back(request: HttpRequest, run: Run | None) -> str:
    """Where the reader came from, if that is one of these pages."""
    wanted = request.POST.get("next", "") or request.headers.get("Referer", "")
    allowed = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    if allowed and "/note/" not in wanted:
        return wanted
    return run.get_absolute_url() if run else reverse("benchsuite:list")


FIRST = ("stage-goodput", "stage-response-times", "goodput", "distribution", "connection-memory")
"""Charts that a page may begin with: the first two of these that a run has."""
OF_PARTS = ("cpu", "memory", "connections")


def _context(run: Any) -> dict[str, Any]:
    """Of the template, for a run as it is `stored`."""
    answer, columns = answers.of_run(run), every.in_place(Place.PART)
    charts = of_run.charts(run)
    first = [chart for slug in FIRST for chart in charts if chart.series.slug == slug][:2]
    rest = [chart for chart in charts if chart not in first]
    failed = run.status in answers.NO_RESULT
    return {
        "title": answer.title,
        "run": run,
        "answer": answer,
        "model_sentence": model_sentence([run]),
        "own_target": own_targets([(run.server, run.server_facts)]),
        "findings": answers.by_weight(run),
        "limiting": limits_of(run, queries.beside(run) if run.in_company else ()),
        "made_for": _made_for(run),
        "failed": failed,
        "more_of_failure": run.failure.strip().removeprefix(*answer.reasons[:1]).strip()
        if failed
        else "",
        "names": [
            (part, [column.show(column.of_part(part)) for column in columns])
            for part in run.measurements.all()
            # Nobody misses the strays of a run that had none.
            if part.scope != "all" and (part.requests > 0 or not run.websockets)
        ],
        "figures": answers.figures(run),
        "asked": was_asked(run),
        "name_columns": columns,
        "charts": charts,
        "first_charts": first,
        "part_charts": [chart for chart in rest if chart.series.slug in OF_PARTS],
        "second_charts": [chart for chart in rest if chart.series.slug not in OF_PARTS],
        "heat": of_run.heat_map(list(run.intervals.all()), run.readings.all()),
        "around": around(run.spec),
        # Every program of the run with its command line; of failed starts, as far as they came.
        "commands": [
            {**program, "command": shlex.join(map(str, program["argv"]))}
            for program in run.programs
        ],
    }


def _stored(pk: UUID) -> Any:
    """With what its page needs, whether its command made more and a tuning has it; None if gone."""
    company = Run.objects.filter(batch=OuterRef("batch")).exclude(pk=OuterRef("pk"))
    trials = TuningTrial.objects.filter(run=OuterRef("pk"))
    runs = Run.objects.select_related("environment", "software", "study_cell__study_run")
    runs = runs.defer("study_cell__study_run__text")
    runs = runs.prefetch_related("measurements", "readings", "findings", "intervals")
    return runs.annotate(in_company=Exists(company), in_tuning=Exists(trials)).filter(pk=pk).first()


def _made_for(run: Any) -> list[dict[str, str]]:
    """Which study or tuning has it, and as which part; none if it was made for its own sake."""
    purposes = []
    if (cell := run.study_cell) is not None:
        study = cell.study_run
        part = f"{cell}, run {run.repetition} of {study.repeat}"
        whole = f"the study {study.name}"
        purposes.append({"whole": whole, "url": study.get_absolute_url(), "part": part})
    for stored in run.trials.select_related("tuning") if run.in_tuning else ():
        part, tuning = f"run {stored.order + 1}", stored.tuning
        with suppress(UsageError):  # that of another benchsuite
            trial = read(Trial, stored.trial)
            part += f", {trial.phase.value}: {trial.reason}"
        whole = f"the tuning {tuning.short_id}"
        purposes.append({"whole": whole, "url": tuning.get_absolute_url(), "part": part})
    return purposes
