"""What one configuration holds on several numbers of CPUs: each found as if it were asked alone."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchsuite.tuning.making import Steps
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.planning import least_s
from benchsuite.tuning.trial import Candidate

Alone = Callable[[Notebook, Candidate], Steps]
"""The search for what this one holds, on a notebook whose question asks for nothing else."""


def scale(book: Notebook, alone: Alone) -> Steps:
    """All of them in random order, so that a machine that slows down is not taken for CPUs that
    don't help. What one left of its time is for those after it.
    """
    question = book.question
    order = list(question.scaling)
    fair_s = question.budget_s / len(order)
    random.Random(question.seed).shuffle(order)
    parts = []
    for place, one in enumerate(order):
        assert one.cpus is not None
        left_s = (question.budget_s - book.spent_s) / (len(order) - place)
        left_s = max(left_s, min(fair_s, least_s(question.window_factor)))
        part = Notebook(replace(question, only=one, cpus=one.cpus, scaling=(), budget_s=left_s))
        yield from _noted(book, part, one, alone(part, one))
        book.decide(one, *_state(part, one))
        book.unable.update({f"{what} of {one.name}": why for what, why in part.unable.items()})
        parts.append(part)
    book.end, book.said = _end(parts)


def _noted(book: Notebook, part: Notebook, one: Candidate, steps: Steps) -> Steps:
    """These steps, of which the whole notebook is told as well."""
    trial = next(steps, None)
    while trial is not None:
        seen = yield trial
        book.note(trial, seen)
        try:
            trial = steps.send(seen)
        except StopIteration:
            trial = None
        book.probe = part.probe or book.probe
        if one in part.states:
            book.decide(one, *_state(part, one))


def _state(part: Notebook, one: Candidate) -> tuple[State, str]:
    """None of them is recommended: each is what was asked for."""
    state, why = part.states.get(one, (State.NOT_TRIED, part.said))
    if part.end is End.NOTHING_HOLDS:
        return State.MEASURED, part.said
    if state in (State.RECOMMENDED, State.RACING):
        return State.MEASURED, "" if part.end is End.CONFIRMED else "not confirmed"
    return state, why


def _end(parts: Sequence[Notebook]) -> tuple[End | None, str]:
    """How all of them ended; not confirmed where they ended in different ways."""
    ends = {one.end for one in parts}
    said = "; ".join(dict.fromkeys(one.said for one in parts if one.said))
    return (ends.pop() if len(ends) == 1 else End.NOT_CONFIRMED), said
