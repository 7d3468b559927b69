"""Loads runs that were exported as JSON: on another machine, or while no database took them."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.db import Error

from benchsuite import __version__, conf, store
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.plain import Misfit, at, mapping, parsed, read, shown, wrong
from benchsuite.core.results import Status
from benchsuite.core.units import counted, first_of, listed
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.models import Run
from benchsuite.runner.planning import server_facts
from benchsuite.store import notes, purposes
from benchsuite.store.interchange import from_plain
from benchsuite.store.purposes import Whole

NAMED = 6  #: Runs named in a line.

WITHOUT_RESULT = (Status.RUNNING.value, Status.INTERRUPTED.value)
"""What rows say whose results were refused, while their command lives and after it."""


@dataclass(slots=True)
class Contents:
    file: str
    runs: dict[UUID, Run] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  #: Ids of runs that are not in the file.
    places: list[tuple[Run, purposes.Entry]] = field(default_factory=list)
    wholes: list[Whole] = field(default_factory=list)
    noted: list[tuple[UUID, notes.Entry]] = field(default_factory=list)


class Command(BriefCommand):
    help = __doc__
    usage = "%(prog)s FILE [FILE ...]"
    examples = ("runs.json", "monday.json tuesday.json", "-")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help='what dumpbench, --json or "Export JSON" of the pages wrote; - is standard input',
        )

    def handle(self, **options: Any) -> None:
        try:
            lines = _load([_read(file) for file in options["files"]])
        except BenchsuiteError as error:
            raise CommandError(f"{error} Nothing was loaded.") from error
        except (Error, OverflowError) as error:
            raise CommandError(f"Nothing was loaded. {store.refusal(error)}") from error
        for line in lines:
            self.stdout.write(line)


def _load(files: Sequence[Contents]) -> list[str]:
    """Stores all of these files, or nothing; returns lines that say what was done with each."""
    store.sweep()
    store.sweep_executions()
    with store.atomic():
        kept = [[(whole, purposes.keep(whole)) for whole in contents.wholes] for contents in files]
        lines = []
        for contents, wholes in zip(files, kept, strict=True):
            done = _stored(contents) + [f"{whole.row} {word}." for whole, word in wholes if word]
            apart = [run for run, place in contents.places if not purposes.connect(run, place)]
            if lost := [run.pk.hex[:8] for run in apart]:
                done.append(
                    f"{counted(len(lost), 'run')} without what it was made for, which is in no "
                    f"file and not stored: {listed(first_of(lost, NAMED))}."
                )
            if loaded := notes.load(contents.noted):
                done.append(f"{counted(loaded, 'note')} loaded.")
            lines += [f"{contents.file}: {line}" for line in done]
        return lines


def _stored(contents: Contents) -> list[str]:
    """Stores runs that are not stored yet, or whose refused results left an empty row."""
    here = Run.objects.only("status", "environment", "study_cell").in_bulk(list(contents.runs))
    skipped: list[str] = []
    for run in contents.runs.values():
        if row := here.get(run.pk):
            if row.status not in WITHOUT_RESULT or row.environment_id or not run.environment:
                skipped.append(run.pk.hex[:8])
                continue
            run.study_cell_id = row.study_cell_id
        store.write(run)
    lines = [f"{counted(len(contents.runs) - len(skipped), 'run')} loaded."]
    missing = "unfinished or unreadable when exported"
    for why, ids in (("already stored", skipped), (missing, contents.missing)):
        if ids:
            lines.append(
                f"{counted(len(ids), 'run')} skipped, {why}: {listed(first_of(ids, NAMED))}."
            )
    return lines


def _read(file: str) -> Contents:
    contents = Contents(file)
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = getattr(error, "strerror", None) or error
        raise BenchsuiteError(f"{file} could not be read: {reason}.") from error
    try:
        objects = parsed(content.decode("utf-8-sig"))
        if not isinstance(objects, list):
            raise wrong("a list of runs, as of runbench --json or of Export JSON,", objects)
        with at("runs"):
            for number, item in enumerate(objects):
                with at(number):
                    _add(contents, item)
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: it is not JSON: byte {error.start} is not UTF-8.") from error
    except Misfit as misfit:
        raise UsageError(f"{file}: {misfit}.") from misfit
    return contents


def _add(contents: Contents, exported: object) -> None:
    """A run with what it was made for; raises Misfit."""
    fields = mapping(exported)
    if "stored" not in fields:
        raise Misfit("it was not exported by benchsuite: it has no “stored”")
    try:
        with at("made_for"):
            places, wholes = purposes.from_plain(fields.get("made_for", []))
        contents.wholes += wholes
        if fields["stored"] is None:
            contents.missing.append(str(fields.get("id"))[:8])
            return
        with at("stored"):
            run = from_plain(fields["stored"])
    except Misfit as misfit:
        stored = fields["stored"]
        writer = stored.get("benchsuite") if isinstance(stored, dict) else None
        if writer is None or writer == __version__:
            raise
        other = f"it was written by benchsuite {shown(writer)}, and this is {__version__}"
        raise Misfit(f"{misfit.problem}; {other}", misfit.place) from misfit
    if not run.server_facts:  # exported without any: those of today
        with suppress(UsageError):  # a server that is not known any more
            run.server_facts = server_facts(conf.server_class(run.server), run.workload)
    if run.pk in contents.runs:
        raise Misfit(f"the run {run.pk} is in the file twice")
    contents.runs[run.pk] = run
    contents.places += [(run, place) for place in places]
    with at("notes"):
        noted = read(list[notes.Entry], fields.get("notes", []))
    contents.noted += [(run.pk, note) for note in noted]
