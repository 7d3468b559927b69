"""From options, by argparse, to values and runs; nonsense gets a sentence that names the option."""

import argparse
import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import StringIO
from itertools import product
from typing import Any, Never, TextIO, cast

from django.core.exceptions import ImproperlyConfigured
from django.core.management import base
from django.core.management.base import CommandError, SystemCheckError
from django.db import Error

from benchsuite import conf, store
from benchsuite.agent.messages import NOBODY
from benchsuite.core.commands import PROGRAM_VARIABLE, as_called, with_guess
from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError
from benchsuite.core.plain import LARGEST
from benchsuite.core.printable import hidden, is_control, printable
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.core.specs.spec import AnySpec, Entry, changed, table
from benchsuite.core.units import listed, parse_seconds, short
from benchsuite.management import output
from benchsuite.management.options.place import Place
from benchsuite.runner import preflight
from benchsuite.studies.options import Known, Takes
from benchsuite.system.interrupts import terminable

NUMBERS = {
    int: "a whole number; write one such as 20.",
    float: "a number; write one such as 50 or 2.5.",
}


def _number(kind: type[int] | type[float], text: str) -> float:
    with suppress(ValueError):
        value = kind(text)
        if abs(value) < LARGEST:  # not where it is none, or infinite
            return value
    raise UsageError(f"{short(text)!r} is not {NUMBERS[kind]}")


def add_to(parser: argparse.ArgumentParser, entries: Sequence[Entry]) -> None:
    """Adds these options under their headings; each is None where it is not given."""
    groups: dict[str, Any] = {}
    for entry in entries:
        if entry.group not in groups:
            groups[entry.group] = parser.add_argument_group(entry.group) if entry.group else parser
        words = help_of(entry).replace("%", "%%")
        name = entry.name if entry.is_word else f"--{entry.name}"
        groups[entry.group].add_argument(name, help=words, **_how(entry))


def _how(entry: Entry) -> dict[str, Any]:
    """What the option takes, as `add_argument()` is told."""
    if entry.is_word:
        needed, free = ("+", "*") if entry.is_list else (None, "?")
        return {"nargs": needed if entry.default is None else free, "metavar": entry.flag}
    if entry.kind is bool:
        action = argparse.BooleanOptionalAction if both(entry) else "store_true"
        return {"action": action, "default": None}
    if entry.metavar.startswith("[") and entry.metavar.endswith("]"):
        return {"nargs": "?", "const": "", "metavar": entry.metavar[1:-1]}
    action = "extend" if repeats(entry) else "store"
    return {"action": action, "type": partial(parsed_word, entry), "metavar": entry.metavar}


def parsed_word(entry: Entry, text: str) -> Any:
    """The value in a word of the command line, a list where there may be several; UsageError."""
    if entry.is_pairs:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals or not value:
            raise UsageError(f"{text!r} is not of the form name=value.")
        return [(name.strip(), value)]
    if entry.parse:
        return entry.parse(text)
    if entry.kind not in NUMBERS:
        several = entry.commas or repeats(entry)
        return (names(text) if entry.commas else [text]) if several else text
    parse = parse_seconds if entry.metavar.startswith("TIME") else partial(_number, entry.kind)
    return [parse(part.strip()) for part in text.split(",")] if entry.commas else parse(text)


def both(entry: Entry) -> bool:
    """Whether there is an option for each of true and false."""
    return entry.kind is bool and (entry.default is True or entry.opposite)


def repeats(entry: Entry) -> bool:
    of_text = entry.is_list or entry.is_pairs or (entry.is_axis and entry.kind is str)
    return of_text and not entry.parse and not entry.is_word


def help_of(entry: Entry) -> str:
    """What --help and the docs say, with what it is by default and whether it makes an axis."""
    default = entry.unless
    if not default and isinstance(entry.default, int | float | str) and entry.kind is not bool:
        unit = " s" * entry.metavar.startswith("TIME")
        default = f"{entry.default:g}{unit}" if entry.kind is float else str(entry.default)
    words = f"{entry.help} (default: {default})" if default else entry.help
    if entry.is_axis:
        return f"{words}; several make an axis"
    return f"{words}; several by {'comma or ' * entry.commas}repeating" if repeats(entry) else words


def takes(entries: Iterable[Entry]) -> Known:
    """What a study gives each of these, by its name without dashes."""
    known = {}
    for entry in entries:
        known[entry.name] = Takes.VALUE
        if entry.kind is bool:
            known[entry.name] = Takes.FLAG
        elif repeats(entry):
            known[entry.name] = Takes.PAIRS if entry.metavar == "NAME=VALUE" else Takes.SEVERAL
        if both(entry):
            known[f"no-{entry.name}"] = Takes.FLAG
    return known


def given(options: Mapping[str, Any], entries: Sequence[Entry]) -> dict[str, Any]:
    """What was given, by the places of fields, of an axis a list; raises UsageError."""
    values = {}
    for entry in entries:
        if (value := options.get(entry.key)) is None:
            continue
        if entry.is_pairs:
            set_names = [name for name, _ in value]
            if twice := [name for name in set_names if set_names.count(name) > 1]:
                raise UsageError(f"--{entry.name} sets {twice[0]} twice; leave one of them out.")
            value = dict(value)
        elif isinstance(value, list):
            value = list(dict.fromkeys(value)) if entry.commas else value
            value = tuple(value) if entry.is_list else value
        values[entry.path] = value
    return values


def names(text: str) -> list[str]:
    """Those in "a,b"; raises UsageError for an empty one."""
    parts = [name.strip() for name in text.split(",")]
    if not all(parts):
        raise UsageError(
            f"{short(text)!r} has an empty name; write names with one comma between them."
        )
    return parts


def read(spec: type[AnySpec], options: Mapping[str, Any]) -> AnySpec:
    """The spec of these options; raises UsageError."""
    return spec(**given(options, table(spec)))


def cells(values: Mapping[str, Any]) -> tuple[RunSpec, ...]:
    """Each combination of the fields with a list once, the first outermost; raises UsageError."""
    axes = {
        entry: values[entry.path]
        for entry in table(RunSpec)
        if isinstance(values.get(entry.path), list)
    }
    fixed = {path: value for path, value in values.items() if not isinstance(value, list)}
    several_fronts = len(values.get("server.front", ())) > 1
    made: list[RunSpec] = []
    for combination in product(*axes.values()):
        mine = fixed | {entry.path: value for entry, value in zip(axes, combination, strict=True)}
        if several_fronts and not mine["server.front"]:
            mine |= {"server.instances": 1, "server.front_options": {}}
        cell = changed(RunSpec(server=ServerSpec(server="")), mine)
        if cell not in made:
            made.append(cell)
    return tuple(made)


def refuse_beside(
    options: Mapping[str, Any], entries: Iterable[Entry], allowed: Collection[str], why: str
) -> None:
    """Raises UsageError for options beside one that does something with what is stored."""
    changing = [
        f"--{'no-' * (options[entry.key] is False)}{entry.name}"
        for entry in entries
        if entry.key not in allowed and options.get(entry.key) is not None
    ]
    if changing:
        out = f"leave {'it' if len(changing) == 1 else 'them'} out"
        raise UsageError(f"{why}, and {listed(changing)} would change it: {out}.")


def with_places(options: Mapping[str, Any]) -> dict[str, Any]:
    """With what BENCHSUITE['PLACE'] says of those that were not given."""
    places: Mapping[str, Any] = conf.config()["PLACE"]
    if goes_on(options) or options.get("agent", NOBODY) == NOBODY:
        return dict(options)
    from_settings = {
        entry.key: parsed_word(entry, str(places[entry.name]))
        for entry in (*table(RunSpec), *table(Place))
        if entry.name in places and entry.key in options and options[entry.key] is None
        if entry.name != "bind" or not options.get("target")  # where no server is started
    }
    return {**options, **from_settings}


def goes_on(options: Mapping[str, Any]) -> bool:
    """Whether something stored is gone on with, or shown, that says itself where it is made."""
    return any(options.get(name) is not None for name in ("again", "resume", "paste"))


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
        text = super().format_help()
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
            words = output.fitted(words, sys.stderr, first=len(f"{self.prog}: error: "))
        super().error(words)


class Wrapping(base.OutputWrapper):
    """A stream to which sentences are written: wrapped between words where its width is known."""

    def write(  # type: ignore[override]  # as Django's own does
        self, msg: str = "", *args: Any, **options: Any
    ) -> None:
        super().write(output.fitted(msg, cast(TextIO, self)), *args, **options)


class BriefCommand(base.BaseCommand):
    """A command whose message stands out: what it can't read is not buried under all its options,
    no signal, refusal of a database or wrong setting is a traceback, and no message holds a
    password. UsageError and UnavailableError end it with status 2.
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
            given or cast(TextIO, output.Outlasting(stream or StringIO()))
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
        output.plainer_where_needed()
        try:
            with terminable(), output.outlasted():
                super().run_from_argv(argv)
        except KeyboardInterrupt:  # outside of execute(): while words are read or errors printed
            self.stderr.write("Interrupted.")
            sys.exit(130)

    def execute(self, *args: Any, **options: Any) -> str | None:
        cause: BaseException
        try:
            conf.check()  # whether or not Django is told to skip its checks
            for name in ("json", "html", "junit"):
                output.check(f"--{name}", options.get(name))
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
