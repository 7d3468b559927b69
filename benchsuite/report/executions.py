"""What is told of executions of studies and of tunings, and for which of them a run was made."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from django.db.models import QuerySet

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import read
from benchsuite.core.units import format_period
from benchsuite.models import Execution, Run
from benchsuite.tuning.log import PHASES
from benchsuite.tuning.trial import Trial

MACHINE = {
    "cpu_model": "CPU",
    "cpu_logical": "CPUs",
    "memory_gib": "memory (GiB)",
    "kernel": "kernel",
    "python_version": "Python",
}
"""Facts of an environment that a reader looks for first; its pages have all."""


def when(row: Execution) -> str:
    """When it was, how long it took, and how far it came."""
    words = f"{row.started_at:%d %b %Y, %H:%M} UTC"
    if row.ended_at:
        took = (row.ended_at - row.started_at).total_seconds()
        words += f", took {format_period(max(took, 1))}"
    return f"{words}, {row.status}{f', {row.label}' if row.label else ''}"


def machine(row: Execution) -> dict[str, object]:
    data = row.environment.data if row.environment else {}
    return {title: data[name] for name, title in MACHINE.items() if data.get(name)}


def servers(runs: QuerySet[Run]) -> list[str]:
    """ "gunicorn-sync 27.0.1" """
    named = runs.exclude(server_version="").order_by("server")
    return [" ".join(one) for one in named.values_list("server", "server_version").distinct()]


def environment(machine: Mapping[str, object], servers: Sequence[str]) -> dict[str, object]:
    return {**machine, **({"servers": ", ".join(servers)} if servers else {})}


class MadeFor(NamedTuple):
    whole: str  #: "the study shop"
    url: str
    part: str  #: Which part of it the run is, and why it was made.


def made_for(run: Run, *, in_tuning: bool) -> list[MadeFor]:
    """Empty where a command made it for its own sake; `in_tuning`: whether a tuning may have it."""
    purposes = []
    if (cell := run.study_cell) is not None:
        study = cell.study_run
        part = f"{cell}, run {run.repetition} of {study.repeat}"
        purposes.append(MadeFor(f"the study {study.name}", study.get_absolute_url(), part))
    for stored in run.trials.select_related("tuning") if in_tuning else ():
        part, tuning = f"run {stored.order + 1}", stored.tuning
        with suppress(UsageError):  # that of another benchsuite
            trial = read(Trial, stored.trial)
            part += f", {PHASES[trial.phase]}: {trial.reason}"
        purposes.append(MadeFor(f"the tuning {tuning.short_id}", tuning.get_absolute_url(), part))
    return purposes
