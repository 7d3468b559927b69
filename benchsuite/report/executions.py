"""What is told of executions of studies and of tunings, and for which of them a run was made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import read
from benchsuite.core.units import format_period
from benchsuite.models import Execution, Run, TuningTrial
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
    """Where it was measured."""
    return {**machine, **({"servers": ", ".join(servers)} if servers else {})}


@dataclass(frozen=True, slots=True)
class MadeFor:
    whole: str  #: "the study shop"
    url: str
    part: str  #: Which part of it the run is, and why it was made.


def made_for(run: Run, *, in_tuning: bool = True) -> list[MadeFor]:
    """Empty where a command made the run for its own sake; `in_tuning` is False where it is known
    that no tuning has it.
    """
    purposes = []
    if (cell := run.study_cell) is not None:
        study = cell.study_run
        part = f"{cell}, run {run.repetition} of {study.repeat}"
        purposes.append(MadeFor(f"the study {study.name}", study.get_absolute_url(), part))
    for trial in run.trials.select_related("tuning") if in_tuning else ():
        tuning = trial.tuning
        purposes.append(
            MadeFor(f"the tuning {tuning.short_id}", tuning.get_absolute_url(), _start(trial))
        )
    return purposes


def _start(stored: TuningTrial) -> str:
    number = f"run {stored.order + 1}"
    try:
        trial = read(Trial, stored.trial)
    except UsageError:  # that of another benchsuite
        return number
    return f"{number}, {PHASES[trial.phase]}: {trial.reason}"
