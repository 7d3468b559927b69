"""Made-up people, and places and telephones by country: by Faker and phonenumbers."""

import pkgutil
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from random import Random

import phonenumbers
from faker import Faker
from faker.providers import address
from phonenumbers import PhoneNumberFormat, PhoneNumberType

HOW_MANY = 64  #: Of each name and place of a locale: Faker takes longer for one than a page does.
SEED = 20140601
"""Always the same names, so that only a completion's seed decides who fills the form."""

MAKERS = {
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

LOCALES = sorted(one.name for one in pkgutil.iter_modules(address.__path__) if "_" in one.name)
"""Those with addresses of their own: for the others Faker gives American ones."""

USUAL = "en_US"
LATIN = "\u0250"  #: Letters before this are Latin.
COUNTRIES = 8  #: At most, of those that a form offers.
VARIED = 5  #: Digits in which telephone numbers differ.


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, whose name and address depend on the language and country that are asked for."""

    number: int

    def fact(self, about: str, locale: str) -> str:
        """One of MAKERS; empty for others."""
        number = self.number // HOW_MANY if about == "last" else self.number
        known = _facts(locale, about)
        fact = known[number % HOW_MANY] if known else ""
        return f"{self.fact('last', locale)} & {fact}" if about == "company" else fact

    def beside(self, row: int) -> "Person":
        """Another person, for another row of a form."""
        return Person(self.number + row * (HOW_MANY + 1))


def person(chance: Random) -> Person:
    return Person(chance.getrandbits(40))


def fake(locale: str, chance: Random) -> Faker:
    """Faker with this source of chance."""
    faker = _faker(locale)
    faker.random = chance  # type: ignore[attr-defined]
    return faker


@cache
def _faker(locale: str) -> Faker:
    return Faker(locale)


@cache
def _facts(locale: str, about: str) -> tuple[str, ...]:
    faker = fake(locale, Random(SEED))
    make = getattr(faker, MAKERS.get(about, ""), None)
    return tuple(str(make()) for _ in range(HOW_MANY)) if make else ()


@cache
def words(locale: str) -> Sequence[str]:
    return tuple(_faker(locale).get_words_list())


@cache
def locale(language: str, region: str = "") -> str:
    """Faker's locale for a country, else for a language, else the usual one."""
    if region:
        wanted = [f"{language}_{region}", f"en_{region}"]
        wanted += [one for one in LOCALES if one.endswith(f"_{region}")]
    else:
        wanted = [USUAL] * (language in ("", "en")) + [f"{language}_{language.upper()}"]
        wanted += [one for one in LOCALES if one.startswith(f"{language}_")]
    return next((one for one in wanted if one in LOCALES), USUAL)


@cache
def placed(options: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Values of a few options that name countries with places in Latin letters.

    They are few and always the same, since what Faker knows of a country takes time to load.
    """
    values: list[str] = []
    for value, label in Random(SEED).sample(options, len(options)):
        found = region(value, label)
        local = locale("", found)
        letters = "".join(_facts(local, "city") + _facts(local, "postcode"))
        if found and local.endswith(found) and max(letters) < LATIN:
            values.append(value)
        if len(values) == COUNTRIES:
            break
    return frozenset(values)


@cache
def region(*names: str) -> str:
    """The country of the first of these codes and names that is one, in any language."""
    for name in names:
        if (code := name.strip().upper()) in phonenumbers.SUPPORTED_REGIONS:
            return code
    known = (_codes().get(name.strip().casefold()) for name in names if name.strip())
    return next(filter(None, known), "")


@cache
def region_in(text: str) -> str:
    """The country that a text speaks of: US, UK, Canada, kanadische."""
    for code in re.findall(r"\b[A-Z]{2}\b", text):
        if (named := {"UK": "GB"}.get(code, code)) in phonenumbers.SUPPORTED_REGIONS:
            return str(named)
    for word in re.findall(r"[^\W\d_]{5,}", text.casefold()):
        for length in range(len(word), 4, -1):
            if word[:length] in _stems():
                return _stems()[word[:length]]
    return ""


@cache
def _codes() -> dict[str, str]:
    """Countries by their names."""
    return {name.casefold(): code for code, names in _names().items() for name in names.values()}


@cache
def _stems() -> dict[str, str]:
    """Countries by the beginnings of their names."""
    names = ((name, code) for name, code in _codes().items() if name.isalpha())
    return {name[: max(5, len(name) - 2)]: code for name, code in names}


def country(region: str, language: str) -> str:
    translations = _names().get(region, {})
    name = translations.get(language, "*en")
    return translations.get(name[1:], region) if name.startswith("*") else name


@cache
def _names() -> dict[str, dict[str, str]]:
    """Names of countries by language; alone, since its package loads the places of all numbers."""
    place = Path(phonenumbers.__file__).parent / "geodata" / "locale.py"
    loader = SourceFileLoader("phonenumbers.geodata.locale", str(place))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return dict(module.LOCALE_DATA)


def telephones(region: str, chance: Random) -> list[str]:
    """A valid number of a country as it is written abroad and there, in several ways."""
    known = phonenumbers.example_number_for_type(region, PhoneNumberType.MOBILE)
    example = known or phonenumbers.parse("+12015550123")
    number = phonenumbers.format_number(example, PhoneNumberFormat.E164)
    for _ in range(HOW_MANY):
        varied = number[:-VARIED] + "".join(chance.choices(string.digits, k=VARIED))
        parsed = phonenumbers.parse(varied)
        if phonenumbers.is_valid_number(parsed):
            break
    else:
        parsed = example
    international = phonenumbers.format_number(parsed, PhoneNumberFormat.INTERNATIONAL)
    national = phonenumbers.format_number(parsed, PhoneNumberFormat.NATIONAL)
    digits = "".join(sign for sign in national if sign.isdigit())
    groups = national.replace("(", "").replace(")", "").replace("-", " ").split()
    return [
        phonenumbers.format_number(parsed, PhoneNumberFormat.E164),
        international,
        national,
        digits,
        *(sign.join(groups) for sign in "-. /"),
    ]


def calling_code(region: str) -> str:
    return f"+{phonenumbers.country_code_for_region(region) or 1}"
