"""What a tuning says, in the terminal and as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from benchsuite.bottlenecks.registry import Limit
from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import plain
from benchsuite.core.suggestions import choices
from benchsuite.core.units import format_duration, format_period
from benchsuite.management.tuning.searching import ASSUMED
from benchsuite.report.terminal.grid import Grid
from benchsuite.report.tuning.told import Told
from benchsuite.tuning.answer import UNTRIED, Answer, answer
from benchsuite.tuning.notebook import End, Notebook
from benchsuite.tuning.trial import Phase

SPARE = ("starts", "connections", "CPU a request")
"""Columns that are left out first where a terminal is narrow."""


def lines(told: Told, limits: Sequence[Limit]) -> list[str]:
    """Its sentences, how to start what is confirmed, what limits it, what was not tried, and what a
    longer search would add.
    """
    return [
        *(f"{others}: the page and --json have them." for others, _ in told.groups[1:]),
        *told.answer.sentences,
        *_start(told),
        *(" ".join(filter(None, ("Limit:", *_words(one)))) for one in limits),
        *_not_tried(told.answer),
        *filter(None, [told.answer.missing]),
    ]


def _start(told: Told) -> Iterator[str]:
    if told.answer.rate is None:
        return
    if told.unpasted:
        yield told.unpasted
    if told.paste:
        *_, command = told.paste["command"].splitlines()
        example, *_ = told.paste
        yield f"Start it with: {command}"
        yield (
            f"To paste: {', '.join(told.paste)}; for example: python manage.py tunebench "
            f"--paste={example} --of={told.row.short_id}"
        )


def to_paste(told: Told, kind: str) -> str:
    """What deploys the pick: of that kind, or of all under their names.

    Raises UsageError where there is none.
    """
    if told.answer.pick is None:
        raise UsageError(f"There is nothing to paste. {told.answer.sentences[0]}")
    if not told.paste:
        raise UsageError(told.unpasted)
    if not kind:
        return "\n".join(f"### {name}\n{text}" for name, text in told.paste.items())
    if kind not in told.paste:
        raise UsageError(f"There is no {kind!r} to paste; {choices(kind, told.paste)}")
    return told.paste[kind]


def _words(limit: Limit) -> tuple[str, ...]:
    return limit.says, limit.evidence, limit.fix, limit.gain, f"({limit.code})"


def _not_tried(answer: Answer) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for what, why in answer.not_tried:
        reasons.setdefault(why, []).append(what)
    for why, some in reasons.items():
        yield f"Not tried: {', '.join(some)} ({why})"


def table(told: Told) -> Grid | None:
    """One row for each candidate in the race, or that was started where there was none; None
    without any. Where several numbers of CPUs are asked for, the interval of each is shown, too.
    """
    if not told.groups:
        return None
    whole = bool(told.book.question.scaling)
    rows = [
        [
            one.row.candidate.name,
            *(shown.whole if whole else shown.text for shown in one.figures),
            one.state,
        ]
        for one in told.groups[0][1]
    ]
    headings = ["configuration", *told.headings, "state"]
    return Grid(headings=headings, rows=rows, words=["state"], prose=["state"], spare=SPARE)


def rehearsal(book: Notebook, before: int) -> Iterator[str]:
    """What a search will do that has made so many trials: how many starts each phase takes, which
    candidates it compares, and what it will not try.
    """
    for phase in Phase:
        some = [one for one in book.entries[before:] if one.trial.phase is phase]
        if some:
            count = f"{len(some)} start{'s' * (len(some) != 1)}"
            taken = format_period(round(sum(one.seen.took_s for one in some)))
            yield f"  {phase.value:<8} {count:>10}  {taken:>12}  {some[0].trial.reason}"
    if not before:
        whole, cpu = format_duration(ASSUMED.response_s), format_duration(ASSUMED.cpu_s)
        yield (
            f"This is for a page that takes {whole}, {cpu} of that on a CPU, which nobody has "
            "measured yet: the first two starts tell what yours takes, and sizes follow from it."
        )
    if book.end is End.CONFIRMED and not any(one.changes for one in book.states):
        yield "In the time that is left other settings are tried against what the diagnosis names."
    found = answer(book)
    started = [one.candidate.name for one in found.rows if one.state not in UNTRIED]
    if started:
        yield f"Compared: {', '.join(started)}"
    yield from _not_tried(found)
    yield from filter(None, [found.missing])


def as_json(told: Told, runs: Sequence[str | None], limits: Sequence[Limit]) -> str:
    """Everything: the question, the answer, what to paste (or why there is none), each trial with
    its reason, and the decisions.
    """
    book = told.book
    data: dict[str, Any] = {
        "id": str(told.row.pk),
        "question": plain(book.question),
        "answer": plain(told.answer),
        "limits": [asdict(one) for one in limits],
        "paste": dict(told.paste),
        "unpasted": told.unpasted,
        "trials": [
            {"run": run, **plain(entry.trial), "observation": plain(entry.seen)}
            for run, entry in zip(runs, book.entries, strict=True)
        ],
        "decisions": [
            {"candidate": candidate.name, "state": state.value, "why": why}
            for candidate, (state, why) in book.states.items()
        ],
    }
    return f"{json.dumps(data, indent=2)}\n"
