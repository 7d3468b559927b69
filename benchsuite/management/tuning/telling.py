"""What a tuning says, in the terminal and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from benchsuite.core.plain import plain
from benchsuite.core.units import format_bytes, format_duration, format_number, format_period
from benchsuite.report.terminal.grid import Grid
from benchsuite.tuning.answer import UNTRIED, Answer, Row
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Phase

HEADINGS = ("configuration", "/s", "held", "in time", "CPU", "memory", "connections", "starts", "")
SPARE = ("starts", "connections", "CPU")


def lines(answer: Answer) -> list[str]:
    """Its sentences, what was not tried, and what a longer search would add."""
    reasons: dict[str, list[str]] = {}
    for what, why in answer.not_tried:
        reasons.setdefault(why, []).append(what)
    return [
        *answer.sentences,
        *(f"Not tried: {', '.join(some)} ({why})" for why, some in reasons.items()),
        *[answer.missing] * bool(answer.missing),
    ]


def table(answer: Answer) -> Grid | None:
    """One row for each candidate that was started; None where there is none."""
    rows = [_cells(one) for one in answer.rows if one.state not in UNTRIED]
    if not rows:
        return None
    state = "state"
    headings = [*HEADINGS[:-1], state]
    return Grid(headings=headings, rows=rows, words=[state], prose=[state], spare=SPARE)


def _cells(row: Row) -> list[str]:
    share = "" if row.share is None else f"{100 * row.share:.1f} %"
    return [
        row.candidate.name,
        format_number(row.estimate) if row.estimate else "",
        format_number(row.rate) if row.rate else "",
        share,
        format_duration(row.cpu_s) if row.cpu_s else "",
        format_bytes(row.memory_bytes) if row.memory_bytes else "",
        "" if row.connections is None else str(row.connections),
        str(row.starts),
        f"{row.state.value}{f': {row.why}' if row.why else ''}",
    ]


def phases(book: Notebook) -> Iterator[str]:
    """How many starts each phase takes, and how long."""
    for phase in Phase:
        some = [one for one in book.entries if one.trial.phase is phase]
        if some:
            count = f"{len(some)} start{'s' * (len(some) != 1)}"
            taken = format_period(round(sum(one.seen.took_s for one in some)))
            yield f"  {phase.value:<8} {count:>10}  {taken:>12}  {some[0].trial.reason}"


def as_json(pk: str, book: Notebook, answer: Answer, runs: Sequence[str | None]) -> str:
    """Everything: the question, the answer, each trial with its reason, and the decisions."""
    data: dict[str, Any] = {
        "id": pk,
        "question": plain(book.question),
        "answer": plain(answer),
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
