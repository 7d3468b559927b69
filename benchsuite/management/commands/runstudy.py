"""Executes a study: all its cells, in shuffled blocks, as `runbench` would run each of them."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import Error

from benchsuite import conf
from benchsuite.core.commands import PYTHON_VARIABLE, command
from benchsuite.core.exceptions import BenchsuiteError, UsageError, choices
from benchsuite.core.printable import hidden
from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec
from benchsuite.core.specs.load import MAX_LOAD_HOSTS
from benchsuite.core.specs.run import check_label
from benchsuite.core.specs.spec import Spec, option, optional, switch, table
from benchsuite.core.units import counted, format_period, gathered
from benchsuite.management import output, resuming, studying
from benchsuite.management.delegating import delegated
from benchsuite.management.options import run as run_options
from benchsuite.management.options.parsing import BriefCommand, read, refuse_beside
from benchsuite.management.options.place import Place
from benchsuite.management.session import Results, estimated, session
from benchsuite.management.studying import Execution
from benchsuite.models import Run, StudyRun
from benchsuite.report.studies.execution import StudyReport, again, chosen, study_report
from benchsuite.report.studies.several import chosen_beside, together, whole
from benchsuite.report.terminal.progress import Progress
from benchsuite.report.writers import to_markdown
from benchsuite.store import sweep_executions
from benchsuite.studies import matrix, reading
from benchsuite.studies.claims import LOOKS
from benchsuite.studies.intervals import FEWEST, MOST_MORE
from benchsuite.studies.matrix import Need
from benchsuite.studies.options import arguments
from benchsuite.studies.study import RULES, Cell, Study, cell_title
from benchsuite.telemetry.machine import HostSample

INDEX = "README.md"  #: The page that answers a question from all studies.
BESIDE_PAGES = ("names", "label", "markdown", "html", "with", "load_hosts")
"""What may stand beside --markdown and --html; `load_hosts` may be of BENCHSUITE['PLACE']."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Spec):
    names: tuple[str, ...] = option(
        (),
        "NAME  a study of the catalogue, or of BENCHSUITE['STUDIES']; several, or none for all, "
        "with --markdown",
    )
    scale: float | None = optional("--scale N  shorter and thinner: above 0, at most 1", unless="1")
    only: tuple[str, ...] = option((), "--only AXIS=VALUE[,VALUE…]  these values of an axis alone")
    repeat: int | None = optional("--repeat N  runs of each configuration", unless="the file's")
    seed: int = option(0, "--seed N  of the order and of each run", within=run_options.SEEDS)
    label: str = option("", "--label WORD  a word to find this execution by")
    load_hosts: int | None = optional(
        "--load-hosts N  other hosts that make the load of each run, as with runbench",
        within=(1, MAX_LOAD_HOSTS),
    )
    claims: bool = switch(
        "--claims  only what the claims need, with more runs of those still in doubt"
    )
    budget: float | None = optional(
        "--budget TIME  such as 20m: ends earlier when all is decided, and says what more would "
        "decide",
        unless="no limit",
    )
    resume: bool = switch("--resume  go on with the last one that did not end")
    again_failed: bool = switch(
        "--again-failed  with --resume: make runs that failed again, also of one that ended",
        needs=("resume", "--resume"),
    )
    anyway: bool = switch(
        "--anyway  with --resume: go on although project, packages, machine or benchsuite are not "
        "those of before; its page says so",
        needs=("resume", "--resume"),
    )
    dry_run: bool = switch("--dry-run  show each run as a runbench command and stop")
    markdown: str = option(
        "",
        "--markdown FILE  write what the last execution found, of that --label if there is one, "
        'and stop ("-" for standard output); of several studies into a folder, with a README.md '
        "that answers from all",
    )
    html: str = option(
        "",
        "--html FILE  write the page of the last execution, of that --label if there is one, as "
        "one file that opens offline, and stop",
    )
    beside: str = option(
        "",
        "--with EXECUTION  with --markdown: also its difference to another one, by label or id",
        needs=("markdown", "--markdown"),
    )


class Command(BriefCommand):
    help = __doc__
    entries = (*table(Asked), *table(Place))
    usage = "%(prog)s [NAME ...] [options]"
    first = (
        *("claims", "budget", "scale", "only", "repeat", "label", "resume", "dry-run"),
        *("markdown", "with"),
    )
    examples = (
        "async_vs_sync --claims --budget=20m",
        "async_vs_sync --only=route=cpu --dry-run",
        "async_vs_sync --resume",
    )

    def handle(self, **options: Any) -> None:
        asked = read(Asked, options)
        if asked.markdown or asked.html:
            flag = "--markdown" if asked.markdown else "--html"
            why = f"{flag} writes what was executed before"
            refuse_beside(options, table(Asked), BESIDE_PAGES, why)
            sweep_executions()
            if asked.markdown and (words := _write_pages(asked)):
                self.stdout.write(words)
            if asked.html:
                row = chosen(_one(asked.names), asked.label)
                output.write_page(asked.html, "executions.study", row.name, execution=row.pk)
            return
        if delegated("runstudy", self.words, options):
            return
        sample, screen = HostSample(), output.Screen(verbosity=options["verbosity"])
        execution = _execution(asked)
        execution.check()
        plans = [cell.plan for cell in execution.candidates if cell.plan]
        place = read(Place, options)
        place.check_runs(plan.spec for plan in plans)
        execution.estimate = estimated(plans)
        execution.ahead = [turn for block in execution.blocks() for turn in block]
        times_s = execution.estimates_s(execution.ahead)
        screen.say(_headline(execution, sum(times_s)))
        screen.say(*(f"Skipped  {cell.title}: {cell.reason}" for cell in execution.skipped))
        if asked.dry_run:
            runs = zip(execution.ahead, times_s, strict=True)
            for number, (turn, time_s) in enumerate(runs, start=1):
                line = command("runbench", *arguments(execution.candidates[turn.place].cell))
                screen.say(f"{number:>3}  {format_period(round(time_s))}: {line}")
            return
        known = [] if execution.is_open_ended else execution.ahead
        titles = [execution.candidates[turn.place].title for turn in known]
        page = conf.page("studies", execution.row.name, execution=execution.row.pk)
        results = Results(screen.say, page)
        try:
            screen.say(sample.line())
            progress = Progress(
                screen,
                titles,
                lambda done: execution.ahead_s(),
                made_before=len(execution.done),
                grows=execution.is_open_ended,
            )
            estimate = execution.estimate
            with session(results, progress, screen, place=place, estimate=estimate) as at_work:
                execution.enter()
                execution.run(at_work, progress, titles)
        except (BenchsuiteError, KeyboardInterrupt) as error:
            budget = f" --budget={asked.budget:.0f}" if asked.budget else ""
            go_on = f"{again(execution.row)} --resume{budget}"
            raise resuming.broken_off(error, execution.row, go_on) from error
        finally:
            with suppress(Error):  # the database may be what ended it
                screen.say(*_summary(execution))
        report = study_report(execution.row)
        execution.row.outcomes = report.outcomes
        execution.row.save(update_fields=["outcomes"])
        screen.answer(report.answer, conf.page("studies", execution.study.name))
        screen.say(*_undecided(execution))


def _write_pages(asked: Asked) -> str:
    """The page of one study; of several, or of all that were executed where none is named, a page
    each, and one that answers from all ("-": this one alone). Returns what was written, in words.
    Raises UsageError where there is nothing to write, BenchsuiteError where it can't be written.
    """
    flag, file, names, label = "--markdown", asked.markdown, asked.names, asked.label
    if len(names) == 1:
        output.check(flag, file)
        report = study_report(chosen(names[0], label))
        output.write(file, to_markdown(whole(report, chosen_beside(report, asked.beside))))
        return ""
    if asked.beside:
        raise UsageError("--with is the difference of two executions of one study; name it.")
    if file != "-" and not os.path.isdir(file):  # Path's own raises where a name is too long
        raise UsageError(
            f"{flag}={file} must be a folder, as several studies are written; create it, or name "
            "one study."
        )
    reports, without = _reports(names, label)
    pages = {f"{report.study.name}.md": to_markdown(whole(report)) for report in reports}
    pages[INDEX] = to_markdown(together(reports, without))
    if file == "-":
        output.write(file, pages[INDEX])
        return ""
    for name, page in pages.items():
        output.write(str(Path(file, name)), page)
    return f"Written  {', '.join(pages)} in {file}"


def _reports(names: Sequence[str], label: str) -> tuple[list[StudyReport], dict[str, str]]:
    """The executions of these studies, and why there is none of others."""
    executed = StudyRun.objects.values_list("name", flat=True).order_by("name").distinct()
    known = list(dict.fromkeys([*conf.study_files(), *executed]))
    for name in names:
        if name not in known:
            raise UsageError(f"There is no study {name[:60]!r}; {choices(name[:60], known)}")
    reports: list[StudyReport] = []
    without: dict[str, str] = {}
    for name in dict.fromkeys(names or known):
        try:
            report = study_report(chosen(name, label))
            if report.outdated:
                raise UsageError(f"{report.outdated} Execute it again: {command('runstudy', name)}")
            reports.append(report)
        except UsageError as error:
            without[name] = str(error)
    if not reports:
        raise UsageError(next(iter(without.values())))
    return reports, without


def _execution(asked: Asked) -> Execution:
    check_label(asked.label)
    name, files = _one(asked.names), conf.study_files()
    if name not in files:
        raise UsageError(f"There is no study {name!r}; {choices(name, files)}")
    study = reading.read(files[name], run_options.known())
    if asked.claims and not study.claims:
        raise UsageError(f"{study.name} has no claims: leave --claims out.")
    only = matrix.selector(asked.only)
    python = os.environ.get(PYTHON_VARIABLE, "")
    if asked.resume:
        matrix.check_selector(study, only)
        row = studying.unfinished(
            study,
            asked.label,
            again_failed=asked.again_failed or asked.budget is not None,
            python=python,
            claims=asked.claims or None,
            scale=asked.scale,
            repeat=asked.repeat,
            only={axis: list(some) for axis, some in only.items()} or None,
        )
        every = enumerate(_cells(study, row, None))  # those that say it themselves tell nothing
        asking = [at for at, cell in every if "load-hosts" not in cell.options]
        first = Run.objects.filter(study_cell__study_run=row, study_cell__order__in=asking).first()
        hosts = RunSpec.from_json(first.spec).load.hosts or None if first else asked.load_hosts
        if asked.load_hosts not in (None, hosts):
            raise UsageError(
                f"--resume goes on with the load made by {hosts or 'no'} other hosts: leave "
                "--load-hosts out."
            )
        cells = _cells(study, row, hosts)
        execution = studying.resumed(
            study, cells, row, again_failed=asked.again_failed, anyway=asked.anyway
        )
    else:
        scale = 1.0 if asked.scale is None else asked.scale
        sequential = asked.repeat is None and (asked.claims or asked.budget is not None)
        usual = FEWEST if sequential else matrix.repeats(study, scale)
        row = StudyRun(
            name=study.name,
            label=asked.label,
            python=python,
            digest=study.digest,
            # in URLs alone, as it must stay TOML
            text=re.sub(r"[\w+.-]+:/[^'\"\\\n]*", lambda url: hidden(url[0]), study.text),
            scale=scale,
            only={axis: list(some) for axis, some in only.items()},
            repeat=usual if asked.repeat is None else asked.repeat,
            seed=asked.seed,
            claims=asked.claims,
            looks=LOOKS if sequential else 1,
            rules=RULES,
            started_at=datetime.now(UTC),
        )
        cells = _cells(study, row, asked.load_hosts)
        execution = Execution(study, row, studying.resolved(cells, row))
    if asked.budget is not None:
        execution.budget_s = asked.budget
    return execution


def _cells(study: Study, row: StudyRun, hosts: int | None) -> Sequence[Cell]:
    """Those of an execution; one that is decided as it goes keeps what questions are about."""
    only = {axis: tuple(values) for axis, values in row.only.items()}
    keeps = matrix.Need.QUESTION if row.looks > 1 else matrix.Need.CLAIM
    from_hosts = {} if hosts is None else {"load-hosts": hosts}
    return [
        replace(cell, options={**from_hosts, **_under(row.python, cell), **cell.options})
        for cell in matrix.cells(study, row.scale, only, claims=row.claims, keeps=keeps)
    ]


def _under(python: str, cell: Cell) -> dict[str, Any]:
    """The option that has a cell served by that Python, unless it has a target of its own."""
    servers = map(conf.server_class, cell.options.get("server") or ())
    return {"python": (python,)} if python and all(one.serves_project for one in servers) else {}


def _one(names: Sequence[str]) -> str:
    if len(names) != 1:
        given = f"one study, not {len(names)}" if names else "a study"
        raise UsageError(f"Name {given}; there are: {', '.join(conf.study_files())}.")
    return names[0]


def _headline(execution: Execution, seconds: float) -> str:
    row, skipped, done = execution.row, len(execution.skipped), len(execution.done)
    parts = [
        f"{counted(len(execution.candidates), 'configuration')} × {counted(row.repeat, 'run')}",
        *[f"scale {row.scale:g}"] * (row.scale != 1),
        *[f"{skipped} skipped"] * bool(skipped),
        *[f"{done} made before"] * bool(done),
    ]
    time = f"about {format_period(round(seconds))}"
    if execution.budget_s < seconds:
        time = f"{format_period(round(execution.budget_s))} of {time}"
    return f"Study    {row.name}: {', '.join(parts)} · {time}"


def _undecided(execution: Execution) -> Iterator[str]:
    """What more time would decide, and how to go on."""
    row, needs = execution.row, (Need.CLAIM, Need.QUESTION)
    doubts = execution.doubts(*needs) if row.looks > 1 else []
    for about, of_it in gathered((doubt.about, doubt) for doubt in doubts).items():
        if any(doubt.more is None for doubt in of_it):
            yield f"Open     {about}: {MOST_MORE} more runs of each would hardly tell."
        elif not all(doubt.is_known for doubt in of_it):
            titles = dict.fromkeys(cell_title(cell) for doubt in of_it for cell in doubt.cells)
            yield f"Open     {about}: not enough runs count of {'; '.join(titles)}."
        else:
            most = max(doubt.more or 0 for doubt in of_it)
            yield f"Open     {about}: about {counted(most, 'more run')} of each would tell."
    if execution.is_over_budget:
        yield f"Go on with: {again(row)} --resume --budget=10m"


def _summary(execution: Execution) -> Sequence[str]:
    """What became of it in all, resumed ones of before included."""
    runs = list(Run.objects.filter(study_cell__in=execution.rows).select_related("study_cell"))
    if not runs:
        return []
    counts = Counter(run.verdict or run.status for run in runs)
    words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    if skipped := len(execution.skipped):
        words += f" · {counted(skipped, 'configuration')} skipped"
    failed = [run for run in runs if run.status == Status.FAILED.value]
    return [
        f"{counted(len(runs), 'run')}: {words}",
        *dict.fromkeys(f"Failed   {run.study_cell}: {run.failure}" for run in failed),
    ]
