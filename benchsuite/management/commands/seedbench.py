"""Fills the table that io_read and io_create use."""

from argparse import ArgumentParser
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from benchsuite.units import format_count, format_duration


class Command(BaseCommand):
    help = (
        "Makes the target app's table hold exactly that many rows, for --database=keep and for "
        "servers you start yourself; a run on a throw-away database seeds its own."
    )

    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rows", type=int, default=100_000, help="Exact number (%(default)s).")
        parser.add_argument("--database", default="default", help="Alias (%(default)s).")

    def handle(self, *, rows: int, database: str, **options: Any) -> None:
        if database not in connections:
            known = ", ".join(connections)
            raise CommandError(f"There is no database {database!r}; there are: {known}.")
        if not apps.is_installed("benchsuite.target"):
            raise CommandError(
                'The target app is not installed; add "benchsuite.target" to INSTALLED_APPS and '
                "run: python manage.py migrate benchsuite_target"
            )
        from benchsuite.target.seed import SeedError, seed

        try:
            seeded = seed(rows, using=database)
        except SeedError as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            place = connections[database].settings_dict
            where = f"{place['HOST'] or 'localhost'}:{place['PORT'] or 'default port'}"
            name = place["NAME"]
            raise CommandError(f"The database {name} ({where}) refused: {error}".strip()) from error
        self.stdout.write(
            f"{format_count(seeded.rows)} rows in {format_duration(seeded.seconds)} "
            f"({format_count(seeded.added)} added, {format_count(seeded.removed)} removed)"
        )
