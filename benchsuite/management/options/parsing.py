"""How the commands read their options: nonsense gets a sentence that names the option."""

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import Any, Never, TextIO, cast

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    DjangoHelpFormatter,
    OutputWrapper,
)
from django.db import Error

from benchsuite import conf, store
from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError, meant
from benchsuite.core.plain import LARGEST
from benchsuite.core.printable import hidden, is_control, printable
from benchsuite.core.specs import Option
from benchsuite.core.units import parse_seconds
from benchsuite.management.streams import (
    Outlasting,
    fitted,
    occupy_closed,
    outlasted,
    plainer_where_needed,
)
from benchsuite.system.interrupts import terminable

USAGE = "%(prog)s [options]"


def number(text: str) -> float:
    """For `type=`: a number, with or without a decimal point, that one can count with."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(
            f"{short(text)!r} is not a number; write one such as 50 or 2.5."
        )
    return value


def whole_number(text: str) -> int:
    """For `type=`: a number without a decimal point."""
    try:
        value = int(text)
        if abs(value) >= LARGEST:
            raise ValueError
        return value
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{short(text)!r} is not a whole number; write one such as 20."
        ) from None


def checked(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """For `type=`: what `parse` makes of the text; it raises UsageError."""

    def check(text: str) -> Any:
        try:
            return parse(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return check


time = checked(parse_seconds)  #: For `type=`: "10", "500ms", "2m".


def several(parse: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    """For `type=`: what `parse` makes of each part of "1,2,4"."""
    return lambda text: [parse(part.strip()) for part in text.split(",")]


def names(flag: str, given: Sequence[str] | None) -> list[str]:
    """What was given as "a,b" or by repeating, each once; empty where nothing was given.

    Raises UsageError for a name that is empty.
    """
    all_names = [name.strip() for part in given or () for name in part.split(",")]
    if not all(all_names):
        raise UsageError(
            f"{flag} has a name that is empty: {short(', '.join(given or ()))!r}; write names "
            "with one comma between them."
        )
    return list(dict.fromkeys(all_names))


def pairs(flag: str, given: Sequence[str]) -> dict[str, Option]:
    """What was given as NAME=VALUE; raises UsageError for anything else."""
    by_name: dict[str, Option] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals or not value:
            raise UsageError(f"{flag} {text!r} is not of the form name=value.")
        if name.strip() in by_name:
            raise UsageError(f"{flag} sets {name.strip()} twice; leave one of them out.")
        by_name[name.strip()] = value
    return by_name


class HelpAll(argparse.Action):
    """Shows every option, where --help shows those that people need most."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> Never:
        assert isinstance(parser, Parser)
        sys.stdout.write(parser.format_help_all())
        parser.exit()


class Parser(CommandParser):
    """Refuses what argparse would pass over, take for the default, or choke on."""

    first: Sequence[str] = ()  #: Options that --help shows; empty for all but Django's own.
    examples: Sequence[str] = ()

    def format_help(self) -> str:
        """The first options, with examples."""
        words = {action: action.help for action in self._actions}
        for action in self._actions:
            if action.option_strings and not self._is_first(action):
                action.help = argparse.SUPPRESS
        try:
            text = super().format_help()
        finally:
            for action, help_text in words.items():
                action.help = help_text
        lines = "".join(
            f"  python {self.prog} {example}".rstrip() + "\n" for example in self.examples
        )
        return f"{text}\nexamples:\n{lines}"

    def _is_first(self, action: argparse.Action) -> bool:
        if self.first:
            return not _long(action).isdisjoint({"help", "help-all", *self.first})
        return DjangoHelpFormatter.show_last.isdisjoint(action.option_strings)

    def format_help_all(self) -> str:
        return super().format_help()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        words = sys.argv[1:] if args is None else list(args)
        self._refuse_illegible(words)
        self._refuse_empty(words)
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> Never:  # type: ignore[misc]  # the stubs let it return
        """Argparse's own message, wrapped on a terminal, with the word that may have been meant."""
        words = hidden(f"{message}{self._meant(message)}")
        if self.called_from_command_line:
            words = fitted(words, sys.stderr, first=len(f"{self.prog}: error: "))
        super().error(words)

    def _meant(self, message: str) -> str:
        """Of an option that is not known, or a value that is no choice."""
        if option := re.match(r"unrecognized arguments: (--[\w-]+)", message):
            near = meant(option[1], self._option_string_actions)
        elif value := re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message):
            near = meant(value[1], [one.strip(" '") for one in value[2].split(",")])
        else:
            return ""
        return f"; did you mean {near}?" if near else ""

    def _refuse_illegible(self, words: Sequence[str]) -> None:
        for name, value in _with_names(words):
            if any(is_control(sign) and sign != "\t" for sign in value):
                shown = short(value).encode("ascii", "backslashreplace").decode()
                self.error(f"{name}: {shown!r} can't be read; write it without control characters.")

    def _refuse_empty(self, words: Sequence[str]) -> None:
        for name, value in _with_names(words):
            if not value.strip() or value == "--":
                self.error(f"{name}: {value!r} says nothing; give a value, or leave it out.")


class Wrapping(OutputWrapper):
    """A stream to which sentences are written: wrapped between words where its width is known."""

    def write(  # type: ignore[override]  # as Django's own does
        self, msg: str = "", *args: Any, **options: Any
    ) -> None:
        super().write(fitted(msg, cast(TextIO, self)), *args, **options)


class BriefCommand(BaseCommand):
    """A command whose message stands out: what it can't read is not buried under all its options,
    which --help lists, Ctrl-C, SIGTERM and SIGHUP are no traceback at any moment, nor is what a
    database refuses or a wrong setting, no message holds a password, and all can be printed.
    """

    usage = USAGE
    first: Sequence[str] = ()  #: Options that --help shows; empty for all but Django's own.
    examples: Sequence[str] = ()  #: Options of a command line each.

    database = ""  #: Alias of the database that the command asks; empty for the one of the runs.

    refused_status = 1  #: With which it ends where the database refuses.
    failed_status = 1  #: With which it ends where something else fails that it needs.

    def __init__(
        self,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        no_color: bool = False,  # noqa: FBT001, FBT002 - as Django has it
        force_color: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        out, err = (
            given or cast(TextIO, Outlasting(stream or StringIO()))
            for given, stream in ((stdout, sys.stdout), (stderr, sys.stderr))
        )
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        super().__init__(out, err, no_color or (bool(plain) and not force_color), force_color)
        style = self.stderr.style_func
        self.stdout, self.stderr = Wrapping(out), Wrapping(err)
        self.stderr.style_func = style

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: object) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, usage=self.usage, **kwargs)
        parser.__class__ = Parser  # Django names the class of its own
        vars(parser).update(first=self.first, examples=self.examples)
        parser.add_argument("--help-all", action=HelpAll, nargs=0, help="show all options")
        return parser

    def run_from_argv(self, argv: list[str]) -> None:
        occupy_closed()
        try:
            with terminable(), plainer_where_needed(), outlasted():
                super().run_from_argv(argv)
        except KeyboardInterrupt:  # outside of execute(): while words are read or errors printed
            self.stderr.write("Interrupted.")
            sys.exit(130)

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return self._execute(*args, **options)
        except CommandError as error:
            raise CommandError(
                printable(hidden(str(error))), returncode=error.returncode
            ) from error
        except KeyboardInterrupt as interrupt:
            raise CommandError("Interrupted.", returncode=130) from interrupt

    def _execute(self, *args: Any, **options: Any) -> str | None:
        try:
            conf.check()  # whether or not Django is told to skip its checks
            return super().execute(*args, **options)
        except (UsageError, UnavailableError) as error:
            raise CommandError(str(error), returncode=2) from error
        except BenchsuiteError as error:
            raise CommandError(str(error), returncode=self.failed_status) from error
        except (Error, ImproperlyConfigured) as error:
            words = store.refusal(error, self.database)
            raise CommandError(words, returncode=self.refused_status) from error


def _long(action: argparse.Action) -> set[str]:
    return {name.removeprefix("--") for name in action.option_strings}


def _with_names(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each value among the words of a command, with "argument" and its option as far as it is seen.

    A lone "--" ends the options.
    """
    name = "arguments"
    for word in words:
        value = word
        if word.startswith("--") and word != "--":
            option, equals, value = word.partition("=")
            name = f"argument {option}"
            if not equals:
                continue
        elif word == "--":
            continue
        yield name, value


def short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"
