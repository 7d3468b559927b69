"""Shows servers, fronts and workloads: what can run here, and what would help what can't."""

from typing import Any

from django.core.management.base import BaseCommand
from rich import box
from rich.console import Console
from rich.table import Table

from benchsuite import conf
from benchsuite.servers.base import Available


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options: Any) -> None:
        console = Console(highlight=False)
        console.print(_servers())
        console.print(_fronts())
        console.print(_workloads())


def _servers() -> Table:
    table = Table("server", "interface", "version", "usable", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in conf.server_paths():
        adapter = conf.server_class(name)
        usable = _usable(adapter.available())
        table.add_row(name, adapter.interface, adapter.version() or "—", usable)
    return table


def _usable(found: Available) -> str:
    return "yes" if found.ok else f"no: {found.reason}; {found.command}"


def _fronts() -> Table:
    table = Table("front", "version", "usable", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in conf.front_paths():
        adapter = conf.front_class(name)
        table.add_row(name, adapter.version() or "—", _usable(adapter.available()))
    return table


def _workloads() -> Table:
    table = Table("workload", "what it does", "options", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in conf.workload_paths():
        workload = conf.workload_class(name)
        options = ", ".join(f"{key}={value}" for key, value in workload.options.items())
        table.add_row(name, workload.summary, options)
    return table
