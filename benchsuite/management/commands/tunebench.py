"""Finds the server and its sizes that hold an objective at the highest rate."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.core.units import format_period
from benchsuite.management import writing
from benchsuite.management.keeping import Results
from benchsuite.management.options import run as run_options
from benchsuite.management.options import setup as setup_options
from benchsuite.management.options import tune as tune_options
from benchsuite.management.options import visitor as visitor_options
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.output import Screen
from benchsuite.management.session import session
from benchsuite.management.tuning import execution as executing
from benchsuite.management.tuning import telling
from benchsuite.management.tuning.execution import Execution
from benchsuite.management.tuning.searching import rehearsed
from benchsuite.management.tuning.shown import Shown
from benchsuite.report import addresses
from benchsuite.store.periods import overheads
from benchsuite.system import cpus, fingerprint
from benchsuite.telemetry.machine import HostSample
from benchsuite.tuning.answer import answer
from benchsuite.tuning.notebook import End

UNCONFIRMED = 3
"""Status where nothing holds the objective, or what was found is not confirmed."""

WHY = {
    End.NOT_CONFIRMED: "No rate is confirmed.",
    End.NOTHING_HOLDS: "Nothing holds the objective.",
    End.NOTHING_RAN: "Nothing could be measured.",
    End.REFUSED: "Nothing was started.",
}


class Command(BriefCommand):
    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        tune_options.add_to(parser)

    def handle(self, **options: Any) -> None:
        sample, screen = HostSample(), Screen(quiet_stdout=options["json"] == "-")
        try:
            execution = self._execution(options)
            start_timeout_s = run_options.start_timeout_s(options)
            writing.check("--json", options["json"])
        except (UsageError, UnavailableError) as error:
            raise CommandError(str(error), returncode=2) from error
        ahead = rehearsed(
            execution.asked, execution.book.entries, overheads(execution.asked.servers)
        )
        left_s = ahead.spent_s - execution.book.spent_s
        screen.warn(f"Tuning   {_headline(execution)} · about {format_period(round(left_s))}")
        if options["dry_run"]:
            for line in [*telling.phases(ahead), *telling.lines(answer(ahead))]:
                screen.warn(line)
            return
        shown = Shown(screen.console, execution.searching)
        results = Results(screen.warn, len(ahead.entries))
        try:
            screen.warn(sample.line())
            with session(
                results,
                shown.progress,
                port=options["port"],
                start_timeout_s=start_timeout_s,
                on_wait=screen.waiting,
                on_build=screen.building,
            ) as at_work:
                execution.enter(at_work, fingerprint.fingerprint())
                execution.run(at_work, shown)
        except BenchsuiteError as error:
            _tell(screen, execution, options["json"])
            raise CommandError(str(error), returncode=1) from error
        except KeyboardInterrupt as interrupt:
            _tell(screen, execution, options["json"])
            again = f"python manage.py tunebench --resume={execution.name}"
            raise CommandError(f"Interrupted. Go on with: {again}", returncode=130) from interrupt
        _tell(screen, execution, options["json"])
        if (end := execution.book.end) in WHY:
            raise CommandError(WHY[end], returncode=UNCONFIRMED)

    def _execution(self, options: dict[str, Any]) -> Execution:
        if options["resume"] is None:
            return executing.begun(tune_options.asked(options))
        tune_options.refuse_beside_resume(options)
        row = executing.unfinished(options["resume"])
        spec = setup_options.again(RunSpec.from_json(row.spec), options)
        return executing.resumed(row, visitor_options.again(spec, options))


def _headline(execution: Execution) -> str:
    asked = execution.asked
    question, count = asked.question, len(asked.servers)
    who = question.only.name if question.only else f"{count} server{'s' * (count != 1)}"
    parts = [
        who,
        asked.spec.workload.workload,
        question.objective.words,
        *([f"at {question.rate:g} /s"] if question.rate else []),
    ]
    made = len(execution.book.entries)
    before = f" · {made} trial{'s' * (made != 1)} made before" if made else ""
    return f"{', '.join(parts)} · server on {cpus.share(asked.spec.server.cpus)}{before}"


def _tell(screen: Screen, execution: Execution, file: str | None) -> None:
    """What is known, whatever ended the search."""
    found = answer(execution.book)
    if (table := telling.table(found)) is not None:
        screen.console.table(table)
    for line in telling.lines(found):
        screen.warn(line)
    screen.warn(f"Look: {addresses.of_tuning(execution.row.pk)}")
    if file:
        text = telling.as_json(str(execution.row.pk), execution.book, found, execution.runs)
        try:
            writing.write(file, text)
        except BenchsuiteError as error:
            raise CommandError(f"{error} The tuning is stored.", returncode=1) from error
