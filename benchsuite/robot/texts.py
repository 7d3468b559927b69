"""Texts that fit a field's question."""

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from random import Random

from benchsuite.robot import formats, identifiers
from benchsuite.robot.constraints import Constraint
from benchsuite.robot.forms import Control
from benchsuite.robot.hints import hint
from benchsuite.robot.numbers import day
from benchsuite.robot.patterns import python_pattern
from benchsuite.robot.people import Person

ALPHABET = string.ascii_letters + string.digits
PATTERN_TRIES = 20


class NoText(ValueError):
    """No text fits; the message says why."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A person who writes, and the number of unreadable refusals."""

    person: Person
    chance: Random
    language: str = ""
    refusals: int = 0


def text(control: Control, constraint: Constraint, writer: Writer) -> str:
    """A text of the right kind and length; `pattern` weighs most, then an example or a mask."""
    pattern = control.limits.get("pattern")
    if pattern:
        return _matching(pattern, control, constraint, writer)
    if not writer.refusals or constraint.example:
        shown = (constraint.example, control.limits.get("placeholder", ""), control.hint)
        for one in shown:
            if found := formats.like(
                one, lambda: day(control, constraint, writer.chance), writer.chance
            ):
                least, most = lengths(control, constraint)
                if least <= len(found) <= (most or len(found)):
                    return found
    if writer.refusals:
        return _fitted(_other(control, writer), control, constraint, writer.chance)
    return _fitted(_meant(control, constraint, writer), control, constraint, writer.chance)


def _other(control: Control, writer: Writer) -> str:
    """Another kind of text after each unreadable refusal."""
    chance, person = writer.chance, writer.person
    today = date.today()
    turns = (
        str(chance.randint(1, 9)),
        person.last,
        f"{chance.randint(10000, 99999)}",
        today.strftime("%d.%m.%Y" if writer.language == "de" else "%d/%m/%Y"),
        f"{person.last.lower()}.{chance.randrange(10**6)}@example.org",
        "".join(chance.choices(string.ascii_uppercase, k=2)) + str(chance.randint(1000, 9999)),
        f"https://www.example.org/{chance.randrange(10**6)}",
    )
    return turns[(writer.refusals - 1) % len(turns)]


def lengths(control: Control, constraint: Constraint) -> tuple[int, int | None]:
    limits = control.limits
    if constraint.words:  # they count words
        constraint = Constraint()
    least = max(_int(limits.get("minlength")) or 0, int(constraint.least or 0))
    known = [one for one in (_int(limits.get("maxlength")), constraint.most) if one is not None]
    return least, int(min(known)) if known else None


def password(control: Control, constraint: Constraint, chance: Random) -> str:
    """A long password with letters of both cases, digits and a sign."""
    least, most = lengths(control, constraint)
    if constraint.kind == "digits":
        return _of_letters("digits", constraint, "", chance)
    wanted = max(16, least) if most is None else min(max(16, least), most)
    letters = "".join(chance.choices(ALPHABET, k=max(0, wanted - 4)))
    return (
        (letters + "-aZ7")[-wanted:] if wanted > 4 else "".join(chance.choices(ALPHABET, k=wanted))
    )


def _meant(control: Control, constraint: Constraint, writer: Writer) -> str:
    person, chance = writer.person, writer.chance
    kind = constraint.kind or (control.kind if control.kind in ("email", "url", "tel") else "")
    if kind in ("letters", "slug", "digits"):
        return _of_letters(kind, constraint, person.last, chance)
    about = {"tel": "phone"}.get(kind, kind) or hint(control)
    if about in identifiers.MAKERS:
        return identifiers.MAKERS[about](chance, writer.language)
    number = chance.randrange(1_000_000)
    first = re.sub(r"\W", "", person.first).lower()
    last = re.sub(r"\W", "", person.last).lower()
    made = {
        "username": f"{first}{number}",
        "email": f"{first}.{last}.{number}@example.org",
        "url": f"https://www.example.org/{first}/{number}",
        "slug": f"{first}-{number}",
        "name": f"{person.first} {person.last}",
    }
    if about in made:
        return made[about]
    if about and hasattr(person, about):
        return str(getattr(person, about))
    if constraint.spaceless:
        return f"{person.last}{number}"
    if constraint.fresh:
        return f"{person.sentence.split()[0]} {number}"
    return person.paragraph if control.kind == "textarea" else person.sentence


def _of_letters(kind: str, constraint: Constraint, last: str, chance: Random) -> str:
    if kind == "digits":
        wanted = int(constraint.least or constraint.most or 5) if constraint.length else 5
        return "".join(chance.choices(string.digits[1:], k=wanted))
    if kind == "slug":
        return f"{last.lower()}-{chance.randrange(1_000_000)}"
    return re.sub(r"[^A-Za-z]", "", last)


def _fitted(found: str, control: Control, constraint: Constraint, chance: Random) -> str:
    """Shortened or extended to the allowed length."""
    found = {"upper": found.upper(), "lower": found.lower()}.get(constraint.case, found)
    if constraint.prefix and not found.startswith(constraint.prefix):
        found = constraint.prefix + found[len(constraint.prefix) if constraint.length else 0 :]
    if constraint.spaceless:
        found = "".join(found.split())
    if constraint.words:
        found = _counted(found, constraint)
    least, most = lengths(control, constraint)
    if most is not None and least > most:
        raise NoText(f"it must have at least {least} and at most {most} characters")
    if control.kind in ("email", "url") and most is not None and len(found) > most:
        found = f"{chance.choice(string.ascii_lowercase)}@example.org"
        if control.kind == "url":
            found = "https://example.org"
        if len(found) > most:
            raise NoText(f"no {control.kind} address is as short as {most} characters")
    while len(found) < least:
        found = f"{found} {found}" if " " in found and not constraint.spaceless else found + "x"
    if most is not None and len(found) > most:
        found = found[:most].strip()
        found += "x" * (least - len(found))
    return found


def _counted(found: str, constraint: Constraint) -> str:
    """With the required number of words."""
    words = found.split() or ["word"]
    least = int(constraint.least or (constraint.above or 0) + 1)
    while len(words) < least:
        words = words + words
    most = constraint.most or (constraint.below or len(words) + 1) - 1
    return " ".join(words[: max(int(most), least)])


def _matching(pattern: str, control: Control, constraint: Constraint, writer: Writer) -> str:
    """A text that matches the whole pattern: a natural one, or one generated from it."""
    chance = writer.chance
    try:
        import rstr

        written = python_pattern(pattern)
        compiled = re.compile(written)
        least, most = lengths(control, constraint)
        for found in _natural(control, constraint, writer, least, most):
            if least <= len(found) <= (most or len(found)) and compiled.fullmatch(found):
                return found
        maker = rstr.Rstr(chance)
        for _ in range(PATTERN_TRIES):
            made = maker.xeger(written.removeprefix("^").removesuffix("$"))
            longest = len(made) if most is None else min(most, len(made))
            for length in range(longest, least - 1, -1):  # what repeats without end can be cut
                found = made[:length]
                if found.strip() and found.isprintable() and compiled.fullmatch(found):
                    return found
    except (re.error, KeyError, NotImplementedError, ValueError) as error:
        raise NoText(f"its pattern {pattern!r} can't be read: {error}") from error
    raise NoText(f"no text was found in {PATTERN_TRIES} tries for its pattern {pattern!r}")


def _natural(
    control: Control, constraint: Constraint, writer: Writer, least: int, most: int | None
) -> Iterator[str]:
    if hint(control) or control.kind in ("email", "url", "tel") or constraint.kind:
        yield _meant(control, constraint, writer)
    shown = control.limits.get("placeholder", "")
    yield formats.like(shown, lambda: day(control, constraint, writer.chance), writer.chance)
    for length in (16, 12, 10, 8, 20):  # many a pattern is a password's
        if control.kind == "password" or "(?=" in control.limits.get("pattern", ""):
            letters = "".join(writer.chance.choices(ALPHABET, k=length - 4))
            yield from (f"{letters}-aZ7", f"{letters}!aZ7", f"{letters}baZ7")


def _int(text_: str | None) -> int | None:
    return int(text_) if text_ and text_.strip().isdigit() else None
