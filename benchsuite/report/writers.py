"""Answers for a terminal and in Markdown; `_answer.html` writes them on pages, `plain` as JSON."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from rich.text import Text

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.printable import printable
from benchsuite.report.terminal.grid import Grid

MEANT = re.compile(r"([\\`*<>|~&]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_]))")
"""What Markdown takes for more than text; an underscore within a word is one."""

COLOURS = {"better": "green", "worse": "red"}


class Console(Protocol):
    def say(self, text: str) -> None: ...
    def table(self, grid: Grid) -> None: ...


def to_terminal(answer: Answer, console: Console) -> None:
    """Premises and the answer first, then its table, reasons, cautions, evidence in brief, and what
    to do next.
    """
    for line in (*answer.premises, answer.headline):
        console.say(line)
    if answer.table is not None:
        console.table(grid(answer.table))
        if answer.table.note:
            console.say(answer.table.note)
    for line in (*answer.reasons, *(f"Note: {one}" for one in answer.cautions)):
        console.say(line)
    for line in (line for one in answer.sections for line in one.brief):
        console.say(line)
    for line in answer.next_steps:
        console.say(line)


def grid(table: Table) -> Grid:
    texts = [[one.whole for one, _ in row] for row in table.entries]
    return Grid(
        headings=table.headings,
        rows=[[Text(one, style=COLOURS.get(one, "")) for one in row] for row in texts],
        words=[name for name, is_figure in table.columns if not is_figure],
        prose=table.headings[-1:],
        spare=table.spare,
    )


def to_markdown(answer: Answer) -> str:
    lines = [line for part in _answer(answer) for line in part]
    return "\n".join(lines).rstrip("\n") + "\n"


def _answer(answer: Answer) -> Iterator[Sequence[str]]:
    yield (f"# {escaped(answer.title)}", "")
    if answer.question:
        yield (f"**{escaped(answer.question)}**", "")
    yield quoted(answer.premises)
    for sentence in filter(None, (answer.headline, *answer.reasons)):
        yield (escaped(sentence), "")
    if answer.table is not None:
        yield list(table_lines(answer.table))
    yield quoted(answer.cautions)
    for sentence in answer.next_steps:
        yield (escaped(sentence), "")
    for section in answer.sections:
        yield list(section_lines(section))


def section_lines(section: Section) -> Iterator[str]:
    yield from (f"## {escaped(section.title)}", "")
    for sentence in section.sentences:
        yield from (escaped(sentence), "")
    points = [*section.points, *(f"{name}: {value}" for name, value in section.facts.items())]
    if points:
        yield from (*(f"- {escaped(one)}" for one in points), "")
    for table in section.tables:
        yield from table_lines(table)
    for title, text in section.copies.items():
        yield from (f"{escaped(title)}:", "", "```", text.rstrip(), "```", "")


def table_lines(table: Table) -> Iterator[str]:
    if table.title:
        yield from (f"### {escaped(table.title)}", "")
    if table.note:
        yield from (escaped(table.note), "")
    if table.rows:
        yield _row(map(escaped, table.headings))
        yield f"|{'---|' * len(table.headings)}"
        yield from (_row(_entry(one) for one, _ in row) for row in table.entries)
        yield ""


def quoted(sentences: Sequence[str]) -> list[str]:
    lines = [line for one in sentences for line in (">", f"> {escaped(one)}")]
    return [*lines[1:], ""] if lines else []


def _row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _entry(value: Shown) -> str:
    return f"[{escaped(value.whole)}]({value.url})" if value.url else escaped(value.whole)


def escaped(text: str) -> str:
    """Text that no Markdown makes something else of, on one line."""
    return MEANT.sub(r"\\\1", re.sub(r"[ \t\n]+", " ", printable(text)).strip())
