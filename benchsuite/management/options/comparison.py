"""The options of `comparebench`."""

import argparse

from benchsuite.comparing.margins import DEFAULT
from benchsuite.core.metrics.every import compared


def add_to(parser: argparse.ArgumentParser) -> None:
    """Adds every option of `comparebench`."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="label, server, or how the id of a run or batch begins; without any, the newest batch",
    )
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="what the others are divided by: a name, or a server among the runs named "
        "(default: the first)",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME[,NAME…]",
        help=f"figures to compare: {', '.join(compared())} (default: {', '.join(DEFAULT)})",
    )
    parser.add_argument(
        "--margin",
        action="append",
        default=[],
        metavar="[FIGURE=]PERCENT",
        help='which difference is too small to matter: "2%%" of every ratio, "p95=5%%" of one '
        'figure; can be repeated (default: BENCHSUITE["MARGINS_PERCENT"], else 1%%, and 0.1 '
        "points of failures and losses)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="compare unlike things (work, load, data, environment), and say so",
    )
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="CONDITION",
        help='a limit such as "p95 > +10%%" or "goodput < -5%%", in percent of the baseline '
        "(failures: percentage points); can be repeated. Ends with status 0 when all are held, "
        "1 when one is broken, 3 when one is undecided",
    )
    parser.add_argument(
        "--json", metavar="FILE", help='write everything as JSON ("-" for standard output)'
    )
    parser.add_argument("--junit", metavar="FILE", help="write the conditions as JUnit XML")
    parser.add_argument(
        "--markdown",
        metavar="FILE",
        help="write a summary in Markdown, also to $GITHUB_STEP_SUMMARY where that is set",
    )
