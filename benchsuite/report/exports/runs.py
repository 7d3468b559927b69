"""Runs as JSON objects and as rows of a table, for machines."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import StringIO
from itertools import chain
from textwrap import indent
from typing import Any
from uuid import UUID

from benchsuite.comparing.titles import Around
from benchsuite.conf import addresses
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place, whole
from benchsuite.core.samples import FANOUT, HANDSHAKE
from benchsuite.models import Measurement, Run
from benchsuite.report import limiting
from benchsuite.report.levels import populations
from benchsuite.report.sentences import model_sentence
from benchsuite.store import notes, purposes
from benchsuite.store.interchange import as_plain

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How text begins that a spreadsheet may reckon with, in full-width characters, too."""

FACTS = (
    *("id", "batch", "started_at", "ended_at", "status", "verdict", "failure", "label"),
    *("workload", "server", "server_version", "python_version", "revision"),
    *("processes", "threads", "model", "users", "arrival_rate", "warmup_s", "duration_s"),
    *("repetition", "unit"),
)
"""What is told of a run beside its figures, by columns of `Run`."""

WITH_UNITS = {"arrival_rate": "arrival_rate_per_s"}  #: Where a column's name lacks it.

TIMES = ("response_time", "service_time", "wait_time")


def run_as_json(run: Run, *, url: str | None = None) -> dict[str, Any]:
    """One run as plain JSON: seconds, bytes, percent of one CPU; a missing value is null."""
    total = whole(run)
    return {
        **{name: _plain(getattr(run, name)) for name in FACTS},
        "url": url or addresses.of_run(run.pk),
        "findings": [
            {name: getattr(finding, name) for name in ("code", "level", "message", "hint")}
            for finding in run.findings.all()
        ],
        **limiting.as_json(run),
        "argv": run.argv,
        "programs": run.programs,
        "delay": run.delay or None,
        "python_chosen": Around.of(run).python or None,
        "python_facts": run.software.data["python"] if run.software else None,
        "packages": run.packages,
        "coordinated_omission": "possible" if model_sentence([run]) else None,
        "cpus_target": run.spec.get("server", {}).get("cpus"),
        "cpus_load": run.spec.get("load", {}).get("cpus"),
        **{one.name: one.value(run) for one in every.in_place(Place.JSON)},
        "failures_by_kind": total.failures_by_kind if total else {},
        **_times(total),
        "stages": [_part(one) for one in run.measurements.all() if one.scope == "stage"],
        "populations": [_part(one) for one in populations(run)],
        "handshake_time": _times_of(run, HANDSHAKE),
        "fan_out_time": _times_of(run, FANOUT),
        "websockets": run.websockets,
        "settings_changed": run.settings_changed,
        "environment": run.environment.data if run.environment else None,
        "spec": run.spec,
    }


def json_of(
    runs: Iterable[Run], url: Callable[[Run], str | None] = lambda run: None
) -> Iterator[str]:
    """A list with one object a run, piece by piece: the figures, one a line, and on a line of its
    own, under "stored", all that `loadbench` needs to store the run elsewhere. What runs were made
    for is under "made_for", and whole with the first of them; what people noted is under "notes".
    """
    before, written, notes_of = "[\n", set[UUID](), notes.for_export()
    for run in runs:
        figures = json.dumps(run_as_json(run, url=url(run)), indent=2)
        parts: dict[str, Any] = {"stored": as_plain(run)}
        if made_for := purposes.as_plain(run, written):
            parts["made_for"] = made_for
        if kept := notes_of(run):
            parts["notes"] = kept
        lines = (
            f'"{name}": {json.dumps(one, separators=(",", ":"))}' for name, one in parts.items()
        )
        text = ",\n  ".join([figures.removesuffix("\n}"), *lines]) + "\n}"
        yield before + indent(text, "  ")
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def csv_of(runs: Iterable[Run]) -> Iterator[str]:
    """One row a run, piece by piece; an empty field is a missing value."""
    figures = every.in_place(Place.CSV)
    rows = (
        [*(_plain(getattr(run, name)) for name in FACTS), *(one.value(run) for one in figures)]
        for run in runs
    )
    facts = [WITH_UNITS.get(name, name) for name in FACTS]
    return table_as_csv([*facts, *(one.with_unit for one in figures)], rows)


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


def _times(part: Measurement | None) -> dict[str, Any]:
    """The three times of all requests, or of a part of them."""
    return {kind: _seconds(getattr(part, kind, None)) for kind in TIMES}


def _seconds(stored: Mapping[str, Any] | None) -> dict[str, float | None] | None:
    times = [one.name for one in every.METRICS if one.of_times]
    return {name: stored.get(name) for name in times} if stored else None


def _times_of(run: Run, scope: str) -> dict[str, float | None] | None:
    """Response times of the one measurement of this scope; None without it."""
    measurement = next((one for one in run.measurements.all() if one.scope == scope), None)
    return _seconds(measurement.response_time) if measurement else None


def _part(part: Measurement) -> dict[str, Any]:
    """One level of a run with several, or one kind of its users."""
    names = [one.name for one in every.in_place(Place.JSON)]
    return {
        "name": part.name,
        **{name: getattr(part, name) for name in names if hasattr(part, name)},
        **_times(part),
    }


def _plain(value: Any) -> Any:
    """For machines: text without letters is missing."""
    if isinstance(value, datetime):
        return value.isoformat()
    return (str(value) or None) if isinstance(value, str | UUID) else value
