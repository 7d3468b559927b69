"""What is told of executions of studies and of tunings."""

from collections.abc import Mapping, Sequence

from django.db.models import QuerySet

from benchsuite.core.units import format_period
from benchsuite.models import Execution, Run

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
