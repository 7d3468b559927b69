"""Measures this project on real servers and stores what it finds."""

import argparse
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from benchsuite import planning
from benchsuite.examine import Glance
from benchsuite.exceptions import BenchsuiteError, UnavailableError, UsageError
from benchsuite.management import arguments, batch, output
from benchsuite.management.parsing import BriefCommand
from benchsuite.models import Run
from benchsuite.results import Status


class Command(BriefCommand):
    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        arguments.add_to(parser)

    def handle(self, **options: Any) -> None:
        glance = Glance()
        screen = output.Screen(quiet_stdout=options["json"] == "-")
        try:
            runs = arguments.specs(options)
            start_timeout_s = arguments.start_timeout_s(options)
            planning.check(runs)
            if options["json"]:
                output.check_writable(options["json"])
        except (UsageError, UnavailableError) as error:
            raise CommandError(str(error), returncode=2) from error
        screen.plan(runs)
        if options["dry_run"]:
            screen.rows(runs)
            return
        try:
            screen.warn(glance.line())
            rows = batch.make(
                runs,
                screen.progress(len(runs)),
                port=options["port"],
                start_timeout_s=start_timeout_s,
                on_wait=screen.waiting,
                on_build=screen.building,
            )
        except BenchsuiteError as error:
            raise CommandError(str(error), returncode=1) from error
        except KeyboardInterrupt as interrupt:
            raise CommandError(
                "Interrupted; runs that had ended are stored.", returncode=130
            ) from interrupt
        screen.results(rows)
        self._write(options["json"], rows)
        states = {row.status for row in rows}
        if Status.INTERRUPTED.value in states:
            raise CommandError(
                "Interrupted; what was measured until then is stored.", returncode=130
            )
        if Status.FAILED.value in states:
            raise CommandError(screen.failures(rows), returncode=1)
        if options["strict"] and any(row.verdict == "invalid" for row in rows):
            raise CommandError("A run is invalid, and --strict was given.", returncode=1)

    def _write(self, file: str | None, rows: Sequence[Run]) -> None:
        if not file:
            return
        try:
            output.write_json(file, rows)
        except BenchsuiteError as error:
            raise CommandError(str(error), returncode=1) from error
