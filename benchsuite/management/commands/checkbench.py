"""Examines this machine before anything is measured on it, and the load generator on request."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from benchsuite import store
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.specs import MAX_LOAD_PROCESSES
from benchsuite.core.specs.spec import whole
from benchsuite.core.units import parse_seconds
from benchsuite.load.parent.ceiling import ceilings
from benchsuite.management.options.parsing import COUNT, FLAG, TIME, BriefCommand
from benchsuite.management.output import Screen
from benchsuite.report.terminal import results
from benchsuite.system import fingerprint
from benchsuite.system.interrupts import terminable
from benchsuite.system.lock import alone
from benchsuite.telemetry.machine import State, examine


class Command(BriefCommand):
    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--calibrate",
            **FLAG,
            help="measure what the load generator makes at most, and keep it for later runs",
        )
        add(
            "--duration",
            **TIME,
            default="2",
            help="of each measurement of --calibrate (default: %(default)s s)",
        )
        add(
            "--load-processes",
            **COUNT,
            default=1,
            help="calibrate for runs with so many load processes (default: %(default)s)",
        )
        add("--strict", **FLAG, help="end with status 1 also for what is doubtful")

    def handle(self, **options: Any) -> None:
        screen = Screen(quiet_stdout=False)
        seconds = _duration(options["duration"])
        processes = options["load_processes"]
        whole("load-processes", processes, 1, MAX_LOAD_PROCESSES)
        checks = list(examine())
        screen.console.table(results.checks_table(checks))
        if options["calibrate"]:
            _calibrate(screen, seconds, processes)
        states = {check.state for check in checks}
        if State.BAD in states:
            raise CommandError("Runs on this machine would be doubtful as it is.", returncode=1)
        if options["strict"] and State.DOUBTFUL in states:
            raise CommandError("Something is doubtful, and --strict was given.", returncode=1)


def _duration(text: str) -> float:
    seconds = parse_seconds(text)
    if not 0.5 <= seconds <= 60:
        raise UsageError(f"--duration must be between 0.5 s and 60 s, and is {text}.")
    return seconds


def _calibrate(screen: Screen, seconds: float, processes: int) -> None:
    here = fingerprint.fingerprint()
    try:
        store.ceilings(here)  # says at once when nothing can be kept
        with (
            terminable(),
            alone(screen.waiting),
            screen.console.status("Calibrating …") as status,
        ):

            def begin(load: str) -> None:
                status.update(f"Calibrating: {load} …")

            measured = list(ceilings(seconds=seconds, processes=processes, on_begin=begin))
        screen.console.table(results.ceilings_table(measured))
        store.keep_ceilings(here, measured)
    except BenchsuiteError as error:
        raise CommandError(str(error), returncode=1) from error
    except KeyboardInterrupt as interrupt:
        raise CommandError("Interrupted; no ceiling was kept.", returncode=130) from interrupt
