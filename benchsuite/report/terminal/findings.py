"""All findings and their limits, for the terminal."""

from benchsuite.findings.registry import HEADINGS, rows
from benchsuite.report.terminal.grid import Grid


def findings_table() -> Grid:
    return Grid(headings=HEADINGS, rows=rows(), words=HEADINGS, prose=HEADINGS[1:])
