"""Answers for a terminal and in Markdown; `_answer.html` writes them on pages, `plain` as JSON."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import rich.console
import rich.table
from rich import box
from rich.cells import cell_len
from rich.text import Text

from benchsuite.core.answer import Answer, Section, Table
from benchsuite.core.commands import as_called
from benchsuite.core.metrics.every import Metric
from benchsuite.core.printable import printable

NARROWEST = 20  #: A terminal of fewer columns is taken to have as many.

COMMAND = re.compile(r"(?<=: )(python manage\.py|(python -m |uvx \S+ \S+ )?benchsuite) \S.*$")
"""What a sentence ends in and a reader copies: it stands on a line of its own, whole."""

COPIED = re.compile(r"/|=|^-|^\w+\(")  #: In words to be copied: paths, addresses, options.

FILLER = "\ue000"  #: The second column of a wide character, for what counts characters.


def wrapped(text: str, width: int, *, indent: int = 0, first: int = 0) -> list[str]:
    """The lines of a text, each of `width` columns at most but for addresses, paths and commands,
    which stay whole, as figures with their units do. Further lines of a paragraph begin with
    `indent` spaces; `first` columns of the first one are taken already.
    """
    width = max(width, NARROWEST)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        begin = len(paragraph) - len(paragraph.lstrip(" "))
        taken = 0 if lines else first
        command = COMMAND.search(paragraph) if taken + cell_len(paragraph) > width else None
        sentence = paragraph[: command.start()] if command else paragraph
        lines += _wrapped(sentence, width, max(begin, indent), taken)
        lines += [command[0]] if command else []
    return lines


def _wrapped(paragraph: str, width: int, indent: int, taken: int) -> list[str]:
    lines = textwrap.wrap(
        "".join(one + FILLER * (cell_len(one) - 1) for one in paragraph),
        width,
        initial_indent=" " * taken,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    ) or [" " * taken]
    parts = []
    for number, whole in enumerate(lines):
        begin = 0 if number else taken
        line, room = whole[begin:], width - begin
        word = line.strip()
        if len(line) <= room or " " in word or COPIED.search(word):
            parts.append(line)
            continue
        indented = line[: len(line) - len(line.lstrip())]  # one word that is too long: in pieces
        step = max(1, room - len(indented))
        parts += [indented + word[at : at + step] for at in range(0, len(word), step)]
    return [part.replace(FILLER, "") for part in parts]


PLAIN = box.Box("\n".join(["    "] * 2 + [" -- "] + ["    "] * 5), ascii=True)
"""The lines of a table where there are none but in ASCII."""

PROSE_WIDTH = 24  #: Narrower than this no column of sentences is printed.

BETWEEN = 3  #: Columns of a terminal between two of a table.
BESIDE = 2  #: To the left of the first, and to the right of the last.


COLOURS = {"better": "green", "worse": "red", "●": "green", "◐": "yellow", "○": "red", "✗": "red"}
"""Of entries of a table, by a word or by the shape before one: no colour tells anything alone."""


def spare(figures: Iterable[Metric], **further: int) -> list[str]:
    """Headings of figures, and further ones, that may be left out, the first of them first."""
    at = {one.heading: one.spare for one in figures if one.spare} | further
    return sorted(at, key=at.__getitem__)


def show(table: Table, console: rich.console.Console, write: Callable[[str], str] = str) -> None:
    """Prints it as wide as the console allows, and as a block a row where the least doesn't fit: no
    entry is ever cut. `write` gives a text in the characters that there are.
    """
    headings, rows = [write(heading) for heading in table.headings], []
    for entries in table.entries:
        texts = [shown.whole for shown, _ in entries]
        rows.append([Text(write(text), COLOURS.get(text.partition(" ")[0], "")) for text in texts])
    spare = [name for name in table.spare if name in table.headings]
    lines = PLAIN if console.options.ascii_only else box.SIMPLE_HEAD
    for count in range(len(spare) + 1):
        kept = [at for at, name in enumerate(table.headings) if name not in spare[:count]]
        drawn, least = rich.table.Table(box=lines, pad_edge=False), BESIDE - BETWEEN
        for at in kept:
            texts = [row[at].plain for row in rows]
            is_left = not at or table.headings[at] not in table.figures
            is_prose = bool(at) and is_left and any(len(text) > PROSE_WIDTH for text in texts)
            narrowest = _narrowest(texts) if is_prose else max(map(cell_len, texts), default=0)
            least += max(cell_len(headings[at]), narrowest) + BETWEEN
            drawn.add_column(
                Text(headings[at]),
                justify="left" if is_left else "right",
                no_wrap=not is_prose,
                overflow="fold",
                min_width=narrowest if is_prose else None,
            )
        if least <= console.width:
            for row in rows:
                drawn.add_row(*(row[at] for at in kept))
            console.print(drawn)
            left_out = f"Left out at this width: {', '.join(map(write, spare[:count]))}."
            for part in wrapped(left_out, console.width) if count else ():
                console.print(part, markup=False, soft_wrap=True)
            return
    columns, width = headings[1:], console.width
    across = min(max((cell_len(name) for name in columns), default=0), max(width // 2 - 4, 1))
    blocks = []
    for first, *cells in rows:
        blocks += [Text(""), _lines(first, width, 0)]
        for name, text in zip(columns, cells, strict=True):
            if text:
                line = Text.assemble(f"  {name:<{across}}  ", text)
                blocks.append(_lines(line, width, across + 4))
    for line in (*blocks, Text("")):
        console.print(line, markup=False, soft_wrap=True)


def _lines(text: Text, width: int, indent: int) -> Text:
    """Wrapped at words, without its style, where it does not fit; what is to be copied stays."""
    if "\n" not in text.plain and text.cell_len <= width:
        return text
    first, *further = text.plain.split("\n")
    copied = [" " * indent + line for line in further]
    return Text("\n".join([*wrapped(first, width, indent=indent), *copied]))


def _narrowest(texts: Iterable[str]) -> int:
    """Lines after the first are to be copied: they stay whole."""
    least = 1
    for text in texts:
        first, *further = text.split("\n")
        least = max(least, min(PROSE_WIDTH, cell_len(first)), *map(cell_len, further))
    return least


MEANT = re.compile(r"([\\`*<>|~&]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_]))")
"""What Markdown takes for more than text; an underscore within a word is one."""

MOST = 8  #: Rows of a table that a terminal shows unasked.


def for_terminal(answer: Answer, *, every_row: bool = False) -> Iterator[str | Table]:
    """Premises, answer, reasons and what to do, table, cautions, evidence; no sentence twice."""
    *steps, last = answer.next_steps or [""]
    ask = " ".join(filter(None, (last, answer.command)))
    card = (*answer.premises, answer.headline, *answer.reasons, *steps, ask)
    notes = [f"Note: {one}" for one in dict.fromkeys(answer.cautions)]
    brief = [one for section in answer.sections for one in section.brief]
    for part in (*dict.fromkeys(card), answer.table, *notes, *brief):
        lines: Sequence[str | Table | None] = [part]
        if isinstance(part, Table):
            rows = enumerate(part.rows)
            shown = [row for at, row in rows if at < MOST or at == part.chosen or every_row]
            more = len(part.rows) - len(shown)
            hint = f"{more} more row{'s' * (more != 1)}: -v2 shows all." * bool(more)
            lines = [part.title, replace(part, rows=shown), hint, part.note]
        yield from (line for line in lines if line)


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
