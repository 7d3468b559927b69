"""Shows servers, fronts and workloads: what can run here, and what would help what can't."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from benchsuite import conf
from benchsuite.core.answer import Table
from benchsuite.core.glossary import explain, explanations
from benchsuite.findings.registry import HEADINGS, rows
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.output import Screen


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
            headings = ("code or term", "what it means")
            meanings = [[term.term, term.meaning] for term in every]
            console.table(Table(headings, meanings))
        elif options["findings"]:
            console.table(Table(HEADINGS, rows()))
        else:
            console.table(_adapters("server", conf.servers(), "interface"))
            console.table(_adapters("front", conf.fronts()))
            workloads = [
                [name, work.summary, ", ".join(f"{key}={one}" for key, one in work.options.items())]
                for name, work in conf.workloads().items()
            ]
            about = ("workload", "what it does", "options")
            console.table(Table(about, workloads))


def _adapters(kind: str, adapters: Mapping[str, Any], *facts: str) -> Table:
    """A table of these, with some of their attributes."""
    rows = [
        [
            name,
            *(getattr(adapter, fact) for fact in facts),
            adapter.version() or "—",
            # with the command on a line of its own, from where it can be copied
            "yes" if (can := adapter.available()).ok else f"no: {can.reason}\n{can.command}",
        ]
        for name, adapter in adapters.items()
    ]
    return Table((kind, *facts, "version", "usable"), rows, spare=("version", *facts))
