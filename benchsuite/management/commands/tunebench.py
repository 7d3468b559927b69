"""Finds the server and its sizes that hold an objective at the highest rate."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from django.core.management.base import CommandError
from django.db import Error

from benchsuite import conf
from benchsuite.core.commands import command
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec
from benchsuite.core.units import counted, format_duration, format_period
from benchsuite.management import output, resuming
from benchsuite.management.delegating import delegated
from benchsuite.management.options import run as run_options
from benchsuite.management.options import tune as tune_options
from benchsuite.management.options.parsing import BriefCommand, read, refuse_beside
from benchsuite.management.options.place import Place
from benchsuite.management.session import Results, session
from benchsuite.management.tuning import execution as executing
from benchsuite.management.tuning.execution import Execution, rehearsal
from benchsuite.models import Run, Tuning
from benchsuite.report.terminal.progress import Progress, TrialProgress
from benchsuite.report.tuning.evidence import TuningReport, tuning_report
from benchsuite.system import cpus
from benchsuite.telemetry.machine import HostSample
from benchsuite.tuning.notebook import OVERHEAD_S, End

UNCONFIRMED = 3  #: Status where nothing holds the objective, or what was found is not confirmed.


class Command(BriefCommand):
    help = __doc__
    entries = tune_options.EVERY
    first = (
        *("objective", "rate", "server", "servers", "current", "budget"),
        *("path", "database", "resume", "paste", "json", "dry-run"),
    )
    examples = (
        '--path=/shop/ --objective="p95 < 200ms"',
        '--path=/shop/ --objective="p95 < 200ms" --current=gunicorn-gthread:3x4 --budget=30m',
        '--path=/shop/ --objective="p95 < 200ms" --rate=150',
    )

    def handle(self, **options: Any) -> None:
        if delegated("tunebench", self.words, options, partial(_write_of, options=options)):
            return
        if options["paste"] is not None or options["of"]:
            _paste(options)
            return
        sample = HostSample()
        screen = output.Screen(options["json"], options["html"], verbosity=options["verbosity"])
        execution = _execution(options, screen)
        place = read(Place, options)
        place.check_runs([execution.asked.spec])
        notebook = execution.search.notebook
        ahead = execution.rehearsed()
        left_s = ahead.spent_s - notebook.spent_s
        screen.say(f"Tuning   {_headline(execution)} · about {format_period(round(left_s))}")
        if options["dry_run"]:
            screen.say(*rehearsal(ahead, len(notebook.entries)))
            return
        shown = TrialProgress(screen, notebook, lambda: execution.rehearsed().spent_s)
        results = Results(screen.say, conf.page("tune", execution.row.pk))
        try:
            screen.say(sample.line())
            with session(results, shown, screen, place=place) as at_work:
                execution.enter(at_work)
                execution.run(at_work, shown, partial(_limiting, execution))
        except (BenchsuiteError, KeyboardInterrupt) as error:
            with suppress(Error):  # the database may be what ended it
                _tell(screen, execution, options)
            again = command("tunebench", f"--resume={execution.row.short_id}")
            raise resuming.broken_off(error, execution.row, again) from error
        _tell(screen, execution, options)
        if notebook.end is not End.CONFIRMED:
            words = "There is no confirmed rate for all that was asked."
            raise CommandError(words, returncode=UNCONFIRMED)


def _paste(options: dict[str, Any]) -> None:
    if options["paste"] is None:
        raise UsageError("--of names the tuning of --paste: add --paste.")
    why = "--paste prints what a stored tuning found"
    refuse_beside(options, tune_options.EVERY, tune_options.BESIDE_PASTE, why)
    if options["of"] is not None:
        report = tuning_report(executing.stored(options["of"]))
    else:  # the newest that confirmed something, else the newest
        rows = executing.of_project()
        finished = map(tuning_report, rows.filter(status=Status.FINISHED.value).iterator())
        if (newest := rows.first()) is None:
            raise UsageError("Nothing has been tuned yet: ask with --objective.")
        report = next((one for one in finished if one.outcome.rate), tuning_report(newest))
    text = report.to_paste(options["paste"])
    output.Screen("-").say(f"{executing.which(report.row)}: {report.outcome.headline}")
    output.write("-", text)


def _execution(options: dict[str, Any], screen: output.Screen) -> Execution:
    if options["resume"] is None:
        first = executing.begun(tune_options.asked(options))
        if options["objective"] is not None or options["dry_run"]:
            return first
        if first.asked.spec.load.hosts:
            raise UsageError(
                "One user alone proposes an objective, and load hosts would end with that load: "
                "give --objective beside --load-hosts."
            )
        alone_s = _alone_s(first, screen, read(Place, options))
        execution = executing.begun(tune_options.asked(options, alone_s))
        screen.say(
            f'No --objective is given, so "{execution.asked.question.objective.words}" is '
            f"proposed: one user alone waits {format_duration(alone_s)}."
        )
        return execution
    why = "--resume goes on with a tuning as it was begun"
    refuse_beside(options, tune_options.EVERY, tune_options.BESIDE_RESUME, why)
    row = executing.unfinished(options["resume"])
    return executing.resumed(row, run_options.with_secrets(RunSpec.from_json(row.spec), options))


def _alone_s(execution: Execution, screen: output.Screen, place: Place) -> float:
    """How long one user waits, who is asked of the first server before anything is stored."""
    place.check_runs([execution.asked.spec])
    trial = execution.search.next
    if trial is None:
        raise UsageError(f"Nothing can be started: {execution.search.notebook.said}.")
    plan = execution.plan_of(trial)
    shown = Progress(screen, ["one user"], lambda _: [OVERHEAD_S])
    with session(Results(screen.say), shown, screen, place=place) as at_work, shown:
        _, result = resuming.make(at_work, plan)
    if result.total is None or not result.total.response_time.mean_s:
        failure = result.failure.partition("\n")[0].rstrip(".")  # its run has the log
        why = f": {failure}" if failure else f" in {plan.spec.load.duration_s:g} s"
        raise UsageError(
            "No objective can be proposed, because one user alone got no right answer"
            f"{why}. Give --objective."
        )
    return result.total.response_time.mean_s


def _headline(execution: Execution) -> str:
    asked = execution.asked
    question, made = asked.question, len(execution.search.notebook.entries)
    everything = cpus.available()
    on = f"server on {len(asked.spec.server.cpus or everything)} of {len(everything)} CPUs"
    if question.scaling:
        on = f"server on up to {question.cpus} of {len(everything)} CPUs"
    elif question.for_cpus and question.for_cpus > question.cpus:
        on += f", and a bound for {question.for_cpus}"
    elif question.only and question.only.runs_already:
        on = "nothing started or isolated"
    before = [f"{counted(made, 'run')} made before"] * bool(made)
    report = TuningReport(execution.row, execution.search.notebook)
    return " · ".join([report.question, on, *before])


def _tell(screen: output.Screen, execution: Execution, options: Mapping[str, Any]) -> None:
    """What is known, whatever ended the search; nothing where it has not begun."""
    if execution.row._state.adding:
        return
    report = TuningReport(execution.row, execution.search.notebook)
    screen.answer(report.answer, conf.page("tune", execution.row.pk))
    _write(report, options)


def _write_of(runs: Sequence[Run], options: Mapping[str, Any]) -> None:
    """The files of the tuning that these runs were made for, once it has a trial."""
    if row := Tuning.objects.filter(trials__run__in=runs).first():
        _write(tuning_report(row), options)


def _write(report: TuningReport, options: Mapping[str, Any]) -> None:
    try:
        if options["json"]:
            output.write(options["json"], report.as_json())
        if options["html"]:
            output.write_page(options["html"], "executions.tuning", report.row.pk)
    except BenchsuiteError as error:
        raise CommandError(f"{error} The tuning is stored.", returncode=1) from error


def _limiting(execution: Execution, start: Run) -> list[str]:
    """Codes of what limits the pick, by this diagnostic start of it."""
    limiting = TuningReport(execution.row, execution.search.notebook).limits(start)
    return [limit.code for limit in limiting.limits] if limiting else []
