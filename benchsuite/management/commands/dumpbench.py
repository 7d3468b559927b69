"""Writes stored runs, and what they were made for, to a file that loadbench reads elsewhere."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchsuite.core.commands import command
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.specs.spec import REQUIRED, Spec, option, table
from benchsuite.management import streams
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.options.table import read
from benchsuite.management.output import Screen
from benchsuite.models import Run, StudyRun
from benchsuite.report import queries
from benchsuite.report.exports.runs import json_of
from benchsuite.store.abandoned import sweep, sweep_executions


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump(Spec):
    file: str = option(REQUIRED, "FILE  - is standard output")
    study: str | None = option(None, "--study NAME  only runs of this study")
    label: str | None = option(None, "--label WORD  only runs with this label")
    since: str | None = option(
        None, "--since MOMENT  only runs begun then or later: 2026-01-31T12:00:00"
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
            since = asked.since and datetime.fromisoformat(asked.since).astimezone()
        except ValueError as error:
            raise UsageError(f"--since: {error}; write 2026-01-31T12:00:00.") from error
        streams.check("FILE", file)
        sweep()
        sweep_executions()
        given = {"study_cell__study_run__name": study, "label": label, "started_at__gte": since}
        wanted = {name: value for name, value in given.items() if value is not None}
        runs = queries.exported().filter(**wanted).order_by("started_at", "pk")
        if not (count := runs.count()):
            raise UsageError(_nothing(study, label))
        streams.write(file, json_of(queries.by_and_by(runs)))
        elsewhere = command("loadbench", file)
        words = f"{count} run{'s' * (count != 1)} in {file}; elsewhere: {elsewhere}"
        Screen(quiet_stdout=file == "-").say(words)


def _nothing(study: str | None, label: str | None) -> str:
    """What was wanted, and what there is."""
    studies = StudyRun.objects.order_by("name").values_list("name", flat=True).distinct()
    if study is not None and study not in studies:
        return f"There is no execution of a study {study!r}; {choices(study, studies)}"
    of = f" of the study {study}" if study else ""
    if label is None:
        return f"There are no runs{of}."
    labels = Run.objects.exclude(label="").order_by("label").values_list("label", flat=True)
    there_are = choices(label, labels.distinct())
    return f"There are no runs{of} with the label {label!r}; {there_are}"
