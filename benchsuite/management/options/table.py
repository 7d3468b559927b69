"""From the table of options to argparse, and from what it read to values and runs."""

import argparse
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, TypeVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.core.specs.spec import Entry, Spec, changed, table
from benchsuite.core.units import listed
from benchsuite.management.options.parsing import (
    checked,
    names,
    number,
    pairs,
    several,
    time,
    whole_number,
)
from benchsuite.studies.options import Takes

Entries = Sequence[Entry]
AnySpec = TypeVar("AnySpec", bound=Spec)

READ: Mapping[Any, Callable[[str], Any]] = {int: whole_number, float: number, str: str}


def add_to(parser: argparse.ArgumentParser, entries: Entries) -> None:
    """Adds these options under their headings; each is None where it is not given."""
    groups: dict[str, Any] = {}
    for entry in entries:
        if entry.group not in groups:
            groups[entry.group] = parser.add_argument_group(entry.group) if entry.group else parser
        words = help_of(entry).replace("%", "%%")
        groups[entry.group].add_argument(f"--{entry.name}", help=words, **_how(entry))


def _how(entry: Entry) -> dict[str, Any]:
    """What the option takes, as `add_argument()` is told."""
    if entry.kind is bool:
        return {
            "action": argparse.BooleanOptionalAction if both(entry) else "store_true",
            "default": None,
        }
    if entry.metavar.startswith("[") and entry.metavar.endswith("]"):
        return {"nargs": "?", "const": "", "metavar": entry.metavar[1:-1]}
    if entry.flag.parse:
        return {"type": checked(entry.flag.parse), "metavar": entry.metavar}
    if repeats(entry):
        return {"action": "append", "metavar": entry.metavar}
    parse = time if entry.metavar.startswith("TIME") else READ[entry.kind]
    return {"type": several(parse) if entry.commas else parse, "metavar": entry.metavar}


def both(entry: Entry) -> bool:
    """Whether there is an option for each of true and false."""
    return entry.kind is bool and (entry.default is True or entry.flag.opposite)


def repeats(entry: Entry) -> bool:
    """Whether it may be given several times."""
    if entry.flag.parse:
        return False
    return entry.is_list or entry.is_pairs or (entry.is_axis and entry.kind is str)


def help_of(entry: Entry) -> str:
    """What --help and the docs say, with what it is by default and whether it makes an axis."""
    default = entry.flag.unless
    if not default and isinstance(entry.default, int | float | str) and entry.kind is not bool:
        unit = " s" * entry.metavar.startswith("TIME")
        default = f"{entry.default:g}{unit}" if entry.kind is float else str(entry.default)
    words = f"{entry.flag.help} (default: {default})" if default else entry.flag.help
    if entry.is_axis:
        return f"{words}; several make an axis"
    return f"{words}; several by {'comma or ' * entry.commas}repeating" if repeats(entry) else words


def markdown(entries: Entries) -> str:
    """The table in the docs: under each heading its options."""
    groups: dict[str, list[str]] = {}
    for entry in entries:
        names = f"`--{entry.flag.flag[2:]}`".replace("|", "\\|") + f", `--no-{entry.name}`" * both(
            entry
        )
        words = help_of(entry).replace("|", "\\|")
        groups.setdefault(entry.group, []).append(f"| {names} | {words} |\n")
    return "\n".join(
        f"## {group}\n\n| option | what it says |\n|---|---|\n{''.join(rows)}"
        for group, rows in groups.items()
    )


def takes(entry: Entry) -> Takes:
    """What a study gives it."""
    if entry.kind is bool:
        return Takes.FLAG
    if repeats(entry):
        return Takes.PAIRS if entry.metavar == "NAME=VALUE" else Takes.SEVERAL
    return Takes.VALUE


def given(options: Mapping[str, Any], entries: Entries) -> dict[str, Any]:
    """What was given of these options, by the places of their fields: of an axis a list.

    Raises UsageError for names and pairs that can't be.
    """
    return {
        entry.path: _read(entry, options[entry.key])
        for entry in entries
        if options.get(entry.key) is not None
    }


def read(spec: type[AnySpec], options: Mapping[str, Any]) -> AnySpec:
    """The spec of these options; raises UsageError."""
    return spec(**given(options, table(spec)))


def _read(entry: Entry, value: Any) -> Any:
    if entry.is_pairs:
        return pairs(f"--{entry.name}", value)
    if repeats(entry):
        value = names(f"--{entry.name}", value) if entry.commas else value
        return tuple(value) if entry.is_list else value
    return value


def cells(values: Mapping[str, Any]) -> tuple[RunSpec, ...]:
    """The runs with these fields, by their places: every combination where one has a list of
    values, in the order of the table, the first outermost; each cell once.

    Raises UsageError for one that can't be, and names it where there are several.
    """
    axes = {
        entry: list(dict.fromkeys(values[entry.path]))
        for entry in table(RunSpec)
        if isinstance(values.get(entry.path), list)
    }
    fixed = {path: value for path, value in values.items() if not isinstance(value, list)}
    several_fronts = len(values.get("server.front", ())) > 1
    by_title: dict[str, RunSpec] = {}
    for combination in product(*axes.values()):
        mine = fixed | {entry.path: value for entry, value in zip(axes, combination, strict=True)}
        if several_fronts and not mine["server.front"]:
            mine |= {"server.instances": 1, "server.front_options": {}}
        try:
            cell = changed(RunSpec(server=ServerSpec(server="")), mine)
        except UsageError as error:
            varied = ", ".join(
                f"{entry.name.replace('-', ' ')} {value or 'none'}"
                for (entry, some), value in zip(axes.items(), combination, strict=True)
                if len(some) > 1
            )
            raise UsageError(f"{varied}: {error}" if varied else str(error)) from error
        by_title.setdefault(cell.key, cell)
    return tuple(by_title.values())


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
