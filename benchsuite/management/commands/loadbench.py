"""Loads runs that were exported as JSON: on another machine, or while no database took them."""

import gzip
import re
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.db import Error, transaction

from benchsuite import __version__, store
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.plain import Misfit, at, mapping, parsed, wrong
from benchsuite.core.results import UNREADABLE, Status
from benchsuite.core.units import format_bytes, listed
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.models import Run
from benchsuite.runner.planning import known_facts
from benchsuite.store import notes, purposes
from benchsuite.store.abandoned import sweep, sweep_executions
from benchsuite.store.interchange import from_plain
from benchsuite.store.purposes import Place, Whole

GZIPPED = b"\x1f\x8b"
UNPACKED_BYTES, MOST_PACKED = 64 * 2**20, 100
"""What a gzipped file may unpack to: so much, and so many times its size. Exports have ten."""

NAMED = 6  #: Runs named in a line.


@dataclass(slots=True)
class Contents:
    file: str
    runs: list[Run] = field(default_factory=list)
    ids: set[UUID] = field(default_factory=set)
    missing: dict[str, list[str]] = field(default_factory=dict)
    """Why they are not in the file → ids of such runs."""
    places: list[tuple[Run, Place]] = field(default_factory=list)
    wholes: list[Whole] = field(default_factory=list)
    noted: list[tuple[UUID, notes.Entry]] = field(default_factory=list)


class Command(BriefCommand):
    help = __doc__
    usage = "%(prog)s FILE [FILE ...]"
    examples = ("runs.json", "monday.json tuesday.json.gz", "-")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help='what dumpbench or --json wrote, or "Export JSON" of the pages; may be gzipped; '
            "- is standard input",
        )

    def handle(self, **options: Any) -> None:
        try:
            lines = _load([_read(file) for file in options["files"]])
        except BenchsuiteError as error:
            raise CommandError(f"{error} Nothing was loaded.", returncode=1) from error
        except (Error, OverflowError) as error:
            words = f"Nothing was loaded. {store.refusal(error)}"
            raise CommandError(words, returncode=1) from error
        for line in lines:
            self.stdout.write(line)


def _load(files: Sequence[Contents]) -> list[str]:
    """Stores all of these files, or nothing; returns lines that say what was done with each."""
    sweep()
    sweep_executions()
    with transaction.atomic():
        kept = [[(whole, purposes.keep(whole)) for whole in contents.wholes] for contents in files]
        lines = []
        for contents, wholes in zip(files, kept, strict=True):
            done = _stored(contents)
            done += [f"{whole.row} {word}." for whole, word in wholes if word]
            apart = [run for run, place in contents.places if not purposes.connect(run, place)]
            if lost := [run.pk.hex[:8] for run in apart]:
                done.append(
                    f"{_many(len(lost))} without what it was made for, which is in no file and not "
                    f"stored: {_named(lost)}."
                )
            if loaded := notes.load(contents.noted):
                done.append(f"{loaded} note{'s' * (loaded != 1)} loaded.")
            lines += [f"{contents.file}: {line}" for line in done]
        return lines


def _stored(contents: Contents) -> list[str]:
    """Stores runs that are not stored yet, or whose refused results left an empty row."""
    stored = Run.objects.only("status", "environment", "study_cell")
    here = stored.in_bulk([run.pk for run in contents.runs])
    skipped: list[str] = []
    for run in contents.runs:
        if row := here.get(run.pk):
            if row.status != Status.INTERRUPTED.value or row.environment_id is not None:
                skipped.append(run.pk.hex[:8])
                continue
            run.study_cell_id = row.study_cell_id
        store.write(run)
    missing = {f"{state} when exported": ids for state, ids in contents.missing.items()}
    return [
        f"{_many(len(contents.runs) - len(skipped))} loaded.",
        *(
            f"{_many(len(ids))} skipped, {why}: {_named(ids)}."
            for why, ids in {"already stored": skipped, **missing}.items()
            if ids
        ),
    ]


def _read(file: str) -> Contents:
    contents = Contents(file)
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = getattr(error, "strerror", None) or error
        raise BenchsuiteError(f"{file} could not be read: {reason}.") from error
    try:
        objects = parsed(_text(content))
        if not isinstance(objects, list):
            raise wrong("a list of runs, as of runbench --json or of Export JSON,", objects)
        with at("runs"):
            for number, item in enumerate(objects):
                with at(number):
                    _add(contents, item)
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
            state = UNREADABLE if fields.get("status") == UNREADABLE else "unfinished"
            contents.missing.setdefault(state, []).append(str(fields.get("id"))[:8])
            return
        with at("stored"):
            run = from_plain(fields["stored"])
    except Misfit as misfit:
        stored = fields["stored"]
        writer = stored.get("benchsuite") if isinstance(stored, dict) else None
        texts = (str(writer)[:20], __version__)
        theirs, ours = ([int(digits) for digits in re.findall(r"\d{1,9}", text)] for text in texts)
        if writer is None or theirs <= ours:
            raise
        newer = f"it was written by benchsuite {texts[0]}, and this is {__version__}: upgrade"
        raise Misfit(f"{misfit.said}; {newer}", misfit.place) from misfit
    if not run.server_facts:  # exported without any: those of today
        with suppress(UsageError):  # a server that is not known any more
            run.server_facts = known_facts(run.server, run.workload)
    if run.pk in contents.ids:
        raise Misfit(f"the run {run.pk} is in the file twice")
    contents.ids.add(run.pk)
    contents.runs.append(run)
    contents.places += [(run, place) for place in places]
    with at("notes"):
        contents.noted += [(run.pk, one) for one in notes.from_plain(fields.get("notes", []))]


def _text(content: bytes) -> str:
    try:
        if content.startswith(GZIPPED):
            most = UNPACKED_BYTES + MOST_PACKED * len(content)
            with gzip.open(BytesIO(content)) as packed:
                content = packed.read(most + 1)
            if len(content) > most:
                raise Misfit(f"it unpacks to more than {format_bytes(most)}, which no export does")
        return content.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise Misfit("it is damaged or truncated: it can't be unzipped") from error
    except UnicodeDecodeError as error:
        raise Misfit(f"it is not JSON: byte {error.start} is not UTF-8") from error


def _many(count: int) -> str:
    return f"{count} run{'s' * (count != 1)}"


def _named(ids: Sequence[str]) -> str:
    return listed([*ids[:NAMED], *([f"{len(ids) - NAMED} more"] if len(ids) > NAMED else [])])
