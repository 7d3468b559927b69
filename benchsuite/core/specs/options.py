"""Options of a server, a front or a workload: their values take the type of their defaults."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.plain import LARGEST

Option = str | int | float | bool

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}

NUMBERS: Mapping[type[Option], str] = {int: r"-?\d[\d_]*", float: r"-?\d*\.?\d+"}
"""How they are written."""

BOOLEANS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


@dataclass(frozen=True, slots=True)
class Within:
    """What a number may be."""

    least: float
    most: float = math.inf

    def __str__(self) -> str:
        if math.isinf(self.most):
            return f"at least {self.least:.10g}"
        return f"from {self.least:.10g} to {self.most:.10g}"


Limits = Mapping[str, Within | tuple[str, ...]]
"""Of options: between which numbers each must be, or one of which words."""


def chosen_options(
    owner: str,
    defaults: Mapping[str, Option],
    given: Mapping[str, Option],
    limits: Limits | None = None,
) -> dict[str, Option]:
    """The defaults, replaced by given values as their types; UsageError for wrong ones."""
    chosen = dict(defaults)
    for name, value in given.items():
        if name not in defaults:
            raise UsageError(f"{owner} has no option {name!r}; {choices(name, sorted(defaults))}")
        default, wanted, text = defaults[name], type(defaults[name]), str(value).strip()
        if wanted is str:
            chosen[name] = str(value)
        elif wanted is bool and text.lower() in BOOLEANS:
            chosen[name] = BOOLEANS[text.lower()]
        elif (
            wanted in NUMBERS and re.fullmatch(NUMBERS[wanted], text) and abs(float(text)) < LARGEST
        ):
            chosen[name] = wanted(text)
        else:
            raise UsageError(
                f"{owner}'s option {name} must be {_KINDS[wanted]} (default {default!r}), not "
                f"{value!r}."
            )
    refuse_outside(owner, chosen, limits or {})
    return chosen


def refuse_outside(owner: str, chosen: Mapping[str, Option], limits: Limits) -> None:
    """Raises UsageError for an option outside of its limits."""
    for name, limit in limits.items():
        value = chosen.get(name)
        if value is None:
            continue
        begin = f"{owner}'s option {name} must be"
        if isinstance(limit, tuple):
            if value not in limit:
                raise UsageError(f"{begin} one of {', '.join(limit)}, and is {value!r}.")
        elif not limit.least <= float(value) <= limit.most:
            raise UsageError(f"{begin} {limit}, and is {value}.")
