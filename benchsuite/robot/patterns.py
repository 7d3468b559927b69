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

ESCAPES = {r"\d": "[0-9]", r"\w": "[A-Za-z0-9_]", r"\D": "[^0-9]", r"\W": "[^A-Za-z0-9_]"}
TOKEN = re.compile(
    r"\\[pP]\{[^}]*\}|\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\k<(\w+)>|\\c[A-Za-z]|\\.|\[\^\]|\(\?(?:<?[=!])|"
    r"[\s\S]"
)
REPEATED = re.compile(r"(?<!\\)(?:\{(\d+),\}|[*+])")
REPEATS = 12  #: The most of what may be repeated without end.
TRIES = 400


def matches(pattern: str, text: str) -> bool:
    """Whether a text matches the whole pattern. Raises ValueError if it can't be read."""
    return _compiled(pattern).fullmatch(text) is not None


def made(pattern: str, least: int, chance: Random) -> Iterator[str]:
    """Texts that may match: of its look-arounds only what is to be found somewhere is kept."""
    body, wanted = _generated(pattern, max(least, REPEATS))
    generator = rstr.Rstr(chance)
    for number in range(TRIES):
        text = str(generator.xeger(body))
        for one in wanted if number % 2 else ():  # lay what is looked for over the rest
            piece = str(generator.xeger(one))
            place = chance.randint(0, max(0, len(text) - len(piece)))
            text = text[:place] + piece + text[place + len(piece) :]
        if text.strip() and text.isprintable():
            yield text


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    try:
        return regex.compile("".join(_translated(pattern)), regex.V1)
    except regex.error as error:
        raise ValueError(f"its pattern {pattern!r} can't be read: {error}") from error


def _tokens(pattern: str) -> Iterator[tuple[str, int]]:
    """Each token, and how deep in classes it is."""
    depth = 0
    for match in TOKEN.finditer(pattern):
        token = match[0]
        if match[1] or match[2]:
            token = re.escape(chr(int(match[1] or match[2], 16)))
        elif match[3]:
            token = f"(?P={match[3]})"
        depth += token == "["
        yield token, depth
        depth -= token == "]" and depth > 0


def _translated(pattern: str) -> Iterator[str]:
    for token, depth in _tokens(pattern):
        short = ESCAPES.get(token, token)
        if token == "[^]":
            yield r"[\s\S]"
        elif depth and short != token and token.islower():
            yield short[1:-1]
        else:
            yield short


@lru_cache(maxsize=1024)
def _generated(pattern: str, repeats: int) -> tuple[str, tuple[str, ...]]:
    """In Python's syntax, with classes written out; and what positive look-aheads look for."""
    _compiled(pattern)
    body, wanted, around, held = "", [], 0, ""
    text, depth = "", 0
    for token, inside in _tokens(pattern):
        text += token
        if inside and not (token == "]" and inside == 1):
            continue
        piece, text = text, ""
        if piece in ("^", "$", r"\b", r"\B"):
            continue
        if around:
            depth += piece.startswith("(") - (piece == ")")
            held += "" if not depth else _members(piece)
            if not depth:
                sought = held[1:].removeprefix(_members(".")).lstrip("*+?")
                wanted += [sought] * (held[0] == "=")
                around, held = 0, ""
        elif re.fullmatch(r"\(\?<?[=!]", piece):
            around, depth, held = 1, 1, piece[-1] if piece == "(?=" else "!"
        else:
            body += _members(piece)
    body = body.replace("(?<", "(?P<")
    return _bounded(body, repeats), tuple(_bounded(one, repeats) for one in wanted if one)


def _bounded(body: str, repeats: int) -> str:
    """With an end of each repetition."""

    def end(found: re.Match[str]) -> str:
        least = int(found[1] or (found[0] == "+"))
        return f"{{{least},{least + repeats}}}"

    return REPEATED.sub(end, body)


@lru_cache(maxsize=1024)
def _members(piece: str) -> str:
    """A class, written out in the plainest alphabet that it has any of."""
    if piece != "." and not re.match(r"\[|\\[dDwWpP]", piece):
        return piece
    one = regex.compile("".join(_translated(piece)), regex.V1)
    for alphabet in ALPHABETS:
        if members := "".join(re.escape(sign) for sign in alphabet if one.fullmatch(sign)):
            return f"[{members}]"
    raise ValueError(f"nothing was found for its class {piece!r}")
