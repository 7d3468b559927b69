"""Numbers and names as people read them: three significant digits, a thin space, a unit; lists."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from benchsuite.core.exceptions import UsageError

Key = TypeVar("Key")
Value = TypeVar("Value")
THIN_SPACE = "\u2009"
MISSING = "—"
LONGEST = 60  #: Characters quoted of invalid input.
_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def format_number(value: float | None) -> str:
    """Three significant digits, thousands with a thin space: 0.123, 4.28, 612, 12 300."""
    if value is None:
        return MISSING
    if value == 0:
        return "0"
    if abs(value) >= 999.5:
        digits = len(str(int(abs(value)))) - 3
        return f"{round(value, -digits):,.0f}".replace(",", THIN_SPACE)
    for decimals, limit in ((0, 99.95), (1, 9.995), (2, 0.9995)):
        if abs(value) >= limit:
            return f"{value:.{decimals}f}"
    decimals = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{decimals}f}".rstrip("0")


def format_count(value: float | None) -> str:
    """Every digit of a whole number, thousands separated by a thin space: 12 345."""
    return MISSING if value is None else f"{value:,.0f}".replace(",", THIN_SPACE)


def format_duration(seconds: float | None) -> str:
    """A measured time: 870 µs, 152 ms, 4.28 s."""
    if seconds is None:
        return MISSING
    if abs(seconds) >= 0.9995:
        return f"{format_number(seconds)}{THIN_SPACE}s"
    if abs(seconds) >= 0.0009995 or seconds == 0:
        return f"{format_number(seconds * 1e3)}{THIN_SPACE}ms"
    return f"{format_number(seconds * 1e6)}{THIN_SPACE}µs"


def format_period(seconds: float) -> str:
    """A period as people say it: 0.5 s, 45 s, 1 min 50 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def format_rate(per_second: float | None, units: str = "") -> str:
    """Something a second: 612 /s, 612 messages/s."""
    if per_second is None:
        return MISSING
    return f"{format_number(per_second)}{THIN_SPACE}{units}/s"


def format_bytes(amount: float | None) -> str:
    """Memory in binary units: 182 MiB."""
    if amount is None:
        return MISSING
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(amount) < 1023.5 or unit == "GiB":
            break
        amount /= 1024
    return f"{format_number(amount)}{THIN_SPACE}{unit}"


def format_percent(percent: float | None) -> str:
    return MISSING if percent is None else f"{format_number(percent)}{THIN_SPACE}%"


def format_ratio(ratio: float | None) -> str:
    """A quotient of two figures, below and above 1 alike: 0.50×, 1.48×, 12.3×."""
    if ratio is None:
        return MISSING
    return f"{ratio:.2f}×" if abs(ratio) < 9.995 else f"{format_number(ratio)}×"


def in_words(value: object) -> str:
    """Any plain value as people read it, however deep: never as Python writes it."""
    if value is None or value == "":
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, datetime):
        return f"{value:%d %b %Y, %H:%M}"
    if isinstance(value, Mapping):
        return in_words([f"{name} {in_words(one)}" for name, one in value.items()])
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(in_words(one) for one in value) or MISSING
    return str(value)


def short(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def parse_seconds(text: str) -> float:
    """Seconds from "10", "10s", "500ms", "2m" or "1h"; raises UsageError otherwise."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-z]*)\s*", text)
    if match is None or match[2] not in _SECONDS or not math.isfinite(float(match[1])):
        raise UsageError(
            f"{text[:LONGEST]!r} is not a time; write seconds (10) or a unit (500ms, 10s, 2m, 1h)."
        )
    return float(match[1]) * _SECONDS[match[2]]


def counted(number: int, what: str) -> str:
    """ "1 CPU", "2 CPUs", "2 processes"."""
    plural = "es" if what.endswith("s") else "s"
    return f"{format_count(number)} {what}{plural * (number != 1)}"


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"; of at least one; "a, b; c; and d" where a name has commas."""
    if len(names) == 1:
        return names[0]
    if len(names) > 2 and any(", " in name for name in names):
        return f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def first_of(names: Sequence[str], most: int) -> list[str]:
    """So many of them, and how many there are beside: "a", "b", "3 more"."""
    return [*names[:most], *[f"{len(names) - most} more"] * (len(names) > most)]


def some_of(names: Sequence[str], most: int, between: str = ", ") -> str:
    """So many of them, and how many more there are: "a, b and 3 more", "a; b; and 3 more"."""
    more = f"{between.rstrip(', ')} and {len(names) - most} more" if len(names) > most else ""
    return f"{between.join(names[:most])}{more}"


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """What has the same key, such as the names of which a sentence says the same; in order."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
