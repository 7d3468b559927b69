"""How the commands read their options: a word that is no number gets a sentence of its own."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchsuite.passwords import hidden
from benchsuite.printable import printable

USAGE = "%(prog)s [-h] [options]"


def number(text: str) -> float:
    """For `type=`: a number, with or without a decimal point."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number; write one such as 50 or 2.5."
        ) from None


def whole_number(text: str) -> int:
    """For `type=`: a number without a decimal point."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number; write one such as 20."
        ) from None


class BriefCommand(BaseCommand):
    """A command whose message stands out: what it can't read is not buried under all its options,
    which --help lists, Ctrl-C is no traceback at any moment, and no message holds a password.
    """

    usage = USAGE

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: object) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, usage=self.usage, **kwargs)
        refuse = parser.error
        parser.error = lambda message: refuse(hidden(message))  # type: ignore[method-assign]
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            raise CommandError(
                printable(hidden(str(error))), returncode=error.returncode
            ) from error
        except KeyboardInterrupt as interrupt:
            raise CommandError("Interrupted.", returncode=130) from interrupt
