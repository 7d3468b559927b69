"""Executes a study: all its cells, in shuffled blocks, as `runbench` would run each of them."""

import argparse
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandError

from benchsuite import conf
from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError
from benchsuite.core.results import Status
from benchsuite.core.specs.run import check_label
from benchsuite.core.suggestions import choices
from benchsuite.core.units import format_period
from benchsuite.management import resuming, study_pages, studying
from benchsuite.management.keeping import Results
from benchsuite.management.options import study as study_options
from benchsuite.management.options.parsing import FLAG, REPEATED, BriefCommand, number, whole_number
from benchsuite.management.output import Screen
from benchsuite.management.remarks import remark
from benchsuite.management.session import estimated, session
from benchsuite.management.studying import Execution
from benchsuite.models import Run
from benchsuite.report import addresses
from benchsuite.report.studies.told import SHAPES, Told, chosen, told
from benchsuite.report.terminal.progress import Progress
from benchsuite.runner.planning import Estimate
from benchsuite.store.abandoned import sweep_executions
from benchsuite.studies import matrix, reading, scaling, selecting
from benchsuite.studies.arguments import arguments
from benchsuite.studies.study import Study
from benchsuite.system import fingerprint
from benchsuite.telemetry.machine import HostSample


class Command(BriefCommand):
    help = __doc__
    usage = "%(prog)s [-h] [NAME ...] [options]"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "names",
            nargs="*",
            metavar="NAME",
            help="a study of the catalogue, or of BENCHSUITE['STUDIES']; several, or none for all, "
            "with --markdown",
        )
        add("--scale", type=number, help="shorter and thinner: above 0, at most 1 (default: 1)")
        add(
            "--only",
            **REPEATED,
            metavar="AXIS=VALUE[,VALUE…]",
            help="these values of an axis alone; may be repeated",
        )
        add("--repeat", type=whole_number, metavar="N", help="starts of each cell")
        add("--seed", type=whole_number, default=0, help="of the order and of each start")
        add("--label", default="", help="a word to find this execution by")
        add("--resume", **FLAG, help="go on with the last one that did not end")
        add(
            "--again-failed",
            **FLAG,
            help="with --resume: make runs that failed again, also of one that ended",
        )
        add("--dry-run", **FLAG, help="show each run as a runbench command and stop")
        add(
            "--markdown",
            metavar="FILE",
            help="write what the last execution found, of that --label if there is one, and stop "
            '("-" for standard output); of several studies into a folder, with a README.md that '
            "answers from all",
        )
        add(
            "--remark",
            metavar="FILE",
            help="store this paragraph with the last execution, of that --label if there is one, "
            'and stop ("-" for standard input)',
        )
        add(
            "--with",
            metavar="EXECUTION",
            help="with --markdown: also its difference to another one, by label or id",
        )

    def handle(self, **options: Any) -> None:
        if options["with"] and not options["markdown"]:
            raise UsageError("--with says what --markdown tells the difference to: add --markdown.")
        if options["remark"] or options["markdown"]:
            self._tell(options)
            return
        sample, screen = HostSample(), Screen(quiet_stdout=False)
        try:
            execution = _execution(options)
            execution.check()
        except (UsageError, UnavailableError) as error:
            raise CommandError(str(error), returncode=2) from error
        turns = execution.turns
        plans = [one.plan for one in execution.candidates if one.plan]
        estimate = estimated(plans)
        screen.warn(_headline(execution, sum(execution.estimates_s(estimate, turns))))
        for one in execution.skipped:
            screen.warn(f"Skipped  {one.title}: {one.reason}")
        if options["dry_run"]:
            for line in _lines(execution, estimate):
                screen.warn(line)
            return
        results = Results(screen.warn, len(turns))
        try:
            screen.warn(sample.line())
            with session(
                results,
                progress := Progress(
                    screen.console,
                    [execution.candidates[one.place].title for one in turns],
                    lambda done: execution.estimates_s(estimate, turns[done:]),
                    made_before=len(execution.done),
                ),
                estimate=estimate,
                on_wait=screen.waiting,
                on_build=screen.building,
            ) as at_work:
                execution.prepare(at_work)
                execution.enter(fingerprint.fingerprint())
                execution.run(at_work, progress, turns)
        except BenchsuiteError as error:
            said = "\n".join([*_summary(execution), str(error), *_again(execution, options)])
            raise CommandError(said, returncode=1) from error
        except KeyboardInterrupt as interrupt:
            for line in _summary(execution):
                screen.warn(line)
            said = " ".join(["Interrupted.", *_again(execution, options)])
            raise CommandError(said, returncode=130) from interrupt
        for line in _summary(execution):
            screen.warn(line)
        for line in _claims(told(execution.row)):
            screen.warn(line)
        screen.warn(f"Look: {addresses.of_study(execution.study.name)}")

    def _tell(self, options: dict[str, Any]) -> None:
        """Of what is stored, whose file may have gone."""
        names, label, file = options["names"], options["label"], options["markdown"]
        said = ""
        sweep_executions()
        if options["remark"]:
            said = remark(chosen(_one(names), label), options["remark"])
        if file:
            said = study_pages.write(file, names, label, options["with"] or "")
        if said:
            self.stdout.write(said)


def _execution(options: dict[str, Any]) -> Execution:
    check_label(options["label"])
    study = _study(_one(options["names"]))
    only = selecting.selector(options["only"])
    if not options["resume"]:
        if options["again_failed"]:
            raise UsageError("--again-failed says what --resume makes again: add --resume.")
        scale = 1.0 if options["scale"] is None else options["scale"]
        cells = matrix.cells(study, scale, only)
        repeat = scaling.repeats(study, scale) if options["repeat"] is None else options["repeat"]
        return studying.begun(
            study,
            cells,
            scale=scale,
            only=only,
            repeat=repeat,
            seed=options["seed"],
            label=options["label"],
        )
    selecting.check(study, only)
    again = options["again_failed"]
    row = studying.unfinished(
        study,
        options["label"],
        again_failed=again,
        scale=options["scale"],
        repeat=options["repeat"],
        only={axis: list(some) for axis, some in only.items()} or None,
    )
    asked = {axis: tuple(some) for axis, some in row.only.items()}
    cells = matrix.cells(study, row.scale, asked)
    return studying.resumed(study, cells, row, again_failed=again)


def _one(names: Sequence[str]) -> str:
    if len(names) != 1:
        given = f"and {len(names)} are named" if names else "and none is named"
        raise UsageError(
            f"One study is executed, or remarked on, at a time, {given}; there are: "
            f"{', '.join(conf.study_files())}."
        )
    return names[0]


def _study(name: str) -> Study:
    files = conf.study_files()
    if name not in files:
        raise UsageError(f"There is no study {name!r}; {choices(name, files)}")
    return reading.read(files[name], study_options.known())


def _headline(execution: Execution, seconds: float) -> str:
    row, count = execution.row, len(execution.candidates)
    skipped, done = len(execution.skipped), len(execution.done)
    parts = [
        f"{count} cell{'s' * (count != 1)} × {row.repeat} start{'s' * (row.repeat != 1)}",
        *[f"scale {row.scale:g}"] * (row.scale != 1),
        *[f"{skipped} skipped"] * bool(skipped),
        *[f"{done} made before"] * bool(done),
    ]
    return f"Study    {row.name}: {', '.join(parts)} · about {format_period(round(seconds))}"


def _lines(execution: Execution, estimate: Estimate) -> list[str]:
    """Each run as a command, in order, with its time."""
    turns = execution.turns
    seconds = execution.estimates_s(estimate, turns)
    return [
        f"{number:>3}  {format_period(round(taken))}  python manage.py runbench "
        f"{shlex.join(arguments(execution.candidates[turn.place].cell))} --seed={turn.seed}"
        for number, (turn, taken) in enumerate(zip(turns, seconds, strict=True), start=1)
    ]


def _summary(execution: Execution) -> Sequence[str]:
    """What became of it in all, resumed ones of before included."""
    runs = list(Run.objects.filter(study_cell__in=execution.rows).select_related("study_cell"))
    if not runs:
        return []
    counts = Counter(run.verdict or run.status for run in runs)
    told = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    skipped = len(execution.skipped)
    left_out = f" · {skipped} cell{'s' * (skipped != 1)} skipped" if skipped else ""
    failed = [run for run in runs if run.status == Status.FAILED.value]
    return [
        f"{len(runs)} run{'s' * (len(runs) != 1)}: {told}{left_out}",
        *dict.fromkeys(f"Failed   {run.study_cell}: {run.failure}" for run in failed),
    ]


def _claims(found: Told) -> list[str]:
    """What became of each, with its reason."""
    return [
        f"{SHAPES[one.outcome]} {one.outcome.value}: {one.claim.says} ({one.reason})"
        for one in found.claims
    ]


def _again(execution: Execution, options: dict[str, Any]) -> Iterator[str]:
    """How to go on with what has begun."""
    if not resuming.can_go_on(execution.row):
        return
    label = f" --label={shlex.quote(options['label'])}" if options["label"] else ""
    yield f"Go on with: python manage.py runstudy {options['names'][0]}{label} --resume"
