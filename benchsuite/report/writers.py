"""Answers for a terminal and in Markdown; `_answer.html` writes them on pages, `plain` as JSON."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from rich.text import Text

from benchsuite.core.answer import Answer, Section, Table
from benchsuite.core.commands import as_called
from benchsuite.core.printable import printable
from benchsuite.report.terminal.grid import PROSE_WIDTH, Grid

MEANT = re.compile(r"([\\`*<>|~&]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_]))")
"""What Markdown takes for more than text; an underscore within a word is one."""

COLOURS = {"better": "green", "worse": "red", "●": "green", "◐": "yellow", "○": "red", "✗": "red"}
"""Of entries of a table, by a word or by the shape before one: no colour tells anything alone."""

MOST = 8  #: Rows of a table that a terminal shows unasked.


class Console(Protocol):
    def say(self, text: str) -> None: ...
    def table(self, grid: Grid) -> None: ...


def to_terminal(answer: Answer, console: Console, *, every_row: bool = False) -> None:
    """Premises, answer, reasons and what to do, table, cautions, evidence; no sentence twice."""
    *steps, last = answer.next_steps or [""]
    ask = " ".join(filter(None, (last, answer.command)))
    card = (*answer.premises, answer.headline, *answer.reasons, *steps, ask)
    notes = [f"Note: {one}" for one in dict.fromkeys(answer.cautions)]
    brief = [one for section in answer.sections for one in section.brief]
    for part in (*dict.fromkeys(card), answer.table, *notes, *brief):
        if not part:
            continue
        if isinstance(part, str):
            console.say(part)
            continue
        if part.title:
            console.say(part.title)
        rows = enumerate(part.rows)
        shown = [row for at, row in rows if at < MOST or at == part.chosen or every_row]
        console.table(grid(replace(part, rows=shown)))
        if more := len(part.rows) - len(shown):
            console.say(f"{more} more row{'s' * (more != 1)}: -v2 shows all.")
        if part.note:
            console.say(part.note)


def grid(table: Table) -> Grid:
    words, rows = [name for name, is_figure in table.columns if not is_figure], []
    long = dict[str, None]()
    for entries in table.entries:
        texts = [shown.whole for shown, _ in entries]
        rows.append([Text(text, style=COLOURS.get(text.partition(" ")[0], "")) for text in texts])
        for name, text in list(zip(table.headings, texts, strict=True))[1:]:
            if name in words and len(text) > PROSE_WIDTH:
                long[name] = None
    return Grid(headings=table.headings, rows=rows, words=words, prose=[*long], spare=table.spare)


def to_markdown(answer: Answer) -> str:
    blocks = [f"# {escaped(answer.title)}"]
    if answer.question:
        blocks.append(f"**{escaped(answer.question)}**")
    blocks += quoted(answer.premises)
    blocks += map(escaped, filter(None, (answer.headline, *answer.reasons)))
    if answer.table is not None:
        blocks += table_blocks(answer.table, "##")
    blocks += [*quoted(answer.cautions), *map(escaped, answer.next_steps)]
    if answer.command:
        blocks.append(f"```\n{answer.command}\n```")
    for section in answer.sections:
        blocks += section_blocks(section)
    return as_called("\n\n".join(blocks) + "\n")


def section_blocks(section: Section) -> Iterator[str]:
    yield f"## {escaped(section.title)}"
    yield from map(escaped, section.sentences)
    points = [*section.points, *(f"{name}: {value}" for name, value in section.facts.items())]
    if points:
        yield "\n".join(f"- {escaped(one)}" for one in points)
    for table in section.tables:
        yield from table_blocks(table)
    for title, text in section.copies.items():
        yield from (f"{escaped(title)}:", f"```\n{text.rstrip()}\n```")


def table_blocks(table: Table, heading: str = "###") -> Iterator[str]:
    if table.title:
        yield f"{heading} {escaped(table.title)}"
    if table.note:
        yield escaped(table.note)
    if table.rows:
        rows = [[escaped(heading) for heading in table.headings]]
        for entries in table.entries:
            texts = [(escaped(shown.whole), shown.url) for shown, _ in entries]
            rows.append([f"[{text}]({url})" if url else text for text, url in texts])
        head, *lines = [f"| {' | '.join(row)} |" for row in rows]
        yield "\n".join([head, f"|{'---|' * len(table.headings)}", *lines])


def quoted(sentences: Sequence[str]) -> list[str]:
    lines = "\n>\n".join(f"> {escaped(one)}" for one in sentences)
    return [lines] if lines else []


def escaped(text: str) -> str:
    """Text that no Markdown makes something else of, on one line."""
    return MEANT.sub(r"\\\1", re.sub(r"[ \t\n]+", " ", printable(text)).strip())
