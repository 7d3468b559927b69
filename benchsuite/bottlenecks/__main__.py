"""Prints the table of all rules, as docs/bottlenecks.md has it."""

import sys

from benchsuite.bottlenecks.registry import RULES

HEADINGS = ("code", "speaks when")

if __name__ == "__main__":
    rows = [(rule.code, rule.when) for _, rule in sorted(RULES.items())]
    for cells in (HEADINGS, ["---"] * len(HEADINGS), *rows):
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
