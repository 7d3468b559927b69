"""Tunings → rows → what their search knew, from which an answer is made at any time."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import Misfit, plain, read
from benchsuite.models import Run, Tuning, TuningTrial
from benchsuite.store.interchange import storable
from benchsuite.tuning.notebook import Notebook

ELSEWHERE = ("question", "entries")  #: Fields of a notebook that have rows or columns of their own.


def notebook(row: Tuning) -> Notebook:
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


def keep(row: Tuning, book: Notebook, run: Run | None) -> None:
    """Stores the last trial together with what the search made of it, or nothing of both."""
    last = book.entries[-1]
    row.answer = decisions(book)
    with transaction.atomic():
        TuningTrial.objects.create(
            tuning=row,
            order=len(book.entries) - 1,
            trial=storable(plain(last.trial)),
            observation=storable(plain(last.seen)),
            run=run,
        )
        row.save(update_fields=["answer"])


def decisions(book: Notebook) -> dict[str, Any]:
    """What it holds beside the question and its entries: the column `Tuning.answer`."""
    fields = {name: one for name, one in plain(book).items() if name not in ELSEWHERE}
    stored: dict[str, Any] = storable(fields)
    return stored
