"""Fills the tables that the target app's workloads use."""

import time
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.management.base import CommandError

from benchsuite.core.specs.spec import Spec, optional, switch, table
from benchsuite.core.units import format_count, format_duration
from benchsuite.management.options.parsing import BriefCommand, read

ROWS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed(Spec):
    rows: int | None = optional(
        "--rows N  exact number",
        within=(0, 1_000_000_000),
        unless=f"{ROWS}; with --surveys: left as they are",
    )
    comments: bool = switch("--comments  give each row a comment, which io_join and io_lock take")
    surveys: bool = switch("--surveys  load the seven surveys")


class Command(BriefCommand):
    help = (
        "Makes the target app's table hold exactly that many rows, or loads its surveys, for "
        "--database=keep and for servers you start yourself; a run on a throw-away database seeds "
        "its own."
    )
    entries = table(Seed)
    examples = ("--rows=1000000", "--surveys", "--rows=10000 --comments")

    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        if not apps.is_installed("benchsuite.target"):
            raise CommandError(
                'The target app is not installed; add "benchsuite.target" to INSTALLED_APPS and '
                "run: python manage.py migrate benchsuite_target"
            )
        from benchsuite.target.seed import seed
        from benchsuite.target.survey.definitions import load_surveys

        asked = read(Seed, options)
        if asked.surveys:
            surveys, pages, questions = load_surveys()
            self.stdout.write(f"{surveys} surveys: {questions} questions on {pages} pages")
        if asked.rows is not None or asked.comments or not asked.surveys:
            rows = ROWS if asked.rows is None else asked.rows
            began = time.perf_counter()
            before = seed(rows, comments=asked.comments)
            added, removed = max(0, rows - before), max(0, before - rows)
            self.stdout.write(
                f"{format_count(rows)} rows in {format_duration(time.perf_counter() - began)} "
                f"({format_count(added)} added, {format_count(removed)} removed)"
            )
