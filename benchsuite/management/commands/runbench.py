"""Measures this project on real servers and stores what it finds."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.management.base import CommandError

from benchsuite import conf
from benchsuite.comparing.answer import own_targets
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.results import Status, Verdict
from benchsuite.core.units import gathered, listed
from benchsuite.management import output
from benchsuite.management.delegating import delegated
from benchsuite.management.options import run as run_options
from benchsuite.management.options.parsing import BriefCommand, read
from benchsuite.management.options.place import Place
from benchsuite.management.session import Results, estimated, session
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.exports import json_of
from benchsuite.report.terminal import plan as planned
from benchsuite.report.terminal.progress import Progress
from benchsuite.runner import planning, preflight
from benchsuite.runner.planning import Plan
from benchsuite.telemetry.machine import HostSample


class Command(BriefCommand):
    help = __doc__
    entries = run_options.EVERY
    first = (
        *("server", "processes", "threads", "path", "workload", "users", "rate", "duration"),
        *("database", "repeat", "again", "dry-run"),
    )
    examples = (
        "--server=gunicorn-gthread,uvicorn --path=/shop/ --users=50",
        "--server=gunicorn-gthread --processes=1,2,4 --path=/shop/ --database=postgresql",
        "--server=uvicorn --path=/shop/ --rate=200 --duration=30s --repeat=5",
    )

    def handle(self, **options: Any) -> None:
        if delegated("runbench", self.words, options, lambda runs: _write(runs, runs, options)):
            return
        sample = HostSample()
        screen = output.Screen(options["json"], options["html"], verbosity=options["verbosity"])
        plans: Sequence[Plan] = [planning.resolve(spec) for spec in run_options.specs(options)]
        place = read(Place, options)
        place.check_runs(plan.spec for plan in plans)
        for plan in plans:
            preflight.check(plan)
        estimate = estimated(plans)
        screen.say(f"Plan     {planned.line(plans, sum(estimate.each_s(plans)))}")
        screen.say(own_targets((plan.spec.server.server, plan.server_facts) for plan in plans))
        if options["dry_run"]:
            screen.say(*planned.rows(plans))
            return
        batch, made = run_options.continued(options["again"] or ())
        follow = conf.page("compare", batch=batch) if len(plans) > 1 else ""
        results = Results(screen.say, follow, batch)
        before = list(queries.exported().filter(batch=batch)) if made else []
        if options["html"] and (many := len(before) + len(plans)) > (most := queries.MOST_COMPARED):
            raise UsageError(f"--html shows {most} runs at most, not {many}: leave it out.")
        titles = planned.titles(plans)
        progress = Progress(screen, titles, lambda done: estimate.each_s(plans[done:]))
        ended: BaseException | None = None
        try:
            screen.say(sample.line())
            with session(results, progress, screen, place=place, estimate=estimate) as at_work:
                plans = preflight.prepared(plans, screen.building)
                with progress:
                    for number, plan in enumerate(plans, start=1):
                        at_work.make(plan, plans[number:])
        except (BenchsuiteError, KeyboardInterrupt) as error:
            ended = error  # what ended well, or failed before, is told all the same
        rows = [*before, *results.rows]  # with those of a command that was continued
        if results.rows:
            screen.results(rows, stored=len(results.rows) > len(results.refused))
        _write(results.rows, rows, options, results.sentence)
        _judge(results, ended, strict=options["strict"])


def _write(
    made: Sequence[Run], shown: Sequence[Run], options: Mapping[str, Any], sentence: str = ""
) -> None:
    """The files of --json and --html; the sentence says where runs are that were not stored."""
    try:
        if options["json"]:
            output.write(options["json"], json_of(made))
        stored = Run.objects.filter(pk__in=[run.pk for run in shown]) if options["html"] else []
        keys = [run.pk for run in stored]
        if len(keys) == 1:
            output.write_page(options["html"], "run.show", keys[0])
        elif keys:
            runs = ",".join(map(str, keys))
            output.write_page(options["html"], "compare.show", runs=runs, forced=1)
    except BenchsuiteError as error:
        sentence = sentence or "The results are stored."
        raise CommandError(f"{error} {sentence}", returncode=1) from error


def _judge(results: Results, ended: BaseException | None, *, strict: bool) -> None:
    """Raises CommandError for what became of the runs, or ended the command before its last one."""
    if isinstance(ended, KeyboardInterrupt):
        interrupted = "Interrupted; what was measured until then is stored."
        raise CommandError(results.sentence or interrupted, returncode=130) from ended
    sentences = [failures(results.rows), str(ended or ""), results.sentence]
    words = "\n".join(filter(None, sentences)) or none_right(results.rows)
    counted = [row for row in results.rows if not row.spec.get("diagnoses")]
    if not words and strict and any(row.verdict == Verdict.INVALID.value for row in counted):
        words = "A run is invalid, and --strict was given."
    if words:
        raise CommandError(words, returncode=1) from ended


def failures(rows: Sequence[Run]) -> str:
    """What went wrong: each reason once, with the servers that it stopped."""
    failed = [row for row in rows if row.status == Status.FAILED.value]
    servers = gathered((row.failure, row.server) for row in failed)
    return "\n".join(f"{listed(list(dict.fromkeys(some)))}: {why}" for why, some in servers.items())


def none_right(rows: Sequence[Run]) -> str:
    """Which runs got no right answer; why is said where their results are."""
    return "\n".join(
        f"{row.server}: no request of the window was answered right; B201 above says why."
        for row in rows
        if row.requests == row.failures
        and any(finding.code.startswith("B201 ") for finding in row.findings.all())
    )
