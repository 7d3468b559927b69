"""Checks what servers make of the WebSocket protocol: what holds, and what does not."""

import argparse
import json
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from benchsuite import conf
from benchsuite.conformance.outcomes import Outcome
from benchsuite.conformance.session import (
    APPLICATIONS,
    ASGI,
    CHANNELS,
    Report,
    can_be_checked,
    report,
)
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import Option, RunSpec, ServerSpec
from benchsuite.management import writing
from benchsuite.management.options.parsing import FLAG, PAIRS, BriefCommand, names
from benchsuite.management.options.setup import pairs
from benchsuite.management.output import Screen
from benchsuite.pythons.interpreter import OWN
from benchsuite.report.terminal.conformance import headline, table
from benchsuite.runner import preflight
from benchsuite.runner.plan import Plan
from benchsuite.runner.planning import resolve
from benchsuite.system.interrupts import terminable


class Command(BriefCommand):
    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--server",
            metavar="NAME[,NAME…]",
            help="which to check (default: all that speak WebSocket and can run here)",
        )
        add(
            "--application",
            choices=APPLICATIONS,
            default=ASGI,
            help="the smallest echo that ASGI allows, or the consumer of Channels that runs "
            "measure (default: %(default)s)",
        )
        add("--option", **PAIRS, help="of the servers, as for runbench; may be repeated")
        add("--all", **FLAG, help="show also what is as it should be")
        add("--json", metavar="FILE", help="write all results as JSON; - for standard output")
        add("--strict", **FLAG, help="end with status 1 when a check has failed")

    def handle(self, **options: Any) -> None:
        screen = Screen(quiet_stdout=options["json"] == "-")
        reports: list[Report] = []
        writing.check("--json", options["json"])
        plans = _plans(options["server"], pairs("--option", options["option"]))
        if options["application"] == CHANNELS and OWN.installed("channels") is None:
            raise UnavailableError(
                "channels is not installed; pip install 'django-benchsuite[channels]' would help."
            )
        with terminable():
            for plan in plans:
                found = report(plan, application=options["application"])
                reports.append(found)
                screen.console.say(headline(found))
                screen.console.table(table(found, everything=options["all"]))
        if options["json"]:
            content = [one.to_json() for one in reports]
            text = json.dumps(content, indent=1, ensure_ascii=False)
            writing.write(options["json"], f"{text}\n")
        if options["strict"] and any(one.count(Outcome.FAILED) for one in reports):
            raise CommandError("A check has failed, and --strict was given.", returncode=1)


def _plans(given: str | None, settings: Mapping[str, Option]) -> list[Plan]:
    """What is checked: the servers of these names, or all that can run here."""
    able = {name: one for name, one in conf.servers().items() if can_be_checked(one)}
    usable = [name for name, one in able.items() if not given and one.available().ok]
    plans = []
    for name in names("--server", [given]) if given else usable:
        plan = resolve(RunSpec(server=ServerSpec(server=name, options=settings)))
        if name not in able:
            raise UsageError(
                f"{name} does not echo plain WebSocket messages; there are: {', '.join(able)}."
            )
        preflight.check_installed(plan)
        plans.append(plan)
    return plans
