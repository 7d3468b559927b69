"""Tunings → rows → what their search knew, from which an answer is made at any time.

Each exported run says of which part it is, and the first one of a file carries all of what they
were made for. Whatever else runs are made for is one entry of `PURPOSES`.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from django.db import Error
from django.db.models import Model

from benchsuite import store
from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import Misfit, at, plain, read, wrong
from benchsuite.core.results import Status
from benchsuite.models import Run, StudyCell, StudyRun, Tuning, TuningTrial
from benchsuite.store import interchange
from benchsuite.store.interchange import sealed, storable
from benchsuite.tuning.notebook import Notebook

ELSEWHERE = ("question", "entries")  #: Fields of a notebook that have rows or columns of their own.
NEVER = datetime.min.replace(tzinfo=UTC)


def read_notebook(row: Tuning) -> Notebook:
    """As it was after the last trial that is stored; UsageError for what can't be read."""
    trials = list(row.trials.all())
    try:
        if row.unreadable:
            raise Misfit(row.unreadable)
        return notebook_of(row, trials)
    except Misfit as misfit:
        raise UsageError(f"What is stored of this tuning can't be read ({misfit}).") from misfit


def notebook_of(row: Tuning, trials: Sequence[TuningTrial]) -> Notebook:
    """The same of rows that need not be stored; raises Misfit."""
    entries = [{"trial": one.trial, "seen": one.observation} for one in trials]
    return read(Notebook, {**row.answer, "question": row.question, "entries": entries})


def keep_tuning(row: Tuning, notebook: Notebook, run: Run | None) -> None:
    """Stores the last trial together with what the search made of it, or nothing of both."""
    last = notebook.entries[-1]
    row.answer = decisions(notebook)
    with store.atomic():
        TuningTrial.objects.create(
            tuning=row,
            order=len(notebook.entries) - 1,
            trial=storable(plain(last.trial)),
            observation=storable(plain(last.seen)),
            run=run,
        )
        row.save(update_fields=["answer"])


def decisions(notebook: Notebook) -> dict[str, Any]:
    """What it holds beside the question and its entries: the column `Tuning.answer`."""
    fields = {name: one for name, one in plain(notebook).items() if name not in ELSEWHERE}
    stored: dict[str, Any] = storable(fields)
    return stored


@dataclass(frozen=True, slots=True)
class Purpose:
    """How runs belong to something that they were made for."""

    link: str  #: From a run to its part of it; the foreign key may be on either side.
    whole: str  #: From that part to all of it, and its name in a file.
    parts: str  #: From there to its parts, each of which has an `order`.
    part: type[Model]
    model: type[Model]  #: Of the whole.
    check: Callable[[Any, list[Any]], object] | None = None
    """Raises Misfit for what no search or study of this benchsuite makes of that whole."""


PURPOSES = {
    one.whole: one
    for one in (
        Purpose("study_cell", "study_run", "cells", StudyCell, StudyRun),
        Purpose("trials", "tuning", "trials", TuningTrial, Tuning, notebook_of),
    )
}

READ_BESIDE = tuple(f"{one.link}__{one.whole}" for one in PURPOSES.values())
"""What is read with runs that are exported."""


class Entry(TypedDict):
    of: str
    id: UUID
    order: int
    whole: NotRequired[Any]


@dataclass(frozen=True, slots=True)
class Whole:
    purpose: Purpose
    row: Any
    parts: Sequence[Any]


def as_plain(run: Run, known: set[UUID]) -> list[dict[str, Any]]:
    """Where the run belongs, and all of that where it is not among those `known` yet."""
    entries: list[dict[str, Any]] = []
    for purpose in PURPOSES.values():
        with suppress(Error, Misfit):  # a run is exported all the same
            for part in _parts_of(run, purpose):
                row = getattr(part, purpose.whole)
                entry = {"of": purpose.whole, "id": str(row.pk), "order": part.order}
                entries.append(entry)
                if row.pk not in known:
                    parts = [interchange.values(one) for one in getattr(row, purpose.parts).all()]
                    rows = {purpose.whole: interchange.values(row), **interchange.shared(row)}
                    known.add(row.pk)
                    _read(whole := sealed({**rows, purpose.parts: parts}), purpose)  # as loadbench
                    entry["whole"] = whole
    return entries


def from_plain(data: object) -> tuple[list[Entry], list[Whole]]:
    """What `as_plain` wrote, not stored yet; raises Misfit for anything else."""
    entries, wholes = read(list[Entry], data), []
    for number, entry in enumerate(entries):
        with at(number):
            if (purpose := PURPOSES.get(entry["of"])) is None:
                raise wrong(f"something of {', '.join(PURPOSES)}", entry["of"])
            if "whole" in entry:
                with at("whole"):
                    wholes.append(_read(entry["whole"], purpose))
    return entries, wholes


def keep(whole: Whole) -> str:
    """Stores what is not stored yet, or not as far as this; returns in a word what was done."""
    model, row, done = whole.purpose.model, whole.row, "loaded"
    here: Any = model._default_manager.filter(pk=row.pk).first()
    known: dict[int, Any] = {}
    if here is not None:
        known = dict(getattr(here, whole.purpose.parts).values_list("order", "pk"))
        comes = row.ended_at or NEVER, len(whole.parts)
        reached = here.ended_at or NEVER, len(known)
        if here.status == Status.RUNNING.value or comes <= reached:
            return ""
        done = "brought up to date"
    store.find_shared(row)
    row._state.adding = here is None
    row.save()
    fields = [field.name for field in interchange.stored(whole.purpose.part)]
    for part in whole.parts:
        part.pk = known.get(part.order)
        part._state.adding = part.pk is None
        part.save(update_fields=None if part._state.adding else fields)  # its run stays
    return done


def connect(run: Run, entry: Entry) -> bool:
    """Makes a stored run a part of what it was made for; False where that is not stored."""
    purpose = PURPOSES[entry["of"]]
    wanted = {purpose.whole: entry["id"], "order": entry["order"]}
    part = purpose.part._default_manager.filter(**wanted).first()
    link: Any = Run._meta.get_field(purpose.link)
    if part is not None and link.many_to_one:
        Run.objects.filter(pk=run.pk).update(**{purpose.link: part})
    elif part is not None:
        purpose.part._default_manager.filter(pk=part.pk).update(**{link.remote_field.name: run})
    return part is not None


def _parts_of(run: Run, purpose: Purpose) -> list[Any]:
    parts = getattr(run, purpose.link)
    if hasattr(parts, "all"):
        return [] if run._state.adding else list(parts.all())
    return [] if parts is None else [parts]


def _read(data: object, purpose: Purpose) -> Whole:
    rows = interchange.opened(data, purpose.whole, [purpose.parts])
    row = interchange.made(purpose.model, rows, purpose.whole)
    if row.status == Status.RUNNING.value:  # not here
        row.status = Status.INTERRUPTED.value
    members = interchange.parts(purpose.part, rows, purpose.parts)
    if purpose.check:
        purpose.check(row, members)
    interchange.check_seal(rows, data)
    for member in members:
        setattr(member, purpose.whole, row)
    return Whole(purpose, row, members)
