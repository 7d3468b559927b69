"""How the commands read their options: nonsense gets a sentence that names the option."""

import argparse
import os
import sys
from collections.abc import Sequence
from io import StringIO
from typing import Any, Never, TextIO, cast

from django.core.exceptions import ImproperlyConfigured
from django.core.management import base
from django.core.management.base import CommandError, SystemCheckError
from django.db import Error

from benchsuite import conf, store
from benchsuite.core.commands import PROGRAM_VARIABLE, as_called, with_guess
from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError
from benchsuite.core.printable import hidden, is_control, printable
from benchsuite.core.specs.spec import Entry
from benchsuite.core.units import short
from benchsuite.management import streams
from benchsuite.management.options.place import with_places
from benchsuite.management.options.table import add_to
from benchsuite.runner import preflight
from benchsuite.system.interrupts import terminable


class HelpAll(argparse.Action):
    """Shows every option, where --help shows those that people need most."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> Never:
        assert isinstance(parser, Parser)
        sys.stdout.write(parser.format_help_all())
        parser.exit()


class Parser(base.CommandParser):
    """Refuses what argparse would pass over, take for the default, or choke on."""

    first: Sequence[str] = ()  #: Options that --help shows; empty for all but Django's own.
    examples: Sequence[str] = ()

    def format_help(self) -> str:
        words = {action: action.help for action in self._actions}
        for action in self._actions:
            names = {name.removeprefix("--") for name in action.option_strings}
            hides = not base.DjangoHelpFormatter.show_last.isdisjoint(action.option_strings)
            if self.first:
                hides = names.isdisjoint({"help", "help-all", *self.first})
            if names and hides:
                action.help = argparse.SUPPRESS
        try:
            text = super().format_help()
        finally:
            for action, help_text in words.items():
                action.help = help_text
        start = "python " * self.prog.startswith("manage.py")
        lines = [f"  {start}{self.prog} {example}".rstrip() + "\n" for example in self.examples]
        return as_called(f"{text}\nexamples:\n{''.join(lines)}")

    def format_help_all(self) -> str:
        return as_called(super().format_help())

    def _get_values(self, action: argparse.Action, words: list[str]) -> Any:
        try:
            for word in words:
                if any(is_control(sign) and sign != "\t" for sign in word):
                    shown = short(word).encode("ascii", "backslashreplace").decode()
                    raise UsageError(f"{shown!r} has control characters; write it without.")
                if not word.strip() or (word == "--" and action.option_strings):
                    raise UsageError(f"{word!r} says nothing; give a value, or leave it out.")
            return super()._get_values(action, words)
        except UsageError as error:
            raise argparse.ArgumentError(action, str(error)) from error

    def error(self, message: str) -> Never:  # type: ignore[misc]  # the stubs let it return
        words = printable(hidden(with_guess(message, self._option_string_actions)))
        if self.called_from_command_line:
            words = streams.fitted(words, sys.stderr, first=len(f"{self.prog}: error: "))
        super().error(words)


class Wrapping(base.OutputWrapper):
    """A stream to which sentences are written: wrapped between words where its width is known."""

    def write(  # type: ignore[override]  # as Django's own does
        self, msg: str = "", *args: Any, **options: Any
    ) -> None:
        super().write(streams.fitted(msg, cast(TextIO, self)), *args, **options)


class BriefCommand(base.BaseCommand):
    """A command whose message stands out: what it can't read is not buried under all its options,
    which --help lists, Ctrl-C, SIGTERM and SIGHUP are no traceback at any moment, nor is what a
    database refuses or a wrong setting, no message holds a password, and all can be printed.

    UsageError and UnavailableError end it with status 2.
    """

    usage = "%(prog)s [options]"
    entries: Sequence[Entry] = ()  #: Its options.
    first: Sequence[str] = ()  #: Options that --help shows; empty for all but Django's own.
    examples: Sequence[str] = ()  #: Options of a command line each.
    failed_status = 1  #: With which it ends where something fails that it needs.
    words: Sequence[str] = ()  #: As they were typed.

    def __init__(
        self, stdout: TextIO | None = None, stderr: TextIO | None = None, **colours: bool
    ) -> None:
        out, err = (
            given or cast(TextIO, streams.Outlasting(stream or StringIO()))
            for given, stream in ((stdout, sys.stdout), (stderr, sys.stderr))
        )
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        if plain and not colours.get("force_color"):
            colours["no_color"] = True
        super().__init__(out, err, **colours)
        style = self.stderr.style_func
        self.stdout, self.stderr = Wrapping(out), Wrapping(err)
        self.stderr.style_func = style

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: object) -> Parser:
        how = {"usage": self.usage, "allow_abbrev": False, **kwargs}
        parser = super().create_parser(prog_name, subcommand, **how)
        parser.__class__ = Parser  # Django names the class of its own
        assert isinstance(parser, Parser)
        parser.first, parser.examples = self.first, self.examples
        if program := os.environ.get(PROGRAM_VARIABLE):  # of which Django takes the last folder
            parser.prog = f"{program} {subcommand}"
        parser.add_argument("--help-all", action=HelpAll, nargs=0, help="show all options")
        return parser

    def add_arguments(self, parser: base.CommandParser) -> None:
        add_to(parser, self.entries)

    def run_from_argv(self, argv: list[str]) -> None:
        self.words = argv[2:]
        streams.occupy_closed()
        streams.plainer_where_needed()
        try:
            with terminable(), streams.outlasted():
                super().run_from_argv(argv)
        except KeyboardInterrupt:  # outside of execute(): while words are read or errors printed
            self.stderr.write("Interrupted.")
            sys.exit(130)

    def execute(self, *args: Any, **options: Any) -> str | None:
        cause: BaseException
        try:
            conf.check()  # whether or not Django is told to skip its checks
            for name in ("json", "html", "junit"):
                streams.check(f"--{name}", options.get(name))
            options = with_places(options)
            loaded = preflight.YES_LOAD.set(options.get("yes_load") or ())
            try:
                return super().execute(*args, **options)
            finally:
                preflight.YES_LOAD.reset(loaded)
        except KeyboardInterrupt as error:
            words, status, cause = "Interrupted.", 130, error
        except (UsageError, UnavailableError) as error:
            words, status, cause = str(error), 2, error
        except (BenchsuiteError, SystemCheckError) as error:
            words, status, cause = str(error), self.failed_status, error
        except CommandError as error:
            words, status, cause = str(error), error.returncode, error
        except (Error, ImproperlyConfigured) as error:
            words, status, cause = store.refusal(error), self.failed_status, error
        raise CommandError(printable(hidden(words)), returncode=status) from cause
