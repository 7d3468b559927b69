"""The work of `loadbench`: files of runs → the database, all or none."""

import gzip
import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from uuid import UUID

from django.db import transaction

from benchsuite import __version__, store
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.plain import Misfit, at, mapping, parsed, wrong
from benchsuite.core.results import UNREADABLE, Status
from benchsuite.core.units import format_bytes, listed
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
    """What a file holds."""

    file: str
    runs: list[Run] = field(default_factory=list)
    ids: set[UUID] = field(default_factory=set)
    missing: dict[str, list[str]] = field(default_factory=dict)
    """Why they are not in the file → ids of such runs."""
    places: list[tuple[Run, Place]] = field(default_factory=list)
    wholes: list[Whole] = field(default_factory=list)
    noted: list[tuple[UUID, notes.Entry]] = field(default_factory=list)


def load(files: Sequence[str]) -> list[str]:
    """Stores the runs of these files, and what they were made for; returns lines that say what was
    done with each file.

    Raises BenchsuiteError, and stores nothing, when a file can't be read.
    """
    files_read = [_read(file) for file in files]
    sweep()
    sweep_executions()
    with transaction.atomic():
        kept = [
            [(whole, purposes.keep(whole)) for whole in contents.wholes] for contents in files_read
        ]
        lines = []
        for contents, wholes in zip(files_read, kept, strict=True):
            lines += _stored(contents)
            lines += [f"{contents.file}: {whole.row} {word}." for whole, word in wholes if word]
            lines += _connected(contents)
            if loaded := notes.load(contents.noted):
                lines.append(f"{contents.file}: {loaded} note{'s' * (loaded != 1)} loaded.")
        return lines


def _stored(contents: Contents) -> list[str]:
    """Stores the runs that are not stored yet."""
    here = Run.objects.only("status", "environment", "study_cell").in_bulk(
        [run.pk for run in contents.runs]
    )
    fresh = {run.pk: run for run in contents.runs if run.pk not in here or _is_empty(here[run.pk])}
    for run in fresh.values():
        if run.pk in here:
            run.study_cell_id = here[run.pk].study_cell_id
        store.write(run)
    skipped = [run.pk.hex[:8] for run in contents.runs if run.pk not in fresh]
    lines = [f"{contents.file}: {_many(len(fresh))} loaded."]
    missing = {f"{state} when exported": ids for state, ids in contents.missing.items()}
    for why, ids in {"already stored": skipped, **missing}.items():
        if ids:
            lines.append(f"{contents.file}: {_many(len(ids))} skipped, {why}: {_named(ids)}.")
    return lines


def _is_empty(run: Run) -> bool:
    """A command whose results were refused left a row without any; they may be loaded now."""
    return run.status == Status.INTERRUPTED.value and run.environment_id is None


def _connected(contents: Contents) -> list[str]:
    """Makes the runs parts of what they were made for."""
    lost = [run.pk.hex[:8] for run, place in contents.places if not purposes.connect(run, place)]
    if not lost:
        return []
    return [
        f"{contents.file}: {_many(len(lost))} without what it was made for, which is in no file "
        f"and not stored: {_named(lost)}."
    ]


def _read(file: str) -> Contents:
    contents = Contents(file)
    try:
        objects = parsed(_text(_content(file)))
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
            run = _with_facts(from_plain(fields["stored"]))
    except Misfit as misfit:
        if newer := _newer(fields["stored"]):
            raise Misfit(f"{misfit.said}; {newer}", misfit.place) from misfit
        raise
    if run.pk in contents.ids:
        raise Misfit(f"the run {run.pk} is in the file twice")
    contents.ids.add(run.pk)
    contents.runs.append(run)
    contents.places += [(run, place) for place in places]
    with at("notes"):
        contents.noted += [(run.pk, one) for one in notes.from_plain(fields.get("notes", []))]


def _newer(stored: object) -> str:
    """That a later benchsuite wrote it; empty where none did."""
    writer = stored.get("benchsuite") if isinstance(stored, Mapping) else None
    numbers = [re.findall(r"\d{1,9}", one) for one in (str(writer)[:20], __version__)]
    if writer is None or [*map(int, numbers[0])] <= [*map(int, numbers[1])]:
        return ""
    return f"it was written by benchsuite {writer!s:.20}, and this is {__version__}: upgrade"


def _with_facts(run: Run) -> Run:
    """With facts of its server; those of today where it was exported without any."""
    if not run.server_facts:
        with suppress(UsageError):  # a server that is not known any more
            run.server_facts = known_facts(run.server, run.workload)
    return run


def _content(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = getattr(error, "strerror", None) or error
        raise BenchsuiteError(f"{file} could not be read: {reason}.") from error


def _text(content: bytes) -> str:
    try:
        return _unpacked(content).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise Misfit("it is damaged or truncated: it can't be unzipped") from error
    except UnicodeDecodeError as error:
        raise Misfit(f"it is not JSON: byte {error.start} is not UTF-8") from error


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(GZIPPED):
        return content
    most = UNPACKED_BYTES + MOST_PACKED * len(content)
    with gzip.open(BytesIO(content)) as packed:
        plain = packed.read(most + 1)
    if len(plain) > most:
        raise Misfit(f"it unpacks to more than {format_bytes(most)}, which no export does")
    return plain


def _many(count: int) -> str:
    return f"{count} run{'s' * (count != 1)}"


def _named(ids: Sequence[str]) -> str:
    return listed([*ids[:NAMED], *([f"{len(ids) - NAMED} more"] if len(ids) > NAMED else [])])
