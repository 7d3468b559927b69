"""Shows servers, fronts and workloads: what can run here, and what would help what can't."""

from itertools import groupby
from typing import Any

from django.core.management.base import CommandParser

from benchsuite import conf
from benchsuite.core.glossary import explain, explanations
from benchsuite.findings.registry import HEADINGS, rows
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.output import Screen
from benchsuite.report.terminal.grid import Grid
from benchsuite.servers.base import Available

ALL = ""  #: For --explain without a code.


class Command(BriefCommand):
    help = __doc__
    examples = ("", "--findings", "--explain B205")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--findings", action="store_true", help="list the findings and their limits instead"
        )
        parser.add_argument(
            "--explain",
            nargs="?",
            const=ALL,
            metavar="CODE",
            help="say what a code or term means, such as B205, L04 or goodput; alone: all of them",
        )

    def handle(self, **options: Any) -> None:
        console = Screen(quiet_stdout=False).console
        if options["explain"] == ALL:
            console.table(_glossary())
            return
        if options["explain"]:
            for one in explain(options["explain"]):
                console.say(f"{one.term}: {one.meaning}")
                console.say(f"More: {one.place}")
            return
        listed = [_findings] if options["findings"] else [_servers, _fronts, _workloads]
        for table in (make() for make in listed):
            console.table(table)


def _servers() -> Grid:
    """Each family of several stands apart; those of one stand together."""
    rows: list[list[str]] = []
    ends: list[int] = []
    families = groupby(conf.servers().items(), lambda server: server[1].__module__)
    for family in [list(servers) for _, servers in families]:
        if len(family) > 1 and rows:
            ends.append(len(rows) - 1)
        for name, adapter in family:
            usable = _usable(adapter.available())
            rows.append([name, adapter.interface, adapter.version() or "—", usable])
        if len(family) > 1:
            ends.append(len(rows) - 1)
    return Grid(
        headings=("server", "interface", "version", "usable"),
        rows=rows,
        words=("interface", "version"),
        prose=("usable",),
        spare=("version", "interface"),
        sections=ends,
    )


def _usable(available: Available) -> str:
    """With the command on a line of its own, from where it can be copied."""
    return "yes" if available.ok else f"no: {available.reason}\n{available.command}"


def _fronts() -> Grid:
    return Grid(
        headings=("front", "version", "usable"),
        rows=[
            [name, adapter.version() or "—", _usable(adapter.available())]
            for name, adapter in conf.fronts().items()
        ],
        words=("version",),
        prose=("usable",),
        spare=("version",),
    )


def _glossary() -> Grid:
    every = dict.fromkeys(one for some in explanations().values() for one in some)
    return Grid(
        headings=("code or term", "what it means"),
        rows=[[one.term, one.meaning] for one in every],
        prose=("what it means",),
    )


def _findings() -> Grid:
    return Grid(headings=HEADINGS, rows=rows(), words=HEADINGS, prose=HEADINGS[1:])


def _workloads() -> Grid:
    return Grid(
        headings=("workload", "what it does", "options"),
        rows=[
            [name, one.summary, ", ".join(f"{key}={value}" for key, value in one.options.items())]
            for name, one in conf.workloads().items()
        ],
        prose=("what it does", "options"),
    )
