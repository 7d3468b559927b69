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
    lines = [f"# {escaped(answer.title)}", ""]
    if answer.question:
        lines += [f"**{escaped(answer.question)}**", ""]
    lines += quoted(answer.premises)
    for sentence in filter(None, (answer.headline, *answer.reasons)):
        lines += [escaped(sentence), ""]
    if answer.table is not None:
        lines += table_lines(answer.table, "##")
    lines += quoted(answer.cautions)
    for sentence in answer.next_steps:
        lines += [escaped(sentence), ""]
    if answer.command:
        lines += ["```", answer.command, "```", ""]
    for section in answer.sections:
        lines += section_lines(section)
    return as_called("\n".join(lines).rstrip("\n") + "\n")


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


def table_lines(table: Table, heading: str = "###") -> Iterator[str]:
    if table.title:
        yield from (f"{heading} {escaped(table.title)}", "")
    if table.note:
        yield from (escaped(table.note), "")
    if table.rows:
        rows = [[escaped(heading) for heading in table.headings]]
        for entries in table.entries:
            texts = [(escaped(shown.whole), shown.url) for shown, _ in entries]
            rows.append([f"[{text}]({url})" if url else text for text, url in texts])
        head, *lines = [f"| {' | '.join(row)} |" for row in rows]
        yield from (head, f"|{'---|' * len(table.headings)}", *lines, "")


def quoted(sentences: Sequence[str]) -> list[str]:
    lines = [line for one in sentences for line in (">", f"> {escaped(one)}")]
    return [*lines[1:], ""] if lines else []


def escaped(text: str) -> str:
    """Text that no Markdown makes something else of, on one line."""
    return MEANT.sub(r"\\\1", re.sub(r"[ \t\n]+", " ", printable(text)).strip())
