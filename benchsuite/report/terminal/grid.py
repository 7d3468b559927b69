"""Tables and sentences of the terminal: what is wrapped, and what is left out if it is narrow."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

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
    return [
        part.replace(FILLER, "")
        for number, line in enumerate(lines)
        for part in _broken(line[0 if number else taken :], width - (0 if number else taken))
    ]


def _broken(line: str, width: int) -> list[str]:
    """A line of one word that is too long, in pieces, unless it is to be copied."""
    word = line.strip()
    if len(line) <= width or " " in word or COPIED.search(word):
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    step = max(1, width - len(indent))
    return [indent + word[place : place + step] for place in range(0, len(word), step)]


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
    sections: Sequence[int] = ()  #: Places of rows after which there is a gap.

    def without(self, names: Sequence[str]) -> "Grid":
        kept = [place for place, name in enumerate(self.headings) if name not in names]
        return Grid(
            headings=[self.headings[place] for place in kept],
            rows=[[row[place] for place in kept] for row in self.rows],
            words=self.words,
            prose=self.prose,
            sections=self.sections,
        )

    def written(self, write: Callable[[str], str]) -> "Grid":
        """With each of its texts so written."""
        return replace(
            self,
            headings=[write(name) for name in self.headings],
            rows=[
                [Text(write(str(one)), getattr(one, "style", "")) for one in row]
                for row in self.rows
            ],
            words=[write(name) for name in self.words],
            prose=[write(name) for name in self.prose],
            spare=[write(name) for name in self.spare],
        )


def spare(figures: Iterable[Metric], **others: int) -> list[str]:
    """Headings of figures, and others, that may be left out, the first of them first."""
    at = {one.heading: one.spare for one in figures if one.spare} | others
    return sorted(at, key=lambda heading: at[heading])


def show(grid: Grid, console: Console) -> None:
    """Prints the grid as wide as the console allows; as one block a row where even what can't be
    left out does not fit.
    """
    spare = [name for name in grid.spare if name in grid.headings]
    for count in range(len(spare) + 1):
        rest = grid.without(spare[:count])
        if _least_width(rest) <= console.width:
            console.print(_table(rest, PLAIN if console.options.ascii_only else box.SIMPLE_HEAD))
            if count:
                for part in wrapped(
                    f"Left out at this width: {', '.join(spare[:count])}.", console.width
                ):
                    console.print(part, markup=False, soft_wrap=True)
            return
    for line in (*blocks(grid, console.width), Text("")):
        console.print(line, markup=False, soft_wrap=True)


def blocks(grid: Grid, width: int) -> Iterator[Text]:
    """Each row as lines: what its first column says, and one line for each other that is not
    empty.
    """
    columns = grid.headings[1:]
    across = min(max((cell_len(name) for name in columns), default=0), max(width // 2 - 4, 1))
    for row in grid.rows:
        yield Text("")
        yield _lines(Text.assemble(row[0]), width, 0)
        for name, cell in zip(columns, row[1:], strict=True):
            if str(cell):
                yield _lines(Text.assemble(f"  {name:<{across}}  ", cell), width, across + 4)


def _lines(text: Text, width: int, indent: int) -> Text:
    """Wrapped at words, without its style, where it does not fit; what is to be copied stays."""
    if "\n" not in text.plain and text.cell_len <= width:
        return text
    first, *further = text.plain.split("\n")
    margin = " " * indent
    return Text(
        "\n".join([*wrapped(first, width, indent=indent), *(margin + one for one in further)])
    )


def _table(grid: Grid, lines: box.Box) -> Table:
    table = Table(box=lines, pad_edge=False)
    for place, name in enumerate(grid.headings):
        prose = name in grid.prose
        texts = [str(row[place]) for row in grid.rows]
        table.add_column(
            Text(name),
            justify="left" if not place or prose or name in grid.words else "right",
            no_wrap=not prose,
            overflow="fold",
            min_width=_narrowest(texts) if prose else None,
        )
    for place, row in enumerate(grid.rows):
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
        if place in grid.sections:
            table.add_section()
    return table


def _narrowest(texts: Iterable[str]) -> int:
    """Lines after the first are to be copied: they stay whole."""
    least = 1
    for text in texts:
        first, *further = text.split("\n")
        least = max(least, min(PROSE_WIDTH, cell_len(first)), *map(cell_len, further))
    return least


def _least_width(grid: Grid) -> int:
    """Columns of a terminal that the table needs, with what stands between its own."""
    least = BESIDE
    for place, name in enumerate(grid.headings):
        texts = [str(row[place]) for row in grid.rows]
        narrow = [_narrowest(texts)] if name in grid.prose else [cell_len(text) for text in texts]
        least += max(cell_len(name), *narrow, 0) + BETWEEN
    return least - BETWEEN
