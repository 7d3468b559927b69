"""All findings and their limits, for the terminal."""

from benchsuite.findings.registry import HEADINGS, rows
from benchsuite.report.terminal.grid import Grid


def findings_table() -> Grid:
    code, *prose = HEADINGS
    return Grid(headings=HEADINGS, rows=rows(), words=prose, prose=prose)
