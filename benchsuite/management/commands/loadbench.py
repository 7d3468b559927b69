"""Loads runs that were exported as JSON: on another machine, or while no database took them."""

import argparse
from typing import Any

from django.core.management.base import CommandError
from django.db import Error

from benchsuite import store
from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.management import loading
from benchsuite.management.options.parsing import BriefCommand


class Command(BriefCommand):
    help = __doc__
    usage = "%(prog)s FILE [FILE ...]"
    examples = ("runs.json", "monday.json tuesday.json.gz", "-")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help='what dumpbench or --json wrote, or "Export JSON" of the pages; may be gzipped; '
            "- is standard input",
        )

    def handle(self, **options: Any) -> None:
        try:
            for line in loading.load(options["files"]):
                self.stdout.write(line)
        except BenchsuiteError as error:
            raise CommandError(f"{error} Nothing was loaded.", returncode=1) from error
        except (Error, OverflowError) as error:
            words = f"Nothing was loaded. {store.refusal(error)}"
            raise CommandError(words, returncode=1) from error
