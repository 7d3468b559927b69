"""Checks what servers make of the WebSocket protocol: what holds, and what does not."""

import argparse
import json
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
from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError
from benchsuite.management import writing
from benchsuite.management.options.parsing import BriefCommand, names
from benchsuite.management.options.setup import pairs
from benchsuite.management.output import Screen
from benchsuite.pythons.interpreter import OWN
from benchsuite.report.terminal.conformance import headline, table
from benchsuite.system.interrupts import terminable


class Command(BriefCommand):
    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--server",
            metavar="NAME[,NAME…]",
            help="which to check (default: all that speak WebSocket and can run here)",
        )
        parser.add_argument(
            "--application",
            choices=APPLICATIONS,
            default=ASGI,
            help="the smallest echo that ASGI allows, or the consumer of Channels that runs "
            "measure (default: %(default)s)",
        )
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="of the servers, as for runbench; may be repeated",
        )
        parser.add_argument("--all", action="store_true", help="show also what is as it should be")
        parser.add_argument(
            "--json", metavar="FILE", help="write all results as JSON; - for standard output"
        )
        parser.add_argument(
            "--strict", action="store_true", help="end with status 1 when a check has failed"
        )

    def handle(self, **options: Any) -> None:
        screen = Screen(quiet_stdout=options["json"] == "-")
        reports: list[Report] = []
        try:
            writing.check("--json", options["json"])
            names = _servers(options["server"])
            if options["application"] == CHANNELS and OWN.installed("channels") is None:
                raise UnavailableError(
                    "channels is not installed; pip install 'django-benchsuite[channels]' would "
                    "help."
                )
            settings = pairs("--option", options["option"])
            with terminable():
                for name in names:
                    found = report(
                        conf.server_class(name),
                        application=options["application"],
                        options=settings,
                    )
                    reports.append(found)
                    screen.console.say(headline(found))
                    screen.console.table(table(found, everything=options["all"]))
            if options["json"]:
                content = [one.to_json() for one in reports]
                text = json.dumps(content, indent=1, ensure_ascii=False)
                writing.write(options["json"], f"{text}\n")
        except (UsageError, UnavailableError) as error:
            raise CommandError(str(error), returncode=2) from error
        except BenchsuiteError as error:
            raise CommandError(str(error), returncode=1) from error
        if options["strict"] and any(one.count(Outcome.FAILED) for one in reports):
            raise CommandError("A check has failed, and --strict was given.", returncode=1)


def _servers(given: str | None) -> list[str]:
    able = [name for name in conf.server_paths() if can_be_checked(conf.server_class(name))]
    if not given:
        return [name for name in able if conf.server_class(name).available().ok]
    for name in (chosen := names("--server", [given])):
        adapter = conf.server_class(name)
        if name not in able:
            raise UsageError(
                f"{name} does not echo plain WebSocket messages; there are: {', '.join(able)}."
            )
        if not (usable := adapter.available()).ok:
            raise UnavailableError(
                f"{name} can't run here: {usable.reason}; {usable.command} would help."
            )
    return chosen
