"""Compares stored runs: by how much they differ, whether it can be chance, and whether that is
still within given limits.
"""

import argparse
from typing import Any

from django.core.management.base import CommandError

from benchsuite.comparing.contrasts import DEFAULT
from benchsuite.comparing.gate import Decision, overall
from benchsuite.core.metrics.every import compared
from benchsuite.management import comparing
from benchsuite.management.options.parsing import BriefCommand

STATUS = {Decision.BROKEN: 1, Decision.UNDECIDED: 3}
USAGE = 2


class Command(BriefCommand):
    help = __doc__
    examples = ("", "gunicorn-gthread uvicorn", 'before after --fail-if="p95 > +10%"')
    refused_status = failed_status = USAGE  # 1 would say that a condition is broken

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "names",
            nargs="*",
            metavar="NAME",
            help="label, server, or how the id of a run or batch begins; without any, the newest "
            "batch",
        )
        add(
            "--baseline",
            metavar="NAME",
            help="what the others are divided by: a name, or a server among the runs named "
            "(default: the first; within a batch a star, else the nearest behind the best)",
        )
        add(
            "--metric",
            action="append",
            metavar="NAME[,NAME…]",
            help=f"figures to compare: {', '.join(compared())} (default: {', '.join(DEFAULT)})",
        )
        add(
            "--margin",
            action="append",
            default=[],
            metavar="[FIGURE=]PERCENT",
            help='which difference is too small to matter: "2%%" of every ratio, "p95=5%%" of one '
            'figure; can be repeated (default: BENCHSUITE["MARGINS_PERCENT"], else 1%%, and 0.1 '
            "points of failures and losses)",
        )
        add(
            "--force",
            action="store_true",
            help="compare unlike things (work, load, data, environment), and say so",
        )
        add(
            "--fail-if",
            action="append",
            default=[],
            metavar="CONDITION",
            help='a limit such as "p95 > +10%%" or "goodput < -5%%", in percent of the baseline '
            "(failures: percentage points); can be repeated. Ends with status 0 when all are held, "
            "1 when one is broken, 3 when one is undecided",
        )
        add("--json", metavar="FILE", help='write everything as JSON ("-" for standard output)')
        add("--html", metavar="FILE", help="write the page as one file that opens offline")
        add("--junit", metavar="FILE", help="write the conditions as JUnit XML")
        add(
            "--markdown",
            metavar="FILE",
            help="write a summary in Markdown, also to $GITHUB_STEP_SUMMARY where that is set",
        )

    def handle(self, **options: Any) -> None:
        comparison = comparing.compared(options)
        comparing.show(comparison, quiet_stdout=options["json"] == "-")
        comparing.write(comparison, options)
        decision = overall(comparison.judgements)
        if decision in STATUS:
            count = sum(one.decision is decision for one in comparison.judgements)
            raise CommandError(
                f"{count} of {len(comparison.judgements)} conditions {decision.value}.",
                returncode=STATUS[decision],
            )
