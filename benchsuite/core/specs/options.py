"""Options of a server, a front or a workload: their values take the type of their defaults."""

import re
from collections.abc import Mapping

from benchsuite.core.exceptions import UsageError
from benchsuite.core.suggestions import meant

Option = str | int | float | bool

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}

BOOLEANS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


def chosen_options(
    owner: str, defaults: Mapping[str, Option], given: Mapping[str, Option]
) -> dict[str, Option]:
    """The defaults, replaced by given values, each converted to the type of its default.

    Raises UsageError for a name that `owner` lacks and for a value that can't be converted.
    """
    chosen = dict(defaults)
    for name, value in given.items():
        if name not in defaults:
            known = f"it has: {', '.join(sorted(defaults)) or 'none'}."
            near = meant(name, defaults)
            guess = f"did you mean {near}? I{known[1:]}" if near else known
            raise UsageError(f"{owner} has no option {name!r}; {guess}")
        chosen[name] = _converted(owner, name, value, defaults[name])
    return chosen


def refuse_below(owner: str, chosen: Mapping[str, Option], least: int, *names: str) -> None:
    """Raises UsageError when one of these options is below `least`."""
    for name in names:
        value = chosen[name]
        if isinstance(value, (int, float)) and value < least:
            raise UsageError(f"{owner}'s option {name} must be at least {least}, and is {value}.")


def refuse_unless_within(
    owner: str, chosen: Mapping[str, Option], name: str, least: float, most: float
) -> None:
    """Raises UsageError unless this option is from `least` to `most`."""
    if not least <= float(chosen[name]) <= most:
        raise UsageError(
            f"{owner}'s option {name} must be from {least:.10g} to {most:.10g}, and is "
            f"{chosen[name]}."
        )


def refuse_unless_one_of(owner: str, chosen: Mapping[str, Option], name: str, *words: str) -> None:
    """Raises UsageError unless this option is one of these words."""
    if chosen[name] not in words:
        raise UsageError(
            f"{owner}'s option {name} must be one of {', '.join(words)}, and is {chosen[name]!r}."
        )


def _converted(owner: str, name: str, value: Option, default: Option) -> Option:
    wanted = type(default)
    text = str(value).strip()
    if wanted is str:
        return str(value)
    if wanted is bool and text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    if wanted is int and re.fullmatch(r"-?\d[\d_]*", text):
        return int(text)
    if wanted is float and re.fullmatch(r"-?\d*\.?\d+", text):
        return float(text)
    raise UsageError(
        f"{owner}'s option {name} must be {_KINDS[wanted]} (default {default!r}), not {value!r}."
    )
