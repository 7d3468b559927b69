"""Shows servers and workloads: what can run here, and what would help where something can't."""

from typing import Any

from django.core.management.base import BaseCommand
from rich import box
from rich.console import Console
from rich.table import Table

from benchsuite import conf


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options: Any) -> None:
        console = Console(highlight=False)
        console.print(_servers())
        console.print(_workloads())


def _servers() -> Table:
    table = Table("server", "interface", "version", "usable", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in conf.server_paths():
        adapter = conf.server_class(name)
        usable = adapter.available()
        why = "yes" if usable.ok else f"no: {usable.reason}; {usable.command}"
        table.add_row(name, adapter.interface, adapter.version() or "—", why)
    return table


def _workloads() -> Table:
    table = Table("workload", "what it does", "options", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in conf.workload_paths():
        workload = conf.workload_class(name)
        options = ", ".join(f"{key}={value}" for key, value in workload.options.items())
        table.add_row(name, workload.summary, options)
    return table
