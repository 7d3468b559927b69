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
            const="",
            metavar="CODE",
            help="say what a code or term means, such as B205, L04 or goodput; alone: all of them",
        )

    def handle(self, **options: Any) -> None:
        console = Screen().console
        if options["explain"]:
            for term in explain(options["explain"]):
                console.say(f"{term.term}: {term.meaning}")
                console.say(f"More: {term.place}")
        elif options["explain"] is not None:
            every = dict.fromkeys(term for some in explanations().values() for term in some)
            console.table(
                Grid(
                    headings=("code or term", "what it means"),
                    rows=[[term.term, term.meaning] for term in every],
                    prose=("what it means",),
                )
            )
        elif options["findings"]:
            console.table(Grid(headings=HEADINGS, rows=rows(), words=HEADINGS, prose=HEADINGS[1:]))
        else:
            console.table(_servers())
            rows_of_fronts = [
                [name, adapter.version() or "—", _usable(adapter.available())]
                for name, adapter in conf.fronts().items()
            ]
            headings, words = ("front", "version", "usable"), ("version",)
            console.table(
                Grid(
                    headings=headings,
                    rows=rows_of_fronts,
                    words=words,
                    prose=("usable",),
                    spare=words,
                )
            )
            rows_of_workloads = []
            for name, work in conf.workloads().items():
                options_of = ", ".join(f"{key}={value}" for key, value in work.options.items())
                rows_of_workloads.append([name, work.summary, options_of])
            headings = ("workload", "what it does", "options")
            console.table(Grid(headings=headings, rows=rows_of_workloads, prose=headings[1:]))


def _servers() -> Grid:
    """Each family of several stands apart; those of one stand together."""
    cells: list[list[str]] = []
    ends: list[int] = []
    families = groupby(conf.servers().items(), lambda server: server[1].__module__)
    for family in [list(servers) for _, servers in families]:
        if len(family) > 1 and cells:
            ends.append(len(cells) - 1)
        for name, adapter in family:
            usable = _usable(adapter.available())
            cells.append([name, adapter.interface, adapter.version() or "—", usable])
        if len(family) > 1:
            ends.append(len(cells) - 1)
    return Grid(
        headings=("server", "interface", "version", "usable"),
        rows=cells,
        words=("interface", "version"),
        prose=("usable",),
        spare=("version", "interface"),
        sections=ends,
    )


def _usable(available: Available) -> str:
    """With the command on a line of its own, from where it can be copied."""
    return "yes" if available.ok else f"no: {available.reason}\n{available.command}"
