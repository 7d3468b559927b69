"""Writes stored runs, and what they were made for, to a file that loadbench reads elsewhere."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchsuite.core.commands import command
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.spec import REQUIRED, Spec, option, optional, table
from benchsuite.core.units import counted
from benchsuite.management import output
from benchsuite.management.options.parsing import BriefCommand, read
from benchsuite.report import queries
from benchsuite.report.exports import json_of
from benchsuite.store import sweep, sweep_executions


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump(Spec):
    file: str = option(REQUIRED, "FILE  - is standard output")
    study: str | None = optional("--study NAME  only runs of this study")
    label: str | None = optional("--label WORD  only runs with this label")
    since: str | None = optional(
        "--since MOMENT  only runs begun then or later: 2026-01-31T12:00:00"
    )


class Command(BriefCommand):
    help = __doc__
    entries = table(Dump)
    usage = "%(prog)s FILE [--study NAME] [--label WORD] [--since MOMENT]"
    examples = ("runs.json", "runs.json --label=before", "study.json --study=async_vs_sync")

    def handle(self, **options: Any) -> None:
        asked = read(Dump, options)
        file, study, label = asked.file, asked.study, asked.label
        try:
            since = asked.since and datetime.fromisoformat(asked.since).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise UsageError(f"--since: {error}; write 2026-01-31T12:00:00.") from error
        output.check("FILE", file)
        sweep()
        sweep_executions()
        given = {"study_cell__study_run__name": study, "label": label, "started_at__gte": since}
        wanted = {name: value for name, value in given.items() if value is not None}
        runs = queries.exported().filter(**wanted).order_by("started_at", "pk")
        if not (count := runs.count()):
            chosen = f" of the study {study!r}" * bool(study) + f" labelled {label!r}" * bool(label)
            chosen += f" begun since {asked.since}" * bool(since)
            raise UsageError(f"There are no runs{chosen}; the list of results shows what there is.")
        output.write(file, json_of(queries.by_and_by(runs)))
        elsewhere = command("loadbench", file)
        output.Screen(file).say(f"{counted(count, 'run')} in {file}; elsewhere: {elsewhere}")
