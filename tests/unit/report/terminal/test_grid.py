"""Tables and sentences at any width: nothing that one must read or type is cut."""

import io

import pytest
from rich.text import Text

from benchsuite.management.output import SafeConsole
from benchsuite.report.terminal.grid import Grid, wrapped

ADDRESS = "http://127.0.0.1:8000/results/compare/?batch=0123456789abcdef0123456789abcdef"

GRID = Grid(
    headings=("server", "goodput", "p50", "p95", "verdict", "usable"),
    rows=[
        [
            "gunicorn-gthread",
            "1\u2009204 /s",
            "1.20 ms",
            "4.00 ms",
            Text("● valid", "green"),
            "yes",
        ],
        [
            *("circus-chaussette-meinheld", "9.00 /s", "—", "—", Text("○ invalid", "red")),
            "no: it is not installed here, and nobody knows whether it ever will be\n"
            "pip install 'django-benchsuite[meinheld]'",
        ],
    ],
    words=("verdict",),
    prose=("usable",),
    spare=("p50", "p95"),
)


def printed(width, *, terminal=True, grid=GRID):
    out = io.StringIO()
    options = {} if width is None else {"width": width}
    SafeConsole(file=out, force_terminal=terminal, color_system=None, **options).table(grid)
    return out.getvalue()


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 120, 200])
def test_no_width_cuts_anything(width):
    shown = printed(width)
    words = " ".join(shown.split())
    kept = {name for name in GRID.headings if name not in words.partition("Left out")[2]}
    for row in GRID.rows:
        for name, cell in zip(GRID.headings, row, strict=True):
            first, *commands = str(cell).split("\n")
            if name in kept and name != "usable":
                assert first in shown, f"{cell!r} at {width}"
            assert all(command in shown for command in commands)
    assert "…" not in shown


def test_columns_go_in_the_stated_order_and_are_named():
    assert "Left out" not in printed(130)
    assert "Left out at this width: p50." in printed(112)
    assert "Left out at this width: p50, p95." in printed(100)
    assert "p50" in printed(40), "as blocks, there is room for all"


def test_lines_stay_within_the_width_but_for_what_is_to_be_copied():
    for width in (40, 80):
        long = [line for line in printed(width).splitlines() if len(line) > width]
        assert all("pip install" in line for line in long)


def test_a_file_gets_all_columns_and_no_padding():
    shown = printed(None, terminal=False)
    assert all(line == line.rstrip() for line in shown.splitlines())
    assert "Left out" not in shown
    assert "nobody knows whether it ever will be" in shown


def test_sentences_break_between_words_only():
    text = f"Answered most: 1\u2009204 /s, half within 2.00\u2009ms. Look: {ADDRESS}"
    lines = wrapped(text, 40)
    assert ADDRESS in lines
    assert " ".join(lines) == text
    assert all(len(line) <= 40 for line in lines if line != ADDRESS)
    assert wrapped("a b", 0) == ["a b"]
    assert wrapped("", 40) == [""]


def test_what_is_indented_stays_so():
    assert wrapped("    one two three four five", 20) == ["    one two three", "    four five"]
    assert wrapped("one two three four", 20, first=14) == ["one", "two three four"]
