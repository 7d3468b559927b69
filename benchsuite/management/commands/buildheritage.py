"""Builds the environment of servers of another time, and starts each of them once."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from benchsuite.management import heritage
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.output import Screen
from benchsuite.report.terminal.grid import Grid
from benchsuite.system.interrupts import terminable
from benchsuite.system.lock import alone


class Command(BriefCommand):
    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="environment to build, such as channels0")
        parser.add_argument("--list", action="store_true", help="show the environments and stop")

    def handle(self, **options: Any) -> None:
        screen = Screen(quiet_stdout=False)
        if options["list"] or not options["name"]:
            screen.console.table(_table())
            return
        try:
            wanted = heritage.environment(options["name"])
            with terminable(), alone(screen.waiting):
                for line in wanted.build(screen.building):
                    screen.warn(line)
        except KeyboardInterrupt as interrupt:
            raise CommandError("Interrupted; nothing half-built is left.", returncode=130) from (
                interrupt
            )


def _table() -> Grid:
    return Grid(
        headings=("environment", "Python", "packages", "state", "servers"),
        rows=[
            [
                one.name,
                " or ".join(one.pythons),
                str(one.packages),
                one.state,
                ", ".join(server.name for server in one.servers),
            ]
            for one in heritage.environments()
        ],
        words=("Python", "state"),
        prose=("state", "servers"),
        spare=("packages",),
    )
