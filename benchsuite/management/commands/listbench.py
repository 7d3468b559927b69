"""Shows servers, fronts and workloads: what can run here, and what would help what can't."""

import os
from collections.abc import Mapping
from typing import Any

from benchsuite import conf
from benchsuite.core.answer import Table
from benchsuite.core.commands import PYTHON_VARIABLE
from benchsuite.core.exceptions import UsageError
from benchsuite.core.glossary import explain, explanations
from benchsuite.core.specs.spec import Entry
from benchsuite.findings.registry import HEADINGS, rows
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.output import Screen
from benchsuite.pythons.interpreter import OWN, Interpreter


class Command(BriefCommand):
    help = __doc__
    entries = (
        Entry(flag="--findings", help="list the findings and their limits instead", kind=bool),
        Entry(
            flag="--explain [CODE]",
            help="say what a code or term means, such as B205, L04 or goodput; alone: all of them",
        ),
    )
    examples = ("", "--findings", "--explain B205")

    def handle(self, **options: Any) -> None:
        screen = Screen()
        if options["findings"] and options["explain"] is not None:
            raise UsageError("--findings and --explain show one thing each: leave one of them out.")
        if options["explain"]:
            for term in explain(options["explain"]):
                screen.say(f"{term.term}: {term.meaning}")
                screen.say(f"More: {term.place}")
        elif options["explain"] is not None:
            every = dict.fromkeys(term for some in explanations().values() for term in some)
            meanings = [[term.term, term.meaning] for term in every]
            screen.table(Table(("code or term", "what it means"), meanings))
        elif options["findings"]:
            screen.table(Table(HEADINGS, rows()))
        else:
            screen.table(_adapters("server", conf.servers(), "interface"))
            fronts = {name: conf.front_class(name) for name in conf.paths("FRONTS")}
            screen.table(_adapters("front", fronts))
            works = {name: conf.workload_class(name) for name in conf.paths("WORKLOADS")}
            workloads = [
                [name, work.summary, ", ".join(f"{key}={one}" for key, one in work.options.items())]
                for name, work in works.items()
            ]
            screen.table(Table(("workload", "what it does", "options"), workloads))


def _adapters(kind: str, adapters: Mapping[str, Any], *facts: str) -> Table:
    """A table of these, with some of their attributes, and whether they are usable."""
    rows = [
        [name, *(getattr(adapter, fact) for fact in facts), *_installed(adapter)]
        for name, adapter in adapters.items()
    ]
    return Table((kind, *facts, "version", "usable"), rows, spare=("version", *facts))


def _installed(adapter: Any) -> tuple[str, str]:
    """Its version and whether it is usable: a server of the project in the project's Python."""
    python = os.environ.get(PYTHON_VARIABLE, OWN.executable)
    where = [Interpreter(python)] if getattr(adapter, "serves_project", False) else []
    usable = adapter.available(*where)
    # with the command on a line of its own, from where it can be copied
    words = "yes" if usable.ok else f"no: {usable.reason}\n{usable.command}"
    return adapter.version(*where) or "—", words
