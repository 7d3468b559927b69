"""Texts that fit a field's question, most likely ones first."""

import json
import re
import string
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from random import Random

from faker import Faker

from benchsuite.robot import formats, people
from benchsuite.robot.constraints import Constraint
from benchsuite.robot.forms import Control
from benchsuite.robot.hints import hint
from benchsuite.robot.numbers import day
from benchsuite.robot.patterns import made
from benchsuite.robot.people import Person
from benchsuite.robot.validity import lengths

ALPHABET = string.ascii_lowercase + string.digits
PASSWORDS = ("-aZ7", "!aZ7", "baZ7")  #: With which letters of all kinds are in it.
VAT = {"de_DE": "DE136695976", "fr_FR": "FR40303265045"}
"""Example numbers from tax offices, with valid check digits."""

MAKERS: dict[str, Callable[[Faker], object]] = {
    "uuid": lambda fake: fake.uuid4(),
    "iban": lambda fake: fake.iban(),
    "bic": lambda fake: "DEUTDEFF",
    "json": lambda fake: json.dumps({"robot": fake.random_number(3)}),
    "ip": lambda fake: f"192.0.2.{fake.random_int(1, 254)}",
    "ipv6": lambda fake: f"2001:db8::{fake.random_int(1, 0xFFFF):x}",
    "mac": lambda fake: fake.mac_address(),
    "card": lambda fake: fake.credit_card_number("visa16"),
    "card-type": lambda fake: "Visa",
    "security-code": lambda fake: fake.random_int(100, 999),
    "expiry": lambda fake: fake.credit_card_expire(start="+1y"),
    "latitude": lambda fake: f"{fake.random.uniform(-80, 80):.5f}",
    "longitude": lambda fake: f"{fake.random.uniform(-170, 170):.5f}",
    "colour": lambda fake: f"#{fake.random.randrange(0x1000000):06x}",
    "duration": lambda fake: f"{fake.random_int(0, 9):02}:{fake.random_int(1, 59):02}:00",
    "title": lambda fake: fake.random_element(("Dr", "Prof")),
    "flat": lambda fake: f"Flat {fake.random_int(1, 40)}",
    "extension": lambda fake: fake.random_int(10, 99),
    "currency": lambda fake: "EUR",
    "sex": lambda fake: "X",
    "code": lambda fake: f"{fake.random_number(6):06}",
    "amount": lambda fake: fake.random_int(1, 100),
    "year-ahead": lambda fake: date.today().year + fake.random_int(1, 4),
    "day": lambda fake: f"{fake.random_int(1, 28):02}",
    "month": lambda fake: f"{fake.random_int(1, 12):02}",
    "year": lambda fake: fake.random_int(1950, 2000),
}


@dataclass(frozen=True, slots=True)
class Writer:
    """A person who writes, where, and the number of unreadable refusals."""

    person: Person
    chance: Random
    language: str = ""
    region: str = ""  #: The country that the form names.
    refusals: int = 0

    @property
    def country(self) -> str:
        return self.region or people.locale(self.language).partition("_")[2]

    def fact(self, about: str) -> str:
        """What is of the person is of the language; an address is of the country."""
        personal = about in ("first", "last", "company", "job")
        locale = people.locale(self.language, "" if personal else self.region)
        return self.person.fact(about, locale)

    def plain(self, about: str) -> str:
        """In letters of addresses."""
        text = unicodedata.normalize("NFKD", self.fact(about)).encode("ascii", "ignore").decode()
        return re.sub(r"\W", "", text).lower() or "robot"

    def sentence(self) -> str:
        words = people.words(people.locale(self.language))
        return " ".join(self.chance.choices(words, k=8)).capitalize() + "."

    def token(self, length: int = 8) -> str:
        """Letters and digits that hardly anybody else gets."""
        return "".join(self.chance.choices(ALPHABET, k=length))


def texts(control: Control, constraint: Constraint, writer: Writer) -> Iterator[str]:
    """What is suggested or shown, then what is meant, then what its pattern makes.

    After refusals that can't be read come other kinds of text in turn.
    """
    suggested = [one.value for one in control.choices]
    yield from writer.chance.sample(suggested, len(suggested))
    others = list(_others(writer)) if writer.refusals else []
    turn = writer.refusals % len(others) if others else 0
    meant = _shown(control, constraint, writer) if not writer.refusals or constraint.example else ()
    if control.kind == "password":
        likely = chain(passwords(control, constraint, writer), meant)
    elif others:
        likely = chain(others[turn - 1 :], others, meant, _meant(control, constraint, writer))
    else:
        likely = chain(meant, _meant(control, constraint, writer), others)
    whole = list(filter(None, likely))
    fitted = [_fitted(text, control, constraint, writer.chance) for text in whole]
    yield from (text for text in whole if text in fitted)
    yield from fitted
    if (pattern := control.limits.get("pattern")) and control.kind != "textarea":
        yield from made(pattern, _lengths(control, constraint)[0], writer.chance)


def _shown(control: Control, constraint: Constraint, writer: Writer) -> Iterator[str]:
    if hint(control) == "expiry":
        constraint |= Constraint(earliest=date.today() + timedelta(days=365))
    for one in (constraint.example, control.limits.get("placeholder", ""), control.hint):
        yield formats.like(one, lambda: day(control, constraint, writer.chance), writer.chance)


def _others(writer: Writer) -> Iterator[str]:
    chance = writer.chance
    yield str(chance.randint(1, 9))
    yield writer.fact("last")
    yield str(chance.randint(10000, 99999))
    yield date.today().strftime("%d.%m.%Y" if writer.language == "de" else "%d/%m/%Y")
    yield _address(writer)
    yield f"{''.join(chance.choices(string.ascii_uppercase, k=2))}{chance.randint(1000, 9999)}"
    yield f"https://www.example.org/{writer.token()}"


def _address(writer: Writer) -> str:
    return f"{writer.plain('first')}.{writer.plain('last')}.{writer.token()}@example.org"


def passwords(control: Control, constraint: Constraint, writer: Writer) -> Iterator[str]:
    """Long ones with letters of both cases, digits and a sign."""
    if constraint.kind == "digits":
        yield _digits(constraint, writer)
    least, most = _lengths(control, constraint)
    wanted = max(16, least) if most is None else min(max(16, least), most)
    for length in (wanted, 12, 10, 8, 20):
        for end in PASSWORDS:
            yield (writer.token(length) + end)[-length:] if length > len(end) else ""
    yield writer.token(wanted)


def _meant(control: Control, constraint: Constraint, writer: Writer) -> Iterator[str]:
    kind = constraint.kind or (control.kind if control.kind in ("email", "url", "tel") else "")
    about = {"tel": "phone"}.get(kind, kind) or hint(control)
    if about in MAKERS:
        fake = people.fake(people.locale(writer.language, writer.region), writer.chance)
        yield str(MAKERS[about](fake))
    elif about == "phone":
        yield from people.telephones(writer.country, writer.chance)
    else:
        yield _known(about, constraint, writer) or writer.fact(about)
    yield f"{writer.fact('last')}{writer.token()}" if constraint.spaceless else ""
    if control.kind == "textarea":
        yield " ".join(writer.sentence() for _ in range(3))
    yield writer.sentence()


def _known(about: str, constraint: Constraint, writer: Writer) -> str:
    if about == "digits":
        return _digits(constraint, writer)
    if about == "email":
        return _address(writer)
    if about == "country":
        return people.country(writer.country, writer.language)
    made = {
        "letters": writer.plain("last").capitalize(),
        "slug": f"{writer.plain('last')}-{writer.token()}",
        "username": f"{writer.plain('first')}{writer.token()}",
        "url": f"https://www.example.org/{writer.plain('first')}/{writer.token()}",
        "name": f"{writer.fact('first')} {writer.fact('last')}",
        "vat": VAT.get(people.locale(writer.language), VAT["de_DE"]),
        "country-code": writer.country,
        "calling-code": people.calling_code(writer.country),
        "area-code": "202",
        "local-number": f"555{writer.chance.randint(1000, 9999)}",
        "language": writer.language or "en",
    }
    return made.get(about, "")


def _digits(constraint: Constraint, writer: Writer) -> str:
    least, most = (constraint.of("characters") | constraint.of("digits")).whole
    return "".join(writer.chance.choices(string.digits[1:], k=least or most or 5))


def _lengths(control: Control, constraint: Constraint) -> tuple[int, int | None]:
    least, most = lengths(control)
    said = constraint.of("") | constraint.of("characters")
    low, high = (said | constraint.of("digits") if constraint.kind == "digits" else said).whole
    known = [one for one in (most, high) if one is not None]
    return max(least, low), min(known, default=None)


def _fitted(text: str, control: Control, constraint: Constraint, chance: Random) -> str:
    """Shortened or extended to the allowed length, with what is asked for."""
    text = {"upper": text.upper(), "lower": text.lower()}.get(constraint.case, text)
    least, most = _lengths(control, constraint)
    if constraint.prefix and not text.startswith(constraint.prefix):
        text = constraint.prefix + text[len(constraint.prefix) if least else 0 :]
    if constraint.spaceless:
        text = "".join(text.split())
    if "words" in constraint.ranges:
        low, high = constraint.of("words").whole
        words = text.split() or ["word"]
        words *= -(-max(low, 1) // len(words))
        text = " ".join(words[: max(low, high or len(words))])
    if most is not None and len(text) > most and control.kind in ("email", "url"):
        end = {"email": "@example.org", "url": "https://example.org/"}[control.kind]
        token = "".join(chance.choices(ALPHABET, k=max(0, most - len(end))))
        text = token + end if control.kind == "email" else (end + token)[:most]
    while len(text) < least:
        text = f"{text} {text}" if " " in text and not constraint.spaceless else text + "x"
    if most is not None and len(text) > most:
        text = text[:most].strip()
        text += "x" * (least - len(text))
    return text


def meets(text: str, control: Control, constraint: Constraint, chance: Random) -> bool:
    """Whether a text is as the errors ask, so that nothing is to be changed."""
    return _fitted(text, control, constraint, chance) == text
