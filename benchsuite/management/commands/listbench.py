"""Shows servers, fronts and workloads: what can run here, and what would help what can't."""

from itertools import groupby
from typing import Any

from rich import box
from rich.table import Table

from benchsuite import conf
from benchsuite.management.output import Screen
from benchsuite.management.parsing import BriefCommand
from benchsuite.servers.base import Available


class Command(BriefCommand):
    help = __doc__

    def handle(self, **options: Any) -> None:
        console = Screen(quiet_stdout=False).console
        console.print(_servers())
        console.print(_fronts())
        console.print(_workloads())


def _servers() -> Table:
    """Each family of several stands apart; those of one stand together."""
    table = Table("server", "interface", "version", "usable", box=box.SIMPLE_HEAD, pad_edge=False)
    families = groupby(conf.server_paths(), lambda name: conf.server_class(name).__module__)
    for family in [list(names) for _, names in families]:
        several = len(family) > 1
        if several:
            table.add_section()
        for name in family:
            adapter = conf.server_class(name)
            usable = _usable(adapter.available())
            table.add_row(name, adapter.interface, adapter.version() or "—", usable)
        if several:
            table.add_section()
    return table


def _usable(found: Available) -> str:
    """With the command on a line of its own, from where it can be copied."""
    return "yes" if found.ok else f"no: {found.reason}\n{found.command}"


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
