"""Tables and sentences of the terminal: what is wrapped, and what is left out if it is narrow."""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchsuite.core.metrics.every import Metric

NARROWEST = 20  #: A terminal of fewer columns is taken to have as many.

COMMAND = re.compile(r"(?<=: )python manage\.py \S.*$")
"""What a sentence ends in and a reader copies: it stands on a line of its own, whole."""

COPIED = re.compile(r"/|=|^-|^\w+\(")  #: In words to be copied: paths, addresses, options.

FILLER = "\ue000"  #: The second column of a wide character, for what counts characters.


def wrapped(text: str, width: int, *, indent: int = 0, first: int = 0) -> list[str]:
    """The lines of a text, each of `width` columns at most but for addresses, paths and commands,
    which stay whole; figures stay with their units, as thin spaces are no breaks.

    Lines after the first of a paragraph begin with `indent` spaces; `first` columns of the first
    one are taken already.
    """
    width = max(width, NARROWEST)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        begin = len(paragraph) - len(paragraph.lstrip(" "))
        taken = 0 if lines else first
        command = COMMAND.search(paragraph)
        if command and taken + cell_len(paragraph) > width:
            lines += _wrapped(paragraph[: command.start()], width, max(begin, indent), taken)
            lines.append(command[0])
        else:
            lines += _wrapped(paragraph, width, max(begin, indent), taken)
    return lines


def _wrapped(paragraph: str, width: int, indent: int, taken: int) -> list[str]:
    wide = "".join(one + FILLER * (cell_len(one) - 1) for one in paragraph)
    lines = textwrap.wrap(
        wide,
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

Cell = str | Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Rows under headings; no cell is ever cut, and one with several lines keeps them."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: Sequence[str] = ()  #: Headings of columns that stand left: the first always does.
    prose: Sequence[str] = ()  #: Headings of columns whose first line may be wrapped.
    spare: Sequence[str] = ()
    """Headings of columns to leave out, the first of them first, until the rest fits."""

    def without(self, names: Sequence[str]) -> "Grid":
        kept = [name not in names for name in self.headings]
        rows = [list(compress(row, kept)) for row in self.rows]
        return replace(self, headings=list(compress(self.headings, kept)), rows=rows)

    def written(self, write: Callable[[str], str]) -> "Grid":
        rows = [
            [Text(write(str(one)), getattr(one, "style", "")) for one in row] for row in self.rows
        ]
        written: dict[str, Any] = {"rows": rows}
        for name in ("headings", "words", "prose", "spare"):
            written[name] = [write(heading) for heading in getattr(self, name)]
        return replace(self, **written)


def spare(figures: Iterable[Metric], **more: int) -> list[str]:
    """Headings of figures, and others, that may be left out, the first of them first."""
    at = {one.heading: one.spare for one in figures if one.spare} | more
    return sorted(at, key=at.__getitem__)


def show(grid: Grid, console: Console) -> None:
    """Prints it as wide as the console allows; as a block a row where the least doesn't fit."""
    spare = [name for name in grid.spare if name in grid.headings]
    lines = PLAIN if console.options.ascii_only else box.SIMPLE_HEAD
    for count in range(len(spare) + 1):
        rest, table = grid.without(spare[:count]), Table(box=lines, pad_edge=False)
        least = BESIDE - BETWEEN
        for place, name in enumerate(rest.headings):
            texts, is_prose = [str(row[place]) for row in rest.rows], name in rest.prose
            narrowest = _narrowest(texts) if is_prose else max(map(cell_len, texts), default=0)
            least += max(cell_len(name), narrowest) + BETWEEN
            table.add_column(
                Text(name),
                justify="left" if not place or is_prose or name in rest.words else "right",
                no_wrap=not is_prose,
                overflow="fold",
                min_width=narrowest if is_prose else None,
            )
        if least <= console.width:
            for row in rest.rows:
                table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
            console.print(table)
            left_out = f"Left out at this width: {', '.join(spare[:count])}."
            for part in wrapped(left_out, console.width) if count else ():
                console.print(part, markup=False, soft_wrap=True)
            return
    columns, width = grid.headings[1:], console.width
    across = min(max((cell_len(name) for name in columns), default=0), max(width // 2 - 4, 1))
    blocks = []
    for row in grid.rows:
        blocks += [Text(""), _lines(Text.assemble(row[0]), width, 0)]
        for name, cell in zip(columns, row[1:], strict=True):
            if str(cell):
                text = Text.assemble(f"  {name:<{across}}  ", cell)
                blocks.append(_lines(text, width, across + 4))
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
