"""Tables in Markdown, so that what is printed can stand in the docs as it is."""

from collections.abc import Sequence


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to the same width; the first is text, the others are figures."""
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [_line(head, widths), _line(rule, widths), *(_line(row, widths) for row in rows)]
    return "\n".join(lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.rjust(width) if place else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return f"| {' | '.join([first, *others])} |"


def share(count: int, of: int) -> str:
    """ "95 %"; a dash of nothing."""
    return f"{100 * count / of:.0f} %" if of else "—"


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n{title}\n\n{markdown(head, rows)}", flush=True)
