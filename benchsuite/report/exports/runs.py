"""Runs as JSON objects and as rows of a table, for machines."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain
from textwrap import indent
from typing import Any

from benchsuite.comparing.setup import Around
from benchsuite.core.samples import FANOUT, HANDSHAKE
from benchsuite.models import Measurement, Run
from benchsuite.report import addresses
from benchsuite.report.completions import completions
from benchsuite.report.populations import populations
from benchsuite.report.sentences import model_sentence
from benchsuite.store.interchange import as_plain

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How text begins that a spreadsheet may reckon with, in full-width characters, too."""

PERCENTS = (50, 75, 90, 95, 99)

COLUMNS = (
    "id",
    "batch",
    "started_at",
    "status",
    "verdict",
    "failure",
    "label",
    "workload",
    "server",
    "server_version",
    "python_version",
    "revision",
    "processes",
    "threads",
    "model",
    "users",
    "arrival_rate",
    "warmup_s",
    "duration_s",
    "repetition",
    "startup_s",
    "level",
    "requests",
    "failures",
    "resent",
    "sent",
    "seen",
    "completions",
    "failed_completions",
    "throughput",
    "goodput",
    "mean_s",
    "p50_s",
    "p95_s",
    "p99_s",
    "cpu_percent",
    "memory_bytes",
    "target_work_s",
    "load_work_s",
    "unit",
    "connection_bytes",
)
"""Columns of `Run` that a table of runs has."""


def run_as_json(run: Run, *, url: str | None = None) -> dict[str, Any]:
    """One run as plain JSON: seconds, bytes, percent of one CPU; a missing value is null."""
    total = next((one for one in run.measurements.all() if one.scope == "all"), None)
    ends = completions(run, run.measurements.all())
    return {
        "id": str(run.pk),
        "batch": str(run.batch),
        "url": url or addresses.of_run(run.pk),
        "label": run.label,
        "started_at": run.started_at.isoformat(),
        "status": run.status,
        "failure": run.failure or None,
        "verdict": run.verdict or None,
        "findings": [
            {
                "code": finding.code,
                "level": finding.level,
                "message": finding.message,
                "hint": finding.hint,
            }
            for finding in run.findings.all()
        ],
        "workload": run.workload,
        "server": run.server,
        "server_version": run.server_version or None,
        "argv": run.argv,
        "programs": run.programs,
        "delay": run.delay or None,
        "python": run.python_version or None,
        "revision": run.revision or None,
        "python_chosen": Around.of(run).python or None,
        "python_facts": run.software.data["python"] if run.software else None,
        "packages": run.packages,
        "processes": run.processes,
        "threads": run.threads,
        "model": run.model,
        "coordinated_omission": "possible" if model_sentence([run]) else None,
        "users": run.users,
        "arrival_rate": run.arrival_rate,
        "warmup_s": run.warmup_s,
        "duration_s": run.duration_s,
        "repetition": run.repetition,
        "cpus_target": run.spec.get("server", {}).get("cpus"),
        "cpus_load": run.spec.get("load", {}).get("cpus"),
        "startup_s": run.startup_s,
        "unit": run.unit,
        "level": run.level,
        "requests": run.requests,
        "failures": run.failures,
        "resent": run.resent,
        "sent": run.sent,
        "seen": run.seen,
        "failures_by_kind": total.failures_by_kind if total else {},
        "throughput": run.throughput,
        "goodput": run.goodput,
        "completions": ends.completed if ends else None,
        "failed_completions": ends.failed if ends else None,
        "completions_per_minute": ends.per_minute if ends else None,
        "concurrency": total.concurrency if total else None,
        "response_time": _times(total, "response_time"),
        "service_time": _times(total, "service_time"),
        "wait_time": _times(total, "wait_time") if total and total.wait_time else None,
        "offered_rate": total.offered_rate if total else None,
        "achieved_rate": total.achieved_rate if total else None,
        "late": total.late if total else None,
        "dropped": total.dropped if total else None,
        "stages": [_stage(one) for one in run.measurements.all() if one.scope == "stage"],
        "populations": [_stage(one) for one in populations(run)],
        "handshake_time": _times_of(run, HANDSHAKE),
        "fan_out_time": _times_of(run, FANOUT),
        "websockets": run.websockets,
        "cpu_percent": run.cpu_percent,
        "memory_bytes": run.memory_bytes,
        "connection_bytes": run.connection_bytes,
        "target_work_s": run.target_work_s,
        "load_work_s": run.load_work_s,
        "sampler_cpu_percent": run.sampler_cpu_percent,
        "settings_changed": run.settings_changed,
        "environment": run.environment.data if run.environment else None,
        "spec": run.spec,
    }


def json_of(
    runs: Iterable[Run], url: Callable[[Run], str | None] = lambda run: None
) -> Iterator[str]:
    """A list with one object a run, piece by piece: the figures, one a line, and on a line of its
    own, under "stored", all that `loadbench` needs to store the run elsewhere.
    """
    before = "[\n"
    for run in runs:
        figures = json.dumps(run_as_json(run, url=url(run)), indent=2)
        stored = json.dumps(as_plain(run), separators=(",", ":"))
        head = figures.removesuffix("\n}")
        text = f'{head},\n  "stored": {stored}\n}}'
        yield before + indent(text, "  ")
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def csv_of(runs: Iterable[Run]) -> Iterator[str]:
    """One row a run, piece by piece; an empty field is a missing value."""
    return table_as_csv(COLUMNS, ([_plain(getattr(run, name)) for name in COLUMNS] for run in runs))


def table_as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Comma-separated values with a header, line by line; None is an empty field.

    Text that a spreadsheet would take for a formula gets an apostrophe; numbers stay numbers.
    """
    line = StringIO()
    writer = csv.writer(line)
    for row in chain([header], rows):
        writer.writerow([_disarmed(value) for value in row])
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _disarmed(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _times(total: Measurement | None, field: str) -> dict[str, float | None]:
    figures = getattr(total, field) if total else {}
    return {
        "mean": figures.get("mean_s"),
        **{f"p{percent}": figures.get(f"p{percent}_s") for percent in PERCENTS},
        "max": figures.get("max_s"),
    }


def _times_of(run: Run, scope: str) -> dict[str, float | None] | None:
    """Response times of the one measurement of this scope; None without it."""
    found = next((one for one in run.measurements.all() if one.scope == scope), None)
    return _times(found, "response_time") if found else None


def _stage(stage: Measurement) -> dict[str, Any]:
    """One level of a run with several, or one kind of its users."""
    return {
        "name": stage.name,
        "level": stage.level,
        "requests": stage.requests,
        "failures": stage.failures,
        "resent": stage.resent,
        "throughput": stage.throughput,
        "goodput": stage.goodput,
        "concurrency": stage.concurrency,
        "response_time": {
            **_times(stage, "response_time"),
            "min": stage.response_time.get("min_s"),
            "p10": stage.response_time.get("p10_s"),
        },
        "service_time": _times(stage, "service_time"),
        "wait_time": _times(stage, "wait_time") if stage.wait_time else None,
        "offered_rate": stage.offered_rate,
        "achieved_rate": stage.achieved_rate,
        "late": stage.late,
        "dropped": stage.dropped,
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
