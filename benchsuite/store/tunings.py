"""Tunings → rows → what their search knew, from which an answer is made at any time."""

from typing import Any

from django.db import transaction

from benchsuite.core.plain import plain, read
from benchsuite.models import Run, Tuning, TuningTrial
from benchsuite.store.interchange import storable
from benchsuite.tuning.notebook import Notebook

ELSEWHERE = ("question", "entries")  #: Fields of a notebook that have rows or columns of their own.


def notebook(row: Tuning) -> Notebook:
    """As it was after the last trial that is stored; UsageError for that of another benchsuite."""
    entries = [{"trial": one.trial, "seen": one.observation} for one in row.trials.all()]
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
    found: dict[str, Any] = storable(fields)
    return found
