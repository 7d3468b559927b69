"""One run: what happened in it, and can I believe it?"""

import shlex
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse

from benchsuite.comparing.answer import own_targets
from benchsuite.comparing.titles import (
    Around,
    cpus_title,
    load_title,
    options_title,
    size_title,
    units_of,
    workload_title,
)
from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Place
from benchsuite.core.metrics.reading import was_asked
from benchsuite.core.results import UNREADABLE, Status
from benchsuite.models import Measurement, Run, TuningTrial
from benchsuite.report import limiting, queries, sockets
from benchsuite.report.charts import of_run
from benchsuite.report.executions import made_for
from benchsuite.report.flames import drawing
from benchsuite.report.levels import columns_of_parts
from benchsuite.report.pages import html
from benchsuite.report.sentences import model_sentence, run_sentence
from benchsuite.report.sockets import Tile
from benchsuite.system.programs import short_revision
from benchsuite.views import access
from benchsuite.views.listing import REFRESH_S, is_running
from benchsuite.views.page import page, problem, url_or_none

WEIGHTS = ("invalid", "weak", "info")


@access.guarded
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    company = Run.objects.filter(batch=OuterRef("batch")).exclude(pk=OuterRef("pk"))
    runs = Run.objects.select_related("environment", "software", "study_cell__study_run")
    runs = runs.defer("study_cell__study_run__text")
    runs = runs.prefetch_related("measurements", "readings", "findings")
    trials = TuningTrial.objects.filter(run=OuterRef("pk"))
    runs = runs.annotate(in_company=Exists(company), in_tuning=Exists(trials))
    run = runs.filter(pk=pk).first()
    if run is None:
        return problem(request, f"There is no run {pk}; it may have been deleted.", status=404)
    findings = sorted(run.findings.all(), key=lambda finding: WEIGHTS.index(finding.level))
    measurements = list(run.measurements.all())
    columns = columns_of_parts()
    before, after = queries.neighbours(run)
    limits = limiting.told(run, queries.beside(run) if run.in_company else ())
    context: dict[str, Any] = {
        "title": f"{run.server} · {workload_title(run)}",
        "run": run,
        "state": html.state(run),
        "sentence": run_sentence(run, findings, measurements),
        "model_sentence": model_sentence([run]),
        "own_target": own_targets([(run.server, run.server_facts)]),
        "findings": findings,
        "request_time": limits.sentence,
        "limits": limits.limits,
        "made_for": made_for(run, in_tuning=run.in_tuning),
        "flame": limits.flame,
        "elsewhere": limits.flame is not None and limits.flame.run != run,
        "drawing": drawing(limits.flame, request.GET.get("call", "")) if limits.flame else None,
        "failed": run.status in (Status.FAILED.value, Status.INTERRUPTED.value, UNREADABLE),
        "names": [
            (one, [column.show(column.of_part(one)) for column in columns])
            for one in measurements
            if one.scope != "all" and _is_told(run, one)
        ],
        "tiles": [*sockets.figures(run), *tiles(run)],
        "asked": was_asked(run),
        "name_columns": columns,
        "charts": of_run.charts(run),
        "what": {
            "workload": workload_title(run),
            "load": load_title(run),
            "size": size_title(run),
            "cpus": cpus_title(run),
            "options": options_title(run),
        },
        "around": Around.of(run),
        "revision": short_revision(run.revision),
        "load": run.spec.get("load", {}),
        "database": run.spec.get("database", {}),
        "commands": commands(run),
        "again": f"python manage.py runbench --again {run.pk}",
        "in_company": run.in_company,
        "before": before,
        "after": after,
        "admin_run_url": url_or_none("admin:benchsuite_run_change", run.pk),
        "may_delete": access.may_delete(request),
        "refresh_s": REFRESH_S if is_running(run) else None,
    }
    return page(request, "run", context)


def tiles(run: Run) -> list[Tile]:
    """The key figures of a run in their order; none of answers where nothing was asked."""
    asked = was_asked(run)
    return [
        Tile(
            one.headline(units_of(run)),
            html.figure_text(run, one),
            one.note(run) if one.note else "",
        )
        for one in every.in_place(Place.TILE)
        if (asked or not one.of_answers) and one.only(run)
    ]


def _is_told(run: Run, measurement: Measurement) -> bool:
    """Whether it has a row; nobody misses the strays of a run that had none."""
    return measurement.requests > 0 or not run.websockets


def commands(run: Run) -> list[dict[str, str]]:
    """Every program of the run with its command line; of failed starts, as far as they came."""
    return [
        {**program, "command": shlex.join(str(word) for word in program["argv"])}
        for program in run.programs
    ]
