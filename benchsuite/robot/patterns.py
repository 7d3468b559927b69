"""The `pattern` of an input: JavaScript's regular expressions, matched and generated from."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

import regex
import rstr

ALPHABETS = (
    "abcdefghijkmnopqrstuvwxyz23456789",
    "".join(map(chr, range(0x20, 0x7F))),
    "".join(map(chr, (*range(0xA1, 0x180), *range(0x391, 0x3CA), *range(0x1F600, 0x1F640)))),
)
"""What generated texts are made of: the first of these of which a class has any."""

CLASS = r"(?P<class>\[(?:\\.|[^\[\]\\]|(?&class))*\])"
ESCAPE = regex.compile(
    r"\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\k<(\w+)>|\\([dDwW])|(\[\^\])|\\[\s\S]"
)
SHORT = {"d": "0-9", "w": "A-Za-z0-9_"}
LOOK = regex.compile(
    rf"\(\?(<?[=!])(?P<in>(?:\\.|{CLASS}|[^()\[\\]|\((?&in)\))*)\)", regex.VERSION1
)
SET = regex.compile(rf"{CLASS}|\\[pP]\{{[^}}]*\}}|\\.|\.", regex.VERSION1)
REPEATED = re.compile(r"(?<!\\)(?:\{(\d+),\}|[*+])")
REPEATS = 12  #: The most of what may be repeated without end.
TRIES = 400


def matches(pattern: str, text: str) -> bool:
    """Whether a text matches the whole pattern. Raises ValueError if it can't be read."""
    return _compiled(pattern).fullmatch(text) is not None


def made(pattern: str, least: int, chance: Random) -> Iterator[str]:
    """Texts that may match: of its look-arounds only what is to be found somewhere is kept."""
    plain = _plain(pattern)
    sought = [found["in"] for found in LOOK.finditer(plain) if found[1] == "="]
    body = _generated(LOOK.sub("", plain), max(least, REPEATS))
    pieces = [_generated(re.sub(r"^\.[*+]\??", "", one), REPEATS) for one in sought]
    generator = rstr.Rstr(chance)
    for number in range(TRIES):
        text = str(generator.xeger(body))
        for one in pieces if number % 2 else ():  # lay what is looked for over the rest
            piece = str(generator.xeger(one))
            place = chance.randint(0, max(0, len(text) - len(piece)))
            text = text[:place] + piece + text[place + len(piece) :]
        if text.strip() and text.isprintable():
            yield text


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    try:
        return regex.compile(_plain(pattern), regex.VERSION1)
    except regex.error as error:
        raise ValueError(f"its pattern {pattern!r} can't be read: {error}") from error


def _plain(pattern: str) -> str:
    """With the escapes of `regex`: digits and words are ASCII's in JavaScript."""

    def plain(found: regex.Match[str]) -> str:
        if found[1] or found[2]:
            return re.escape(chr(int(found[1] or found[2], 16)))
        if found[3]:
            return f"(?P={found[3]})"
        if found[4]:
            return f"[{'^' * found[4].isupper()}{SHORT[found[4].lower()]}]"
        return r"[\s\S]" if found[5] else found[0]

    return ESCAPE.sub(plain, pattern)


@lru_cache(maxsize=1024)
def _generated(body: str, repeats: int) -> str:
    """For a generator that reads Python's syntax: classes written out, repetitions with an end."""

    def end(found: re.Match[str]) -> str:
        least = int(found[1] or (found[0] == "+"))
        return f"{{{least},{least + repeats}}}"

    return REPEATED.sub(end, SET.sub(_members, body).replace("(?<", "(?P<"))


def _members(found: regex.Match[str]) -> str:
    """A class, written out in the plainest alphabet that it has any of."""
    if re.fullmatch(r"\\[^pPsS]", found[0]):
        return found[0]
    one = regex.compile(found[0], regex.VERSION1)
    for alphabet in ALPHABETS:
        if members := "".join(re.escape(sign) for sign in alphabet if one.fullmatch(sign)):
            return f"[{members}]"
    raise ValueError(f"nothing was found for its class {found[0]!r}")
