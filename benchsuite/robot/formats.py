"""Values in the format that a placeholder, a hint or an error shows: a mask or an example."""

import re
import string
from collections.abc import Callable
from datetime import date, datetime, time
from functools import lru_cache
from random import Random

MARKS = (
    (r"yyyy|jjjj|aaaa", "%Y"),
    (r"hh|(?<![a-z])h(?![a-z])|std", "%H"),
    (r"ss", "%S"),
    (r"dd|tt|jj", "%d"),
    (r"yy|aa", "%y"),
)
MASK = re.compile(
    r"(?<![a-zß-ÿ])(?:y{2,4}|j{3,4}|a{2,4}|[dtj]{1,2}|m{1,2})"
    r"(?:([-./ ])(?:y{2,4}|j{3,4}|a{2,4}|[dtj]{1,2}|m{1,2})){1,2}"
    r"(?:[ t,]+h{1,2}:m{2}(?::s{2})?)?(?![a-zß-ÿ])|(?<![a-zß-ÿ])h{1,2}:m{2}(?::s{2})?",
    re.I,
)
MOMENTS = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d.%m.%y"),
    *("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M"),
    *("%H:%M", "%H:%M:%S", "%m/%Y", "%m/%y"),
)
CODE = re.compile(r"[^a-zß-öø-ÿ]*\d[^a-zß-öø-ÿ]*|[-#_X9A0/. ()+:*]*[#_X9*][-#_X9A0/. ()+:*]*")
"""Digits, capitals and signs: an example to imitate."""

BLANKS = dict.fromkeys("#_X*", string.digits[1:])
INTRODUCED = re.compile(
    r"^(?:e\.?g\.?,?|for example,?|example:?|ex\.?:?|like|format:?|z\. ?b\.|bsp\.?:?|"
    r"beispiel:?|wie|"
    r"par exemple,?|p\. ?ex\.|exemple:?)\s*",
    re.I,
)


def like(shown: str, day: Callable[[], date], chance: Random) -> str:
    """A value in the format shown; empty if none is."""
    shown = INTRODUCED.sub("", shown.strip(" ().,;:\"'“”„«»")).strip("\"'“”„«» ")
    form = strftime(shown) or _of_moment(shown)
    if form:
        made = datetime.combine(day(), time(chance.randint(8, 17), chance.randrange(60)))
        return made.strftime(form)
    if not CODE.fullmatch(shown):
        return ""
    return alike(shown, chance)


@lru_cache(maxsize=4096)
def strftime(mask: str) -> str:
    """DD/MM/YYYY, TT.MM.JJJJ, jj/mm/aaaa hh:mm in the syntax of strftime; empty for no mask."""
    found = MASK.search(mask)
    if found is None:
        return ""
    words = found[0].lower()
    for pattern, mark in MARKS:
        words = re.sub(pattern, mark, words)
    words = re.sub(r"(?<=:)m{2}", "%M", words)
    words = re.sub(r"(?<![%a-z])[dtj](?![a-z])", "%d", words)
    words = re.sub(r"(?<!%)m{1,2}", "%m", words)
    return words if re.fullmatch(r"(?:%[YHSdymM]|\W|t)+", words) else ""


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
    blank = dict(BLANKS)
    if not re.fullmatch(r"[-X/. ()+:]+", example):
        blank.pop("X")
    return example[:begin] + "".join(
        chance.choice(blank[sign])
        if sign in blank
        else chance.choice(string.digits[1:])
        if sign.isdigit()
        else chance.choice(string.ascii_uppercase)
        if sign.isupper() and sign.isascii()
        else chance.choice(string.ascii_lowercase)
        if sign.islower() and sign.isascii()
        else sign
        for sign in example[begin:]
    )
