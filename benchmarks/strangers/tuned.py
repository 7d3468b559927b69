"""A tuning as the docs show it, from the JSON that `tunebench` wrote."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.table import markdown
from benchsuite.core.plain import read
from benchsuite.core.units import format_period
from benchsuite.report.tuning import table
from benchsuite.tuning.answer import Answer
from benchsuite.tuning.question import Question


def told(title: str, words: Sequence[str], data: Mapping[str, Any]) -> str:
    """Its command, what became of those that came into the race, the answer, and what limits it."""
    return "\n".join(_lines(title, words, data))


def _lines(title: str, words: Sequence[str], data: Mapping[str, Any]) -> Iterator[str]:
    answer, question = read(Answer, data["answer"]), read(Question, data["question"])
    starts = len(data["trials"])
    spent_s = sum(one["observation"]["took_s"] for one in data["trials"])
    yield from (f"### {title}", "")
    yield from (f"    $ python manage.py tunebench {shlex.join(words)}", "")
    columns = table.columns(question.objective.goals[0])
    rows = [
        [one.candidate.name, *(show(one).text for show in columns.values()), table.state(one)]
        for one in table.tried(answer)
        if table.in_race(one)
    ]
    if rows:
        yield from (markdown(["configuration", *columns, "state"], rows), "")
    yield from (f"{' '.join(answer.sentences)}", "")
    for limit in data["limits"]:
        parts = (limit[name] for name in ("says", "evidence", "fix", "gain"))
        yield from (f"Limit: {' '.join(filter(None, parts))} ({limit['code']})", "")
    if answer.missing:
        yield from (answer.missing, "")
    others = len(answer.rows) - len(rows)
    yield f"{starts} starts in {format_period(round(spent_s))}; {others} other configurations."
    yield ""
