"""Made-up people, and texts and files that fit a field's question, most likely ones first."""

import pkgutil
import re
import runpy
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatch
from fractions import Fraction
from functools import cache, partial
from itertools import chain
from mimetypes import guess_type
from pathlib import Path
from random import Random

import phonenumbers
from faker import Faker
from faker.providers import address
from faker.utils.text import slugify
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from benchsuite.robot.constraints import Constraint, Range
from benchsuite.robot.forms import Control, Upload
from benchsuite.robot.validity import LONGEST, lengths, made, point
from benchsuite.robot.words import TABLES, about, like

HOW_MANY = 64  #: Of each name and place of a locale: Faker takes longer for one than a page does.
SEED = 20140601  #: Always the same names, so that only a completion's seed decides who fills in.
PERSONAL = frozenset(("first", "last", "job"))
PLACED = frozenset(("street", "city", "state", "postcode"))
LOCALES = sorted(one.name for one in pkgutil.iter_modules(address.__path__) if "_" in one.name)
COUNTRIES: list[str] = TABLES["countries"]["words"]  #: To live in; few: Faker loads slowly.
ALPHABET = string.ascii_lowercase + string.digits
faker_of = cache(Faker)  #: By locale.
USUAL = ("txt", "png", "pdf")  #: Files to upload that are tried first.


@dataclass(frozen=True, slots=True)
class Writer:
    """A person who writes, where, and the number of unreadable refusals."""

    person: int
    chance: Random
    language: str = ""
    region: str = ""  #: The country that the form names.
    refusals: int = 0

    @property
    def country(self) -> str:
        return self.region or locale_of(self.language).partition("_")[2]

    def fact(self, of: str) -> str:
        """What is of the person is of the language; an address is of the country."""
        locale = locale_of(self.language, "" if of in PERSONAL else self.region)
        if of in PERSONAL | PLACED:
            number = self.person // HOW_MANY if of == "last" else self.person
            return _facts(locale, of)[number % HOW_MANY]
        return str(MAKERS[of](self)) if of in MAKERS else _made(locale, of, self.chance)

    def plain(self, of: str) -> str:
        """In letters of addresses."""
        return slugify(self.fact(of)).replace("-", "") or "robot"

    def sentence(self) -> str:
        words = faker_of(locale_of(self.language)).get_words_list()
        return " ".join(self.chance.choices(words, k=8)).capitalize() + "."

    def token(self, length: int = 8, signs: str = ALPHABET) -> str:
        """Letters and digits that hardly anybody else gets."""
        return "".join(self.chance.choices(signs, k=length))


def _made(locale: str, of: str, chance: Random) -> str:
    """By Faker with this source of chance; empty if it knows nothing of the kind."""
    faker = faker_of(locale)
    faker.random = chance  # type: ignore[attr-defined]
    method, *arguments = TABLES["faker"].get(of, [""])
    return str(getattr(faker, method)(*arguments)) if method and hasattr(faker, method) else ""


@cache
def _facts(locale: str, of: str) -> tuple[str, ...]:
    chance = Random(SEED)
    return tuple(_made(locale, of, chance) for _ in range(HOW_MANY))


@cache
def locale_of(language: str, region: str = "") -> str:
    """Faker's locale for a country, else for a language, else the usual one."""
    wanted = [f"{language}_{language.upper()}", f"{language}_"] * (language not in ("", "en"))
    if region:
        wanted = [f"{language}_{region}", f"en_{region}", f"_{region}"]
    return next((locale for part in wanted for locale in LOCALES if part in locale), "en_US")


@cache
def _countries() -> dict[str, dict[str, str]]:
    place = Path(phonenumbers.__file__).parent / "geodata" / "locale.py"
    known = runpy.run_path(str(place), run_name="phonenumbers.geodata.locale")["LOCALE_DATA"]
    return {code: known.get(code, {}) for code in sorted(phonenumbers.SUPPORTED_REGIONS)}


@cache
def _codes() -> dict[str, str]:
    """Codes by the names of countries, and by themselves."""
    names = {name: code for code, by in _countries().items() for name in by.values()}
    codes = {code: code for code in _countries()} | {"UK": "GB"}
    return {name.casefold(): code for name, code in (names | codes).items() if "*" not in name}


def region(*names: str) -> str:
    """The country of the first of these codes and names that is one, in any language."""
    known = (_codes().get(name.strip().casefold(), "") for name in names)
    return next(filter(None, known), "")


def _named(region: str, language: str) -> str:
    names = dict(_countries().get(region, {}))
    name = names.pop(language, "*en")
    while name.startswith("*"):  # as in another language, which may refer back to this one
        name = names.pop(name[1:], region)
    return name


MAKERS: dict[str, Callable[[Writer], object]] = {
    "year-ahead": lambda writer: date.today().year + writer.chance.randint(1, 4),
    "email": lambda writer: f"{writer.plain('first')}.{writer.fact('slug')}@example.org",
    "letters": lambda writer: writer.plain("last").capitalize(),
    "slug": lambda writer: f"{writer.plain('last')}-{writer.token()}",
    "username": lambda writer: f"{writer.plain('first')}{writer.token()}",
    "url": lambda writer: f"https://www.example.org/{writer.fact('slug')}",
    "name": lambda writer: f"{writer.fact('first')} {writer.fact('last')}",
    "company": lambda writer: f"{writer.fact('last')} & {writer.fact('first')}",
    "country": lambda writer: _named(writer.country, writer.language),
    "country-code": lambda writer: writer.country,
    "calling-code": lambda writer: f"+{phonenumbers.country_code_for_region(writer.country) or 1}",
    "language": lambda writer: writer.language or "en",
}  #: What Faker does not make, by what it is about.


def _telephones(writer: Writer) -> list[str]:
    """A valid number of the country as it is written abroad and there, in several ways."""
    known = phonenumbers.example_number_for_type(writer.country, PhoneNumberType.MOBILE)
    example = known or phonenumbers.parse("+12015550123")
    stem = phonenumbers.format_number(example, PhoneNumberFormat.E164)[:-5]
    numbers = (phonenumbers.parse(stem + writer.token(5, string.digits)) for _ in range(HOW_MANY))
    valid = next(filter(phonenumbers.is_valid_number, numbers), example)
    forms = (PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.NATIONAL)
    written = [phonenumbers.format_number(valid, form) for form in forms]
    groups = re.findall(r"\w+", written[2])
    return [*written, *(sign.join(groups) for sign in ("", *"-. /"))]


def texts(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    """What is shown, then meant, then made by its pattern; other kinds in turn after refusals."""
    if max(lengths(control, asked)[0], asked.of("words").whole[0]) > LONGEST:
        raise ValueError(f"no answer has more than {LONGEST} characters")
    suggested = [choice.value for choice in control.choices]
    yield from writer.chance.sample(suggested, len(suggested))
    further = list(_others(writer)) if writer.refusals else []
    turn = (writer.refusals - 1) % len(further) if further else 0
    shown = _shown(control, asked, writer) if not further or asked.example else ()
    if control.kind == "password":
        likely = chain(_passwords(control, asked, writer), shown)
    else:
        likely = chain(further[turn:], further, shown, _meant(control, asked, writer))
    changed = []
    for text in filter(None, likely):
        fitted = fit(text, control, asked, writer.chance)
        if fitted == text:
            yield text
        else:
            changed.append(fitted)
    yield from changed
    if (pattern := control.limits.get("pattern")) and control.kind != "textarea":
        yield from made(pattern, lengths(control, asked)[0], writer.chance)


def _shown(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    if about(control) == "expiry":
        asked |= Constraint(ranges={"date": Range(least=Fraction(date.today().toordinal() + 365))})
    day = partial(point, control, "date", asked, writer.chance)
    for text in (asked.example, control.limits.get("placeholder", ""), control.hint):
        yield like(text, day, writer.chance)


def _others(writer: Writer) -> Iterator[str]:
    yield writer.token(1, string.digits[1:])
    yield writer.fact("last")
    yield writer.token(5, string.digits[1:])
    yield date.today().strftime("%d.%m.%Y" if writer.language == "de" else "%d/%m/%Y")
    yield writer.fact("email")
    yield writer.token(2, string.ascii_uppercase) + writer.token(4, string.digits)
    yield writer.fact("url")


def _passwords(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    if asked.kind == "digits":
        yield _digits(asked, writer)
    least, most = lengths(control, asked)
    wanted = max(16, least) if most is None else min(max(16, least), most)
    for length in (wanted, 12, 10, 8, 20):
        for end in ("!aZ7", "-aZ7", "baZ7")[writer.refusals % 3 :]:  # has letters of all kinds
            yield (writer.token(length) + end)[-length:] if length > len(end) else ""
    yield writer.token(wanted)


def _meant(control: Control, asked: Constraint, writer: Writer) -> Iterator[str]:
    of = asked.kind or (control.kind if control.kind in ("email", "url") else "")
    of = of or ("phone" if control.kind == "tel" else about(control))
    if of == "digits":
        yield _digits(asked, writer)
    elif of == "phone":
        yield from _telephones(writer)
    else:
        yield writer.fact(of)
    yield f"{writer.fact('last')}{writer.token()}" if "spaceless" in asked.says else ""
    if control.kind == "textarea":
        yield " ".join(writer.sentence() for _ in range(3))
    yield writer.sentence()


def _digits(asked: Constraint, writer: Writer) -> str:
    least, most = asked.of("characters", "digits").whole
    return writer.token(min(least or most or 5, LONGEST), string.digits[1:])


def fit(text: str, control: Control, asked: Constraint, chance: Random) -> str:
    """Shortened or extended to the allowed length, with what is asked for."""
    least, most = lengths(control, asked)
    if "spaceless" in asked.says:
        text = "".join(text.split())
    if "words" in asked.ranges:
        low, high = asked.of("words").whole
        words = text.split() or ["word"]
        words *= -(-max(low, 1) // len(words))
        text = " ".join(words[: max(low, high or len(words))])
    most = len(text) + least if most is None else most
    if len(text) > most and control.kind in ("email", "url"):
        end = {"email": "@example.org", "url": "https://example.org/"}[control.kind]
        token = "".join(chance.choices(ALPHABET, k=max(0, most - len(end))))
        text = token + end if control.kind == "email" else (end + token)[:most]
    while len(text) < least:
        text = f"{text} {text}" if " " in text and "spaceless" not in asked.says else text + "x"
    return text if len(text) <= most else text[:most].strip().ljust(least, "x")


@cache
def _samples() -> dict[str, tuple[str, bytes]]:
    """Content type and content of small valid files by extension, the usual ones first."""
    paths = sorted(Path(__file__).with_name("samples").iterdir())
    paths.sort(key=lambda path: [*USUAL, path.suffix[1:]].index(path.suffix[1:]))
    return {path.suffix[1:]: (guess_type(path)[0] or "", path.read_bytes()) for path in paths}


def upload(control: Control, asked: Constraint, chance: Random) -> Upload | None:
    """A file that the control accepts; what errors ask for weighs more than `accept`."""
    accepted = tuple(filter(None, re.split(r"[,;\s]+", control.limits.get("accept", "").lower())))
    wanted = asked.extensions or ("image/png",) * (asked.kind == "image") or accepted
    for word in wanted or USUAL[:1]:
        ending = re.split("[/.]", word.replace("jpeg", "jpg"))[-1]
        for extension, (content_type, content) in _samples().items():
            if fnmatch(content_type, word) or ending == extension:
                name = f"robot-{chance.randrange(10_000)}.{extension}"
                return Upload(name, content, content_type)
    return None
