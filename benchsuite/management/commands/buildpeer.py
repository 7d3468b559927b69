"""Installs what WebSocket servers outside Django need, once, into the cache."""

from typing import Any

from django.core.management.base import CommandParser

from benchsuite.management.options.parsing import BriefCommand
from benchsuite.servers.peers import adapters


class Command(BriefCommand):
    help = __doc__
    examples = ("node",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "name",
            choices=["node"],
            help="node: the npm packages of peer-ws and peer-socketio, by `npm ci` from a lock "
            "(peer-actioncable runs from Debian's packages and needs no build)",
        )

    def handle(self, **options: Any) -> None:
        place = adapters.build()
        for name in ("ws", "socket.io"):
            self.stdout.write(f"{name} {adapters.package_version(name)}")
        self.stdout.write(f"in {place}")
