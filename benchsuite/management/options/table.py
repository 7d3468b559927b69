"""From the table of options to argparse, and from what it read to values and runs."""

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import LARGEST
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.core.specs.spec import AnySpec, Entry, changed, table
from benchsuite.core.units import listed, parse_seconds, short
from benchsuite.studies.options import Known, Takes

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
    is_time = entry.metavar.startswith("TIME")
    parse = parse_seconds if is_time else partial(_number, entry.kind)
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
            pairs = entry.metavar == "NAME=VALUE"
            known[entry.name] = Takes.PAIRS if pairs else Takes.SEVERAL
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
    """The runs with these fields, by their places: every combination of those with a list, the
    first of the table outermost, and each once. Raises UsageError for one that can't be.
    """
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
