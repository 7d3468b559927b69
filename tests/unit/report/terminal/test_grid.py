"""Tables and sentences at any width: nothing that one must read or type is cut."""

import io

import pytest

from benchsuite.core.answer import Table
from benchsuite.management.output import Screen

GRID = Table(
    headings=("server", "goodput", "p50", "p95", "verdict", "usable"),
    rows=[
        [*("gunicorn-gthread", "1\u2009204 /s", "1.20 ms", "4.00 ms", "● valid"), "yes"],
        [
            *("circus-chaussette-meinheld", "9.00 /s", "—", "—", "○ invalid"),
            "no: it is not installed here, and nobody knows whether it ever will be\n"
            "pip install 'django-benchsuite[meinheld]'",
        ],
    ],
    figures=("goodput", "p50", "p95"),
    spare=("p50", "p95"),
)


def printed(width, *, terminal=True, grid=GRID):
    out = io.StringIO()
    options = {} if width is None else {"width": width}
    Screen(file=out, force_terminal=terminal, color_system=None, **options).table(grid)
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


def test_lines_stay_within_the_width_but_for_what_is_to_be_copied():
    for width in (40, 80):
        long = [line for line in printed(width).splitlines() if len(line) > width]
        assert all("pip install" in line for line in long)


def test_values(golden):
    golden.values()
