"""Made-up people, and texts and files that fit a field's question, most likely ones first.

Names and places are Faker's, telephones and countries those of phonenumbers.
"""

import json
import pkgutil
import re
import runpy
import string
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatch
from fractions import Fraction
from functools import cache
from itertools import chain
from mimetypes import guess_type
from pathlib import Path
from random import Random

import phonenumbers
from faker import Faker
from faker.providers import address
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from benchsuite.robot.constraints import Constraint, Range
from benchsuite.robot.forms import Control, Upload
from benchsuite.robot.languages import about, like
from benchsuite.robot.validity import lengths, made, point

HOW_MANY = 64  #: Of each name and place of a locale: Faker takes longer for one than a page does.
SEED = 20140601
"""Always the same names, so that only a completion's seed decides who fills the form."""

FACTS = {
    "first": "first_name",
    "last": "last_name",
    "street": "street_address",
    "city": "city",
    "state": "administrative_unit",
    "postcode": "postcode",
    "job": "job",
    "company": "last_name",
}
"""Faker's methods, by what they tell."""

PERSONAL = frozenset(("first", "last", "company", "job"))
LOCALES = sorted(one.name for one in pkgutil.iter_modules(address.__path__) if "_" in one.name)
"""Those with addresses of their own: for the others Faker gives American ones."""

USUAL = "en_US"
LATIN = "\u0250"  #: Letters before this are Latin.
COUNTRIES = 8  #: At most, of those that a form offers.
VARIED = 5  #: Digits in which telephone numbers differ.
ALPHABET = string.ascii_lowercase + string.digits
PASSWORDS = ("-aZ7", "!aZ7", "baZ7")  #: With which letters of all kinds are in it.
VAT = {"de_DE": "DE136695976", "fr_FR": "FR40303265045"}
"""Example numbers from tax offices, with valid check digits."""

SAMPLES = (
    *("txt", "png", "pdf", "csv", "docx", "gif", "jpg", "json", "svg", "wav", "webp", "xlsx"),
    "zip",
)
"""Kinds of files to upload, the usual ones first."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A person who writes, where, and the number of unreadable refusals.

    Name and address of a person depend on the language and country that are asked for.
    """

    person: int
    chance: Random
    language: str = ""
    region: str = ""  #: The country that the form names.
    refusals: int = 0

    @property
    def country(self) -> str:
        return self.region or locale_of(self.language).partition("_")[2]

    @property
    def fake(self) -> Faker:
        """Faker with this writer's chance."""
        faker = _faker(locale_of(self.language, self.region))
        faker.random = self.chance  # type: ignore[attr-defined]
        return faker

    def fact(self, of: str) -> str:
        """What is of the person is of the language; an address is of the country."""
        known = _facts(locale_of(self.language, "" if of in PERSONAL else self.region), of)
        number = self.person // HOW_MANY if of == "last" else self.person
        fact = known[number % HOW_MANY] if known else ""
        return f"{self.fact('last')} & {fact}" if of == "company" else fact

    def plain(self, of: str) -> str:
        """In letters of addresses."""
        text = unicodedata.normalize("NFKD", self.fact(of)).encode("ascii", "ignore").decode()
        return re.sub(r"\W", "", text).lower() or "robot"

    def sentence(self) -> str:
        words = _words(locale_of(self.language))
        return " ".join(self.chance.choices(words, k=8)).capitalize() + "."

    def token(self, length: int = 8) -> str:
        """Letters and digits that hardly anybody else gets."""
        return "".join(self.chance.choices(ALPHABET, k=length))

    def number(self, low: int, high: int) -> int:
        return self.chance.randint(low, high)

    def email(self) -> str:
        return f"{self.plain('first')}.{self.plain('last')}.{self.token()}@example.org"


@cache
def _faker(locale: str) -> Faker:
    return Faker(locale)


@cache
def _facts(locale: str, of: str) -> tuple[str, ...]:
    faker = _faker(locale)
    faker.random = Random(SEED)  # type: ignore[attr-defined]
    make = getattr(faker, FACTS.get(of, ""), None)
    return tuple(str(make()) for _ in range(HOW_MANY)) if make else ()


@cache
def _words(locale: str) -> tuple[str, ...]:
    return tuple(_faker(locale).get_words_list())


@cache
def locale_of(language: str, region: str = "") -> str:
    """Faker's locale for a country, else for a language, else the usual one."""
    if region:
        wanted = [f"{language}_{region}", f"en_{region}"]
        wanted += [locale for locale in LOCALES if locale.endswith(f"_{region}")]
    else:
        wanted = [USUAL] * (language in ("", "en")) + [f"{language}_{language.upper()}"]
        wanted += [locale for locale in LOCALES if locale.startswith(f"{language}_")]
    return next((locale for locale in wanted if locale in LOCALES), USUAL)


@cache
def placed(options: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Values of a few options that name countries with places in Latin letters.

    They are few and always the same, since what Faker knows of a country takes time to load.
    """
    values: list[str] = []
    for value, label in Random(SEED).sample(options, len(options)):
        named = region(value, label)
        locale = locale_of("", named)
        letters = "".join(_facts(locale, "city") + _facts(locale, "postcode"))
        if named and locale.endswith(named) and max(letters) < LATIN:
            values.append(value)
        if len(values) == COUNTRIES:
            break
    return frozenset(values)


@cache
def region(*names: str) -> str:
    """The country of the first of these codes and names that is one, in any language."""
    codes = (name.strip().upper() for name in names)
    known = (_countries()[1].get(name.strip().casefold()) for name in names if name.strip())
    valid = (code for code in codes if code in phonenumbers.SUPPORTED_REGIONS)
    return next(filter(None, chain(valid, known)), "")


@cache
def region_in(text: str) -> str:
    """The country that a text speaks of: US, UK, Canada, kanadische."""
    for code in re.findall(r"\b[A-Z]{2}\b", text):
        if (named := {"UK": "GB"}.get(code, code)) in phonenumbers.SUPPORTED_REGIONS:
            return str(named)
    beginnings = {
        name[: max(5, len(name) - 2)]: code
        for name, code in _countries()[1].items()
        if name.isalpha()
    }
    for word in re.findall(r"[^\W\d_]{5,}", text.casefold()):
        for length in range(len(word), 4, -1):
            if word[:length] in beginnings:
                return beginnings[word[:length]]
    return ""


@cache
def _countries() -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Names of countries by language, by their codes; and codes by these names.

    The file is run alone, since its package loads the places of all numbers.
    """
    place = Path(phonenumbers.__file__).parent / "geodata" / "locale.py"
    data = runpy.run_path(str(place), run_name="phonenumbers.geodata.locale")
    names: dict[str, dict[str, str]] = data["LOCALE_DATA"]
    return names, {name.casefold(): code for code, of in names.items() for name in of.values()}


def country(region: str, language: str) -> str:
    translations = _countries()[0].get(region, {})
    name = translations.get(language, "*en")
    return translations.get(name[1:], region) if name.startswith("*") else name


MAKERS: dict[str, Callable[[Writer], object]] = {
    "uuid": lambda writer: writer.fake.uuid4(),
    "iban": lambda writer: writer.fake.iban(),
    "bic": lambda writer: "DEUTDEFF",
    "json": lambda writer: json.dumps({"robot": writer.number(0, 999)}),
    "ip": lambda writer: f"192.0.2.{writer.number(1, 254)}",
    "ipv6": lambda writer: f"2001:db8::{writer.number(1, 0xFFFF):x}",
    "mac": lambda writer: writer.fake.mac_address(),
    "card": lambda writer: writer.fake.credit_card_number("visa16"),
    "card-type": lambda writer: "Visa",
    "security-code": lambda writer: writer.number(100, 999),
    "expiry": lambda writer: f"{writer.number(1, 12):02}/{date.today().year % 100 + 2}",
    "latitude": lambda writer: f"{writer.chance.uniform(-80, 80):.5f}",
    "longitude": lambda writer: f"{writer.chance.uniform(-170, 170):.5f}",
    "colour": lambda writer: f"#{writer.number(0, 0xFFFFFF):06x}",
    "duration": lambda writer: f"{writer.number(0, 9):02}:{writer.number(1, 59):02}:00",
    "title": lambda writer: writer.chance.choice(("Dr", "Prof")),
    "flat": lambda writer: f"Flat {writer.number(1, 40)}",
    "extension": lambda writer: writer.number(10, 99),
    "currency": lambda writer: "EUR",
    "sex": lambda writer: "X",
    "code": lambda writer: f"{writer.number(0, 999_999):06}",
    "amount": lambda writer: writer.number(1, 100),
    "year-ahead": lambda writer: date.today().year + writer.number(1, 4),
    "day": lambda writer: f"{writer.number(1, 28):02}",
    "month": lambda writer: f"{writer.number(1, 12):02}",
    "year": lambda writer: writer.number(1950, 2000),
    "email": Writer.email,
    "letters": lambda writer: writer.plain("last").capitalize(),
    "slug": lambda writer: f"{writer.plain('last')}-{writer.token()}",
    "username": lambda writer: f"{writer.plain('first')}{writer.token()}",
    "url": lambda writer: f"https://www.example.org/{writer.plain('first')}/{writer.token()}",
    "name": lambda writer: f"{writer.fact('first')} {writer.fact('last')}",
    "vat": lambda writer: VAT.get(locale_of(writer.language), VAT["de_DE"]),
    "country": lambda writer: country(writer.country, writer.language),
    "country-code": lambda writer: writer.country,
    "calling-code": lambda writer: f"+{phonenumbers.country_code_for_region(writer.country) or 1}",
    "area-code": lambda writer: "202",
    "local-number": lambda writer: f"555{writer.number(1000, 9999)}",
    "language": lambda writer: writer.language or "en",
}
"""What is made for a field, by what it is about."""


def _telephones(region: str, chance: Random) -> list[str]:
    """A valid number of a country as it is written abroad and there, in several ways."""
    known = phonenumbers.example_number_for_type(region, PhoneNumberType.MOBILE)
    parsed = example = known or phonenumbers.parse("+12015550123")
    number = phonenumbers.format_number(example, PhoneNumberFormat.E164)
    for _ in range(HOW_MANY):
        varied = number[:-VARIED] + "".join(chance.choices(string.digits, k=VARIED))
        parsed = phonenumbers.parse(varied)
        if phonenumbers.is_valid_number(parsed):
            break
    else:
        parsed = example
    forms = (PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.NATIONAL)
    written = [phonenumbers.format_number(parsed, form) for form in forms]
    groups = re.findall(r"\w+", written[2])
    return [*written, *(sign.join(groups) for sign in ("", *"-. /"))]


def texts(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    """What is suggested or shown, then what is meant, then what its pattern makes.

    After refusals that can't be read come other kinds of text in turn.
    """
    suggested = [choice.value for choice in control.choices]
    yield from writer.chance.sample(suggested, len(suggested))
    others = list(_others(writer)) if writer.refusals else []
    turn = writer.refusals % len(others) if others else 0
    shown = _shown(control, asked, writer) if not writer.refusals or asked.example else ()
    if control.kind == "password":
        likely = chain(_passwords(control, asked, writer), shown)
    else:
        begin = others[turn - 1 :] + others if others else []
        likely = chain(begin, shown, _meant(control, asked, writer))
    whole = list(filter(None, likely))
    fitted = [fit(text, control, asked, writer.chance) for text in whole]
    yield from (text for text in whole if text in fitted)
    yield from fitted
    if (pattern := control.limits.get("pattern")) and control.kind != "textarea":
        yield from made(pattern, _lengths(control, asked)[0], writer.chance)


def _shown(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    if about(control) == "expiry":
        ahead = Range(least=date.today().toordinal() + Fraction(365))
        asked |= Constraint(ranges={"date": ahead})

    def day() -> date:
        return date.fromisoformat(point(control, "date", asked, writer.chance))

    for text in (asked.example, control.limits.get("placeholder", ""), control.hint):
        yield like(text, day, writer.chance)


def _others(writer: Writer) -> Iterator[str]:
    yield str(writer.number(1, 9))
    yield writer.fact("last")
    yield str(writer.number(10000, 99999))
    yield date.today().strftime("%d.%m.%Y" if writer.language == "de" else "%d/%m/%Y")
    yield writer.email()
    letters = "".join(writer.chance.choices(string.ascii_uppercase, k=2))
    yield f"{letters}{writer.number(1000, 9999)}"
    yield f"https://www.example.org/{writer.token()}"


def _passwords(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    """Long ones with letters of both cases, digits and a sign."""
    if asked.kind == "digits":
        yield _digits(asked, writer)
    least, most = _lengths(control, asked)
    wanted = max(16, least) if most is None else min(max(16, least), most)
    for length in (wanted, 12, 10, 8, 20):
        for end in PASSWORDS:
            yield (writer.token(length) + end)[-length:] if length > len(end) else ""
    yield writer.token(wanted)


def _meant(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    kind = asked.kind or (control.kind if control.kind in ("email", "url", "tel") else "")
    of = {"tel": "phone"}.get(kind, kind) or about(control)
    if of == "digits":
        yield _digits(asked, writer)
    elif of == "phone":
        yield from _telephones(writer.country, writer.chance)
    else:
        yield str(MAKERS[of](writer)) if of in MAKERS else writer.fact(of)
    yield f"{writer.fact('last')}{writer.token()}" if "spaceless" in asked.says else ""
    if control.kind == "textarea":
        yield " ".join(writer.sentence() for _ in range(3))
    yield writer.sentence()


def _digits(asked: Constraint, writer: Writer) -> str:
    least, most = asked.of("characters", "digits").whole
    return "".join(writer.chance.choices(string.digits[1:], k=least or most or 5))


def _lengths(control: Control, asked: Constraint) -> tuple[int, int | None]:
    least, most = lengths(control)
    low, high = asked.of("", "characters", *["digits"] * (asked.kind == "digits")).whole
    return max(least, low), min((end for end in (most, high) if end is not None), default=None)


def fit(text: str, control: Control, asked: Constraint, chance: Random) -> str:
    """Shortened or extended to the allowed length, with what is asked for."""
    text = text.upper() if "upper" in asked.says else text
    text = text.lower() if "lower" in asked.says else text
    least, most = _lengths(control, asked)
    if asked.prefix and not text.startswith(asked.prefix):
        text = asked.prefix + text[len(asked.prefix) if least else 0 :]
    if "spaceless" in asked.says:
        text = "".join(text.split())
    if "words" in asked.ranges:
        low, high = asked.of("words").whole
        words = text.split() or ["word"]
        words *= -(-max(low, 1) // len(words))
        text = " ".join(words[: max(low, high or len(words))])
    if most is not None and len(text) > most and control.kind in ("email", "url"):
        end = {"email": "@example.org", "url": "https://example.org/"}[control.kind]
        token = "".join(chance.choices(ALPHABET, k=max(0, most - len(end))))
        text = token + end if control.kind == "email" else (end + token)[:most]
    while len(text) < least:
        text = f"{text} {text}" if " " in text and "spaceless" not in asked.says else text + "x"
    if most is not None and len(text) > most:
        text = text[:most].strip()
        text += "x" * (least - len(text))
    return text


@cache
def _sample(extension: str) -> tuple[str, bytes]:
    """Content type and content of a small valid file."""
    path = Path(__file__).parent / "samples" / f"sample.{extension}"
    return guess_type(path)[0] or "", path.read_bytes()


def upload(control: Control, asked: Constraint, chance: Random) -> Upload | None:
    """A file that the control accepts, or None if there is none.

    What errors ask for weighs more than `accept` (.pdf, image/png, image/*).
    """
    accepted = control.limits.get("accept", "").lower().split(",")
    wanted = [f".{extension}" for extension in asked.extensions]
    wanted = wanted or ["image/png"] * (asked.kind == "image")
    wanted = wanted or [word.strip() for word in accepted if word.strip()] or [f".{SAMPLES[0]}"]
    for word in wanted:
        for extension in SAMPLES:
            content_type, content = _sample(extension)
            named = f".{extension}" == word.replace("jpeg", "jpg")
            if named if word.startswith(".") else fnmatch(content_type, word):
                name = f"robot-{chance.randrange(10_000)}.{extension}"
                return Upload(name, content, content_type)
    return None
