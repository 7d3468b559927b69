"""Watches a target on this machine, or starts one, for a command that loads it from another."""

from dataclasses import dataclass
from typing import Any

from benchsuite.agent.program import Agent, Target, serve
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.spec import Spec, option, optional, switch, table
from benchsuite.load.hosts.keys import Listening
from benchsuite.management.options.parsing import BriefCommand, read
from benchsuite.management.output import Screen


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside(Spec):
    listen: str | None = optional("--listen HOST:PORT  where --agent of the other command finds it")
    key_file: str | None = optional("--key-file FILE  the same file as that command's")
    process: tuple[str, ...] = option(
        (), "--process NAME  watch the programs of this name, with what they start"
    )
    unit: str = option("", "--unit NAME  watch this unit of systemd, such as shop.service")
    port: int | None = optional("--port N  watch who listens on this port", within=(1, 65535))
    may_start: bool = switch(
        "--may-start  start servers of this project for whoever has the key, for loads that "
        "come from its machine: they listen at the host of --listen, and so does the port above it"
    )


class Command(BriefCommand):
    help = __doc__
    entries = table(Beside)
    examples = (
        "--listen 10.0.0.1:5558 --key-file bench.key --unit shop.service",
        "--listen 10.0.0.1:5558 --key-file bench.key --may-start",
        "--listen 127.0.0.1:5558 --key-file bench.key --process gunicorn --process celery",
    )

    def handle(self, **options: Any) -> None:
        asked = read(Beside, options)
        target = Target(names=asked.process, unit=asked.unit, port=asked.port)
        if not (asked.listen and asked.key_file and (target.words or asked.may_start)):
            raise UsageError(
                "benchagent needs --listen, --key-file and what to watch: give --process, --unit, "
                "--port or --may-start."
            )
        place = Listening.at(asked.listen, asked.key_file, flag="--listen")
        serve(place, Agent(target, Screen().say, may_start=place if asked.may_start else None))
