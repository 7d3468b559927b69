"""The options of `comparebench`."""

import argparse

from benchsuite.comparing.margins import DEFAULT
from benchsuite.core.metrics.every import compared
from benchsuite.management.options.parsing import APPENDED, FLAG, REPEATED


def add_to(parser: argparse.ArgumentParser) -> None:
    """Adds every option of `comparebench`."""
    add = parser.add_argument
    add(
        "names",
        nargs="*",
        metavar="NAME",
        help="label, server, or how the id of a run or batch begins; without any, the newest batch",
    )
    add(
        "--baseline",
        metavar="NAME",
        help="what the others are divided by: a name, or a server among the runs named "
        "(default: the first)",
    )
    add(
        "--metric",
        **APPENDED,
        metavar="NAME[,NAME…]",
        help=f"figures to compare: {', '.join(compared())} (default: {', '.join(DEFAULT)})",
    )
    add(
        "--margin",
        **REPEATED,
        metavar="[FIGURE=]PERCENT",
        help='which difference is too small to matter: "2%%" of every ratio, "p95=5%%" of one '
        'figure; can be repeated (default: BENCHSUITE["MARGINS_PERCENT"], else 1%%, and 0.1 '
        "points of failures and losses)",
    )
    add("--force", **FLAG, help="compare unlike things (work, load, data, environment), and say so")
    add(
        "--fail-if",
        **REPEATED,
        metavar="CONDITION",
        help='a limit such as "p95 > +10%%" or "goodput < -5%%", in percent of the baseline '
        "(failures: percentage points); can be repeated. Ends with status 0 when all are held, "
        "1 when one is broken, 3 when one is undecided",
    )
    add("--json", metavar="FILE", help='write everything as JSON ("-" for standard output)')
    add("--junit", metavar="FILE", help="write the conditions as JUnit XML")
    add(
        "--markdown",
        metavar="FILE",
        help="write a summary in Markdown, also to $GITHUB_STEP_SUMMARY where that is set",
    )
