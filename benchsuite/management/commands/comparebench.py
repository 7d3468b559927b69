"""Compares stored runs: by how much they differ, whether it can be chance, and whether that is
still within given limits.
"""

import argparse
from typing import Any

from django.core.management.base import CommandError

from benchsuite.comparing.gate import Decision, overall
from benchsuite.management import comparing
from benchsuite.management.options import comparison as comparison_options
from benchsuite.management.options.parsing import BriefCommand

STATUS = {Decision.BROKEN: 1, Decision.UNDECIDED: 3}
USAGE = 2


class Command(BriefCommand):
    help = __doc__
    refused_status = failed_status = USAGE  # 1 would say that a condition is broken

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        comparison_options.add_to(parser)

    def handle(self, **options: Any) -> None:
        found = comparing.compared(options)
        comparing.show(found, quiet_stdout=options["json"] == "-")
        comparing.write(found, options)
        decision = overall(found.judgements)
        if decision in STATUS:
            count = sum(one.decision is decision for one in found.judgements)
            raise CommandError(
                f"{count} of {len(found.judgements)} conditions {decision.value}.",
                returncode=STATUS[decision],
            )
