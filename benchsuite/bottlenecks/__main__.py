"""Prints the table of all rules, as docs/bottlenecks.md has it."""

import sys

import benchsuite.bottlenecks  # noqa: F401 - declares them
from benchsuite.bottlenecks.registry import HEADINGS, rows

if __name__ == "__main__":
    for cells in (HEADINGS, ["---"] * len(HEADINGS), *rows()):
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
