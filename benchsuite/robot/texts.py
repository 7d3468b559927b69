"""Words that fit what a field asks for."""

import re
import string
from random import Random

from benchsuite.robot.demands import Demand
from benchsuite.robot.forms import Control
from benchsuite.robot.people import Person

HINTS: tuple[tuple[str, str], ...] = (
    (r"given-name|first.?name|forename", "first"),
    (r"family-name|last.?name|surname", "last"),
    (r"user.?name|nick|login", "username"),
    (r"e-?mail", "email"),
    (r"url|website|homepage|web.?site|link", "url"),
    (r"slug", "slug"),
    (r"phone|mobile|\btel\b|fax", "phone"),
    (r"street|address", "street"),
    (r"zip|postal|post.?code|plz", "postcode"),
    (r"city|town|address-level2", "city"),
    (r"state|province|address-level1", "state"),
    (r"country|nation", "country"),
    (r"company|organi[sz]ation|employer", "company"),
    (r"job|profession|occupation", "job"),
    (r"name\b", "name"),
)
RULES = tuple((re.compile(pattern), hint) for pattern, hint in HINTS)
NUMERIC = re.compile(r"how many|how much|number of|\bcount\b|quantity|amount|\bage\b|\byears?\b")

ALPHABET = string.ascii_letters + string.digits
PATTERN_TRIES = 20


class NoText(ValueError):
    """No text fits; the words say why."""


def text(control: Control, demand: Demand, person: Person, chance: Random) -> str:
    """A text of the right kind and length; `pattern` weighs most, then an example from an error."""
    pattern = control.limits.get("pattern")
    if pattern:
        return _matching(pattern, control, demand, chance)
    if demand.example and any(letter.isdigit() for letter in demand.example):
        return _alike(demand.example, chance)
    found = _meant(control, demand, person, chance)
    return _fitted(found, control, demand, chance)


def lengths(control: Control, demand: Demand) -> tuple[int, int | None]:
    """Least and most characters."""
    limits = control.limits
    least = max(_int(limits.get("minlength")) or 0, int(demand.least or 0))
    known = [one for one in (_int(limits.get("maxlength")), demand.most) if one is not None]
    return least, int(min(known)) if known else None


def password(control: Control, demand: Demand, chance: Random) -> str:
    """Long, with letters of both cases, digits and a sign."""
    least, most = lengths(control, demand)
    wanted = max(16, least) if most is None else min(max(16, least), most)
    letters = "".join(chance.choices(ALPHABET, k=max(0, wanted - 4)))
    return (letters + "-aZ7")[-wanted:]


def hint(control: Control) -> str:
    """What a field of plain text is about, from its name, label and `autocomplete`."""
    words = control.words.replace("_", " ")
    return next((meant for rule, meant in RULES if rule.search(words)), "")


def _meant(control: Control, demand: Demand, person: Person, chance: Random) -> str:
    kind = demand.kind or (control.kind if control.kind in ("email", "url", "tel") else "")
    if kind in ("letters", "slug", "digits"):
        return _of_letters(kind, person, chance)
    about = {"tel": "phone"}.get(kind, kind) or hint(control)
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
    if demand.fresh:
        return f"{person.sentence.split()[0]} {number}"
    return person.paragraph if control.kind == "textarea" else person.sentence


def _of_letters(kind: str, person: Person, chance: Random) -> str:
    if kind == "digits":
        return "".join(chance.choices(string.digits[1:], k=5))
    if kind == "slug":
        return f"{person.last.lower()}-{chance.randrange(1_000_000)}"
    return re.sub(r"[^A-Za-z]", "", person.last)


def _fitted(found: str, control: Control, demand: Demand, chance: Random) -> str:
    """Cut or drawn out to the lengths that are allowed."""
    least, most = lengths(control, demand)
    if most is not None and least > most:
        raise NoText(f"it must have at least {least} and at most {most} characters")
    if control.kind in ("email", "url") and most is not None and len(found) > most:
        found = f"{chance.choice(string.ascii_lowercase)}@example.org"
        if control.kind == "url":
            found = "https://example.org"
        if len(found) > most:
            raise NoText(f"no {control.kind} address has only {most} characters")
    while len(found) < least:
        found = (
            f"{found} {found}" if control.kind in ("text", "textarea", "search") else found + "x"
        )
    if most is not None and len(found) > most:
        found = found[:most].strip()
        found += "x" * (least - len(found))
    return found


def _matching(pattern: str, control: Control, demand: Demand, chance: Random) -> str:
    """A text that the whole pattern matches."""
    try:
        import rstr

        maker = rstr.Rstr(chance)
        compiled = re.compile(pattern)
        least, most = lengths(control, demand)
        for _ in range(PATTERN_TRIES):
            made = maker.xeger(pattern.removeprefix("^").removesuffix("$"))
            longest = len(made) if most is None else min(most, len(made))
            for length in range(longest, least - 1, -1):  # what repeats without end can be cut
                found = made[:length]
                if found.isprintable() and compiled.fullmatch(found):
                    return str(found)
    except (re.error, KeyError, NotImplementedError, ValueError) as error:
        raise NoText(f"its pattern {pattern!r} can't be read: {error}") from error
    raise NoText(f"no text was found in {PATTERN_TRIES} tries for its pattern {pattern!r}")


def _alike(example: str, chance: Random) -> str:
    """Other letters and digits in the same places."""
    return "".join(
        chance.choice(string.digits[1:])
        if sign.isdigit()
        else chance.choice(string.ascii_uppercase)
        if sign.isupper()
        else chance.choice(string.ascii_lowercase)
        if sign.islower()
        else sign
        for sign in example
    )


def _int(text_: str | None) -> int | None:
    return int(text_) if text_ and text_.strip().isdigit() else None
