"""Prints the table of all findings, as docs/reading-results.md has it."""

import sys

from benchsuite.findings.registry import HEADINGS, rows

if __name__ == "__main__":
    for cells in (HEADINGS, ["---"] * len(HEADINGS), *rows()):
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
