"""Watches a target on this machine for a command that loads it from another one."""

from typing import Any

from django.core.management.base import CommandParser

from benchsuite.agent.program import Agent, serve
from benchsuite.agent.target import Target
from benchsuite.core.exceptions import UsageError
from benchsuite.load.parent.hosts import Listening
from benchsuite.management.options.parsing import BriefCommand


class Command(BriefCommand):
    help = __doc__
    examples = (
        "--listen 10.0.0.1:5558 --key-file bench.key --unit shop.service",
        "--listen 127.0.0.1:5558 --key-file bench.key --process gunicorn --process celery",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--listen", metavar="HOST:PORT", help="where the other command's --agent finds it"
        )
        parser.add_argument(
            "--key-file", metavar="FILE", help="the same file as that command's --key-file"
        )
        parser.add_argument(
            "--process",
            metavar="NAME",
            action="append",
            default=[],
            help="watch the programs of this name, with what they start; may be repeated",
        )
        parser.add_argument("--unit", default="", help="watch this unit of systemd")
        parser.add_argument(
            "--port", metavar="N", type=int, help="watch who listens on this port, and their kin"
        )

    def handle(self, **options: Any) -> None:
        listen, key_file = options["listen"], options["key_file"]
        if not (listen and key_file):
            raise UsageError("benchagent needs --listen and --key-file.")
        unit = options["unit"]
        target = Target(
            names=tuple(options["process"]),
            unit=unit if "." in unit or not unit else f"{unit}.service",
            port=options["port"],
        )
        if not (target.names or target.unit or target.port):
            raise UsageError("benchagent watches what --process, --unit or --port names: give one.")

        def say(words: str) -> None:
            self.stdout.write(words)
            self.stdout.flush()

        serve(Listening.at(listen, key_file, flag="--listen"), Agent(target, say), say)
