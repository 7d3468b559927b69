"""Examines this machine before anything is measured on it, and the load generator on request."""

from dataclasses import dataclass
from typing import Any

from django.core.management.base import CommandError

from benchsuite import store
from benchsuite.core.specs.load import MAX_LOAD_PROCESSES
from benchsuite.core.specs.spec import Spec, option, switch, table
from benchsuite.load.parent.ceiling import ceilings
from benchsuite.management.options.parsing import BriefCommand, read
from benchsuite.management.output import Screen
from benchsuite.report import answers
from benchsuite.system import fingerprint
from benchsuite.system.interrupts import terminable
from benchsuite.system.lock import alone
from benchsuite.telemetry.machine import State, examine

IF_CALIBRATED = ("calibrate", "--calibrate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination(Spec):
    calibrate: bool = switch(
        "--calibrate  measure what the load generator makes at most, and keep it for later runs"
    )
    duration_s: float = option(
        2.0,
        "--duration TIME  of each measurement of --calibrate",
        within=(0.5, 60.0),
        needs=IF_CALIBRATED,
    )
    load_processes: int = option(
        1,
        "--load-processes N  calibrate for runs with so many load processes",
        within=(1, MAX_LOAD_PROCESSES),
        needs=IF_CALIBRATED,
    )
    strict: bool = switch("--strict  end with status 1 also for what is doubtful")


class Command(BriefCommand):
    help = __doc__
    entries = table(Examination)
    examples = ("", "--calibrate", "--strict")

    def handle(self, **options: Any) -> None:
        screen, asked = Screen(verbosity=options["verbosity"]), read(Examination, options)
        checks = list(examine())
        screen.answer(answers.machine_answer(checks))
        if asked.calibrate:
            here = fingerprint.fingerprint()
            store.ceilings(here)  # says at once when nothing can be kept
            seconds, processes = asked.duration_s, asked.load_processes
            with terminable(), alone(screen.waiting), screen.status("Calibrating …"):
                measured = list(ceilings(seconds=seconds, processes=processes))
            screen.table(answers.ceilings_table(measured))
            store.keep_ceilings(here, measured)
        states = {check.state for check in checks}
        if State.BAD in states:
            raise CommandError("Runs on this machine would be doubtful as it is.", returncode=1)
        if asked.strict and State.DOUBTFUL in states:
            raise CommandError("Something is doubtful, and --strict was given.", returncode=1)
