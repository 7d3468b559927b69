"""Translates the `pattern` of an input from JavaScript's regular expressions to Python's."""

import re
import unicodedata
from functools import lru_cache

CHARACTERS = tuple(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0x180), *range(0x391, 0x3CA))))
"""The characters of classes with properties or set operations."""

ESCAPE = re.compile(
    r"\\(p|P)\{([^}]*)\}|\\u\{([0-9a-fA-F]+)\}|\\k<(\w+)>|\\([\-/&!#%,:;<=>@`~])|\(\?<(?![=!])"
)
SHORT = {"d": r"[0-9]", "w": r"[A-Za-z0-9_]", "s": r"\s"}
NAMED = {"letter": "L", "alphabetic": "L", "uppercase": "Lu", "lowercase": "Ll", "number": "N"}
NAMED |= {"punctuation": "P", "uppercase_letter": "Lu", "lowercase_letter": "Ll", "digit": "Nd"}


@lru_cache(maxsize=1024)
def python_pattern(pattern: str) -> str:
    """Raises ValueError if it can't be translated."""
    found = []
    place = 0
    while place < len(pattern):
        sign = pattern[place]
        if sign == "[":
            end, characters = _class(pattern, place)
            whole = pattern[place:end]
            plain = not re.search(r"\\[pP]\{|--|&&|\[.*[\[]|\\q", whole) and whole != "[^]"
            found.append(_escaped(whole) if plain else _members(characters))
            place = end
        elif sign == "\\" and pattern[place + 1 : place + 2] in SHORT:
            found.append(SHORT[pattern[place + 1]])
            place += 2
        elif match := ESCAPE.match(pattern, place):
            found.append(_replaced(match))
            place = match.end()
        else:
            length = 2 if sign == "\\" else 1
            found.append(pattern[place : place + length])
            place += length
    return "".join(found)


def _replaced(match: re.Match[str]) -> str:
    if match[1]:
        return _members(_property(match[2], negated=match[1] == "P"))
    if match[3]:
        return re.escape(chr(int(match[3], 16)))
    if match[4]:
        return f"(?P={match[4]})"
    return re.escape(match[5]) if match[5] else "(?P<"


def _escaped(whole: str) -> str:
    """A class that only needs Python's escapes."""
    return "[" + re.sub(r"(?<!\\)([\[&~|])", r"\\\1", whole[1:])


def _property(name: str, *, negated: bool = False) -> set[str]:
    wanted = name.split("=")[-1]
    category = NAMED.get(wanted.lower(), wanted)
    inside = {
        one
        for one in CHARACTERS
        if unicodedata.category(one).startswith(category)
        or unicodedata.name(one, "").startswith(f"{category.upper()} ")
    }
    if not inside:
        raise ValueError(f"the property {name} is unknown")
    return set(CHARACTERS) - inside if negated else inside


def _class(pattern: str, place: int) -> tuple[int, set[str]]:
    """The end of a class, and its characters."""
    place += 1
    negated = pattern[place : place + 1] == "^"
    place += negated
    found: set[str] = set()
    operation = "|"
    last = ""
    while place < len(pattern) and pattern[place] != "]":
        if pattern[place : place + 2] in ("--", "&&"):
            operation = pattern[place : place + 2]
            place += 2
            continue
        if pattern[place] == "-" and last and pattern[place + 1 : place + 2] not in ("", "]", "["):
            place, upper = _one(pattern, place + 1)
            members = {one for one in CHARACTERS if last <= one <= max(upper, default=last)}
            last = ""
        elif pattern[place] == "[":
            place, members = _class(pattern, place)
            last = ""
        else:
            place, members = _one(pattern, place)
            last = next(iter(members)) if len(members) == 1 else ""
        if operation == "--":
            found -= members
        elif operation == "&&":
            found &= members
        else:
            found |= members
    if place >= len(pattern):
        raise ValueError("a class has no end")
    return place + 1, set(CHARACTERS) - found if negated else found


def _one(pattern: str, place: int) -> tuple[int, set[str]]:
    """A character of a class, or the characters of an escape."""
    if pattern[place] != "\\":
        return place + 1, {pattern[place]}
    if match := re.compile(r"\\([pP])\{([^}]*)\}").match(pattern, place):
        return match.end(), _property(match[2], negated=match[1] == "P")
    if match := re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))").match(
        pattern, place
    ):
        return match.end(), {chr(int(match[1] or match[2] or match[3], 16))}
    sign = pattern[place + 1 : place + 2]
    if sign.lower() in "dws":
        rule = re.compile(rf"\{sign}", re.ASCII)
        return place + 2, {one for one in CHARACTERS if rule.match(one)}
    return place + 2, {{"n": "\n", "t": "\t", "r": "\r"}.get(sign, sign)}


def _members(characters: set[str]) -> str:
    if not characters:
        raise ValueError("a class is empty")
    return f"[{''.join(re.escape(one) for one in sorted(characters))}]"
