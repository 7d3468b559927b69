"""Values in the format that a placeholder, a hint or an error shows: a mask or an example."""

import re
import string
from collections.abc import Callable
from datetime import date, datetime, time
from functools import lru_cache
from random import Random

PART = r"([a-zå])\{}{{0,3}}"
MASK = re.compile(
    rf"(?<![^\W_])({PART.format(2)})([-./ ])({PART.format(5)})(?:\3({PART.format(7)}))?"
    r"(?:([ t,]+)h{1,2}:m{2}(:s{2})?)?(?![^\W_])",
    re.I,
)
"""DD/MM/YYYY, TT.MM.JJJJ, jj/mm/aaaa hh:mm: in whatever language, months are m."""

CLOCK = re.compile(r"(?<![^\W_])h{1,2}:m{2}(:s{2})?(?![^\W_])", re.I)
MOMENTS = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d.%m.%y"),
    *("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M"),
    *("%H:%M", "%H:%M:%S", "%m/%Y", "%m/%y"),
)
CODE = re.compile(r"[^a-zß-öø-ÿ]*\d[^a-zß-öø-ÿ]*|[-#_X9A0/. ()+:*]*[#_X9*][-#_X9A0/. ()+:*]*")
"""Digits, capitals and signs: an example to imitate."""

BLANKS = dict.fromkeys("#_X*", string.digits[1:])
INTRODUCED = re.compile(
    r"^(?:e\.?g\.?,?|for example,?|ex[ea]mple:?|ex\.?:?|like|format:?|z\. ?b\.|bsp\.?:?|"
    r"beispiel:?|wie|par exemple,?|p\. ?ex\.|p\. ?ej\.|ejemplo:?)\s*",
    re.I,
)


def like(shown: str, day: Callable[[], date], chance: Random) -> str:
    """A value in the format shown; empty if none is."""
    shown = INTRODUCED.sub("", shown.strip(" ().,;:\"'“”„«»")).strip("\"'“”„«» ")
    form = strftime(shown) or _of_moment(shown)
    if form:
        made = datetime.combine(day(), time(chance.randint(8, 17), chance.randrange(60)))
        return made.strftime(form)
    return alike(shown, chance) if CODE.fullmatch(shown) else ""


def strftime(shown: str) -> str:
    """The first mask that is shown, in the syntax of strftime; empty if none is."""
    return _mask(shown)[1]


def masked(shown: str) -> str:
    """The first mask that is shown; empty if none is."""
    return _mask(shown)[0]


@lru_cache(maxsize=4096)
def _mask(shown: str) -> tuple[str, str]:
    for mask in MASK.finditer(shown):
        codes = _codes([part.lower() for part in (mask[1], mask[4], mask[6]) if part])
        if codes:
            seconds = ":%S" if mask[9] else ""
            time = f"{mask[8]}%H:%M{seconds}" if mask[8] else ""
            return mask[0], mask[3].join(codes) + time
    clock = CLOCK.search(shown)
    return (clock[0], "%H:%M:%S" if clock[1] else "%H:%M") if clock else ("", "")


def _codes(parts: list[str]) -> list[str]:
    """Codes of the parts of a day; none if it isn't one.

    The year is the longest part, else one of the letters of "year" that no day begins with, else
    the last: JJ is a day in JJ/MM/AA, and a year in TT.MM.JJ.
    """
    months = [place for place, part in enumerate(parts) if part[0] == "m"]
    short = max(map(len, parts)) < 2 or (len(parts) == 2 and min(map(len, parts)) < 2)
    if len(months) != 1 or len({part[0] for part in parts}) < len(parts) or short:
        return []
    rest = [place for place in range(len(parts)) if place != months[0]]
    years = [place for place in rest if len(parts[place]) > 2 or parts[place][0] in "ya"]
    if len(rest) == 2 or parts[rest[0]][0] not in "dtjgp" or len(parts[rest[0]]) > 2:
        year = years[0] if years else rest[-1]
    else:
        year = rest[0] if months[0] < rest[0] and parts[rest[0]][0] == "j" else -1
    long = year >= 0 and len(parts[year]) != 2
    named = {months[0]: "%m", year: "%Y" if long else "%y"}
    return [named.get(place, "%d") for place in range(len(parts))]


@lru_cache(maxsize=4096)
def _of_moment(example: str) -> str:
    if not example[:1].isdigit() or len(example) > 20:
        return ""
    for form in MOMENTS:
        try:
            datetime.strptime(example, form)
        except ValueError:
            continue
        return form
    return ""


def alike(example: str, chance: Random) -> str:
    """Other letters and digits in the same places; a calling code stays."""
    kept = re.match(r"\+\d{1,2}|0(?=\d{3})", example)
    begin = kept.end() if kept else 0
    blanks = dict(BLANKS)
    if not re.fullmatch(r"[-X/. ()+:]+", example):
        blanks.pop("X")

    def other(sign: str) -> str:
        kinds = (string.digits, string.ascii_uppercase, string.ascii_lowercase)
        of_kind = next((letters for letters in kinds if sign in letters), sign)
        return chance.choice(blanks.get(sign, of_kind.removeprefix("0")))

    return example[:begin] + "".join(other(sign) for sign in example[begin:])
