"""Measures this project on real servers and stores what it finds."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.management.base import CommandError

from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError
from benchsuite.core.results import Status, Verdict
from benchsuite.management import html_files, streams
from benchsuite.management import output as screens
from benchsuite.management.options import run as run_options
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.options.table import add_to, read
from benchsuite.management.session import Results, estimated, session
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.runner import planning, preflight
from benchsuite.runner.plan import Plan
from benchsuite.telemetry.machine import HostSample


class Command(BriefCommand):
    help = __doc__
    first = (
        *("server", "processes", "threads", "path", "workload", "users", "rate", "duration"),
        *("database", "repeat", "again", "dry-run"),
    )
    examples = (
        "--server=gunicorn-gthread,uvicorn --path=/shop/ --users=50",
        "--server=gunicorn-gthread --processes=1,2,4 --path=/shop/ --database=postgresql",
        "--server=uvicorn --path=/shop/ --rate=200 --duration=30s --repeat=5",
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_to(parser, run_options.EVERY)

    def handle(self, **options: Any) -> None:
        sample = HostSample()
        screen = screens.Screen(quiet_stdout=options["json"] == "-", verbosity=options["verbosity"])
        try:
            output = read(run_options.Output, options)
            plans: Sequence[Plan] = [planning.resolve(spec) for spec in run_options.specs(options)]
            for plan in plans:
                preflight.check(plan)
            for name in ("json", "html"):
                streams.check(f"--{name}", options[name])
        except (UsageError, UnavailableError) as error:
            raise CommandError(str(error), returncode=2) from error
        estimate = estimated(plans)
        screen.plan(plans, estimate)
        if options["dry_run"]:
            screen.rows(plans)
            return
        batch, made = run_options.continued(options["again"] or "")
        results = Results(screen.warn, len(plans), batch=batch)
        before = list(queries.exported().filter(batch=batch)) if made else []
        progress = screen.progress(plans, estimate)
        try:
            screen.warn(sample.line())
            with session(
                results,
                progress,
                port=output.port,
                start_timeout_s=output.start_timeout_s,
                estimate=estimate,
                on_wait=screen.waiting,
                on_build=screen.building,
            ) as at_work:
                plans = at_work.prepared(plans)
                with progress:
                    for number, plan in enumerate(plans, start=1):
                        _, result = at_work.one(plan, plans[number:])
                        if result.status is Status.INTERRUPTED:
                            break
        except BenchsuiteError as error:
            # what ended well, or failed before, is told all the same
            self._tell(screen, results, before, options)
            words = _joined(screen.failures(results.rows), str(error), results.sentence)
            raise CommandError(words, returncode=1) from error
        except KeyboardInterrupt as interrupt:
            self._tell(screen, results, before, options)
            words = "Interrupted; runs that had ended are stored."
            raise CommandError(results.sentence or words, returncode=130) from interrupt
        self._tell(screen, results, before, options)
        _judge(screen, results, strict=options["strict"])

    def _tell(
        self,
        screen: screens.Screen,
        results: Results,
        before: Sequence[Run],
        options: Mapping[str, Any],
    ) -> None:
        """With the runs of a command that was continued."""
        if results.rows:
            screen.results(
                [*before, *results.rows], stored=len(results.rows) > len(results.refused)
            )
        try:
            if file := options["json"]:
                screens.write_json(file, results.rows)
            if file := options["html"]:
                _write_page(file, [*before, *results.rows])
        except BenchsuiteError as error:
            stored = results.sentence or "The results are stored."
            raise CommandError(f"{error} {stored}", returncode=1) from error


def _write_page(file: str, rows: Sequence[Run]) -> None:
    """Of the one run that is stored, or of those compared."""
    stored = Run.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", flat=True)
    if len(stored) == 1:
        html_files.write(file, "run", stored[0])
    elif stored:
        html_files.write(file, "compare", runs=",".join(map(str, stored)), forced=1)


def _judge(screen: screens.Screen, results: Results, *, strict: bool) -> None:
    """Raises CommandError for what became of the runs."""
    states = {row.status for row in results.rows}
    if Status.INTERRUPTED.value in states:
        words = "Interrupted; what was measured until then is stored."
        raise CommandError(results.sentence or words, returncode=130)
    if Status.FAILED.value in states:
        words = screen.failures(results.rows)
        raise CommandError(_joined(words, results.sentence), returncode=1)
    if results.refused:
        raise CommandError(results.sentence, returncode=1)
    if words := screen.none_right(results.rows):
        raise CommandError(words, returncode=1)
    counted = [row for row in results.rows if not row.spec.get("diagnoses")]
    if strict and any(row.verdict == Verdict.INVALID.value for row in counted):
        raise CommandError("A run is invalid, and --strict was given.", returncode=1)


def _joined(*sentences: str) -> str:
    return "\n".join(sentence for sentence in sentences if sentence)
