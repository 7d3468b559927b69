"""What an error message requires, read by a grammar: negation × relation × quantity.

The words are in `languages`. For an unreadable error other answers are tried; see `filling`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache, reduce
from operator import or_

from benchsuite.robot import languages
from benchsuite.robot.formats import masked
from benchsuite.robot.hints import about
from benchsuite.robot.languages import WORTH

LESS, EQUAL, MORE = "<", "=", ">"
RELATIONS = {
    "least": {EQUAL, MORE},
    "most": {LESS, EQUAL},
    "upto": {LESS, EQUAL},
    "more": {MORE},
    "less": {LESS},
    "equal": {EQUAL},
}
UNITS = frozenset(languages.TABLES["units"])
FORMATTED = frozenset(
    (
        *("uuid", "json", "iban", "ipv6", "ip", "card", "vat", "email", "url", "phone"),
        *("postcode", "colour"),
    )
)
TINY = Fraction(1, 10**9)  #: By which a number is more than another one, at least.
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Limits of a number or a count."""

    least: Fraction | None = None
    most: Fraction | None = None

    def __or__(self, other: "Range") -> "Range":
        """Both; the other one's ends if they differ."""
        least = self.least if other.least is None else other.least
        return Range(least=least, most=self.most if other.most is None else other.most)

    def __contains__(self, value: Fraction | int) -> bool:
        low, high = (
            self.least is None or value >= self.least,
            self.most is None or value <= self.most,
        )
        return low and high

    @property
    def whole(self) -> tuple[int, int | None]:
        """The least and the most of a count."""
        low = max(0, math.ceil(self.least or 0))
        return low, None if self.most is None else math.floor(self.most)


ANY = Range()


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """All that is known; None or empty if unknown."""

    ranges: Mapping[str, Range] = field(default_factory=dict)
    """By what is counted: characters, words, digits, decimals, years, days from today; or "" for
    the value itself, and for choices."""
    step: Fraction | None = None
    kind: str = ""
    """integer, number, email, url, date, time, slug, letters, digits, image, uuid, iban, …"""
    earliest: date | None = None
    latest: date | None = None
    later: bool = False  #: Later or greater than another answer.
    earlier: bool = False
    fresh: bool = False  #: The given value already exists.
    same: bool = False  #: It must equal the previous field of its kind.
    distinct: bool = False  #: It must differ from others.
    spaceless: bool = False
    case: str = ""  #: upper or lower.
    prefix: str = ""  #: What it must start with.
    example: str = ""
    extensions: tuple[str, ...] = ()  #: Of files.

    def __or__(self, other: "Constraint") -> "Constraint":
        """Both; the other one if they differ."""
        if self is NOTHING or other is NOTHING:
            return other if self is NOTHING else self
        kept = {
            one.name: getattr(self, one.name)
            if getattr(other, one.name) in (None, "", False, ())
            else getattr(other, one.name)
            for one in fields(Constraint)
        }
        units = self.ranges.keys() | other.ranges.keys()
        kept["ranges"] = {unit: self.of(unit) | other.of(unit) for unit in units}
        return Constraint(**kept)

    def of(self, unit: str) -> Range:
        return self.ranges.get(unit, ANY)

    @property
    def silent(self) -> bool:
        """Whether it only says that something is missing or wrong."""
        return self == NOTHING

    @property
    def limits(self) -> "Constraint":
        """What can be told by a label or a hint as well."""
        return Constraint(
            ranges=self.ranges,
            step=self.step,
            kind="digits" if self.of("digits").most is not None else "",
            earliest=self.earliest,
            latest=self.latest,
            example=self.example,
        )


NOTHING = Constraint()

ASIDES = re.compile(r"\((?:it has|er hat|il en a|tiene) [^)]*\)|\(\d+ characters?\)")
PARTS = re.compile(
    r"\b(?:one|1|eine?n?|une?|un) (?:digit|number|upper|lower|capital|special|symbol|letter|ziffer|"
    r"zahl|groß|klein|sonder|buchstabe|chiffre|majuscule|minuscule|caractère spécial|lettre|dígito|"
    r"mayúscula|minúscula)\w*"
)
"""Further requirements of passwords, which ours all meet."""

GROUPS = re.compile(r"[\s\u00a0\u202f'’]")
EXTENSION = re.compile(r"(?:(?<=\.)|(?<!\w))(pdf|png|jpe?g|gif|txt|csv|json|docx?|zip|xlsx?)\b")


def constraint(sentences: tuple[str, ...]) -> Constraint:
    """What all errors of one control require."""
    return _added(sentences, date.today())


@lru_cache(maxsize=4096)
def _added(sentences: tuple[str, ...], today: date) -> Constraint:
    added = reduce(or_, (_read(sentence, today) for sentence in sentences), NOTHING)
    return NOTHING if added.silent else added


def _read(sentence: str, today: date) -> Constraint:
    plain = PARTS.sub("", ASIDES.sub("", sentence.lower()))
    step = re.search(languages.STEP, plain)
    example = re.search(languages.EXAMPLE, sentence, re.I)
    prefix = re.search(languages.PREFIX, sentence, re.I)
    upper, lower = _says("upper", plain), _says("lower", plain)
    shown = example[1].rstrip(".)") if example else ""
    shown = shown if any(sign.isdigit() for sign in shown) else masked(sentence)
    counted = plain.replace(step[0], " ") if step else plain
    counted = counted.replace(shown.lower(), " ") if shown else counted
    found = Constraint()
    unit = ""
    extensions: list[str] = []
    for clause in languages.CLAUSE.split(counted):
        reader = _Clause(today, unit)
        reader.read(clause)
        found |= reader.constraint()
        unit = reader.unit
        extensions += [] if reader.denies else EXTENSION.findall(clause)
    return found | Constraint(
        step=number(WORTH.get(step[1], step[1] or step[2])) if step else None,
        kind=_kind(plain) if found.of("digits").least in (None, found.of("digits").most) else "",
        fresh=_says("fresh", plain),
        same=_says("same", plain),
        distinct=_says("distinct", plain),
        spaceless=_says("spaceless", plain),
        case="" if upper and lower else "upper" if upper else "lower" if lower else "",
        prefix=prefix[1] if prefix else "",
        example=shown,
        extensions=tuple(extensions),
    )


def _says(name: str, plain: str) -> bool:
    return languages.says(name).search(plain) is not None


def _kind(plain: str) -> str:
    if (meant := about(plain)) in FORMATTED:
        return meant
    return next((kind for pattern, kind in languages.KINDS if re.search(pattern, plain)), "")


@dataclass(slots=True)
class _Quantity:
    value: Fraction | date
    relation: set[str]  #: Empty if none stands before it.
    unit: str


class _Clause:
    """Reads a clause from left to right: a relation waits for its quantity, or follows it."""

    def __init__(self, today: date, unit: str) -> None:
        self.unit = unit  #: Of quantities without one.
        self.denies = False
        self._today = today
        self._quantities: list[_Quantity] = []
        self._relation: set[str] = set()
        self._compared: set[str] = set()  #: The last relation without a quantity.
        self._noun = False  #: Whether the relation is a limit ("minimum"), which is never denied.
        self._joint = ""
        self._seen: set[str] = set()

    def read(self, clause: str) -> None:
        for match in languages.tokens().finditer(clause):
            name = match.lastgroup or ""
            if name in RELATIONS:
                self._relate(name)
                if unit := languages.unit_of(match[0]):
                    self._count(unit)
            elif name in UNITS:
                self._count("" if name == "choices" else name)
            elif name in ("past", "future"):
                self._relate("less" if name == "past" else "more")
                self._quantity(self._today)
            elif name == "today":
                self._quantity(self._today)
            elif name == "day":
                if found := day(match[0]):
                    self._quantity(found)
            elif name == "number":
                self._quantity(number(match[0]))
            elif name.rstrip("0123456789") in languages.TABLES["numbers"]:
                value = Fraction(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
                if value != 1 or self._relation or name == "english1":  # else it is an article
                    self._quantity(value)
            else:
                self._note(name)
        self._behind()

    def _note(self, name: str) -> None:
        if name in ("to", "and"):
            self._joint = name
        if name == "and" and "between" not in self._seen:
            self._behind()
            self._seen.discard("not")
        if name == "not":
            self.denies = True
        self._seen.add(name)

    def _relate(self, name: str) -> None:
        behind = self._quantities and not self._quantities[-1].relation
        if name == "upto" and behind:  # 3 bis 5
            self._joint = "to"
            return
        noun = name in ("least", "most", "upto")
        behind = behind and not self._relation
        if noun or self._noun:
            self._relation = set()
        self._relation |= RELATIONS[name]
        self._noun = noun
        if not noun:
            self._compared = self._taken()
        if noun and behind:  # 5 minimum
            self._behind()

    def _taken(self) -> set[str]:
        """The relation with its negation; a plain statement in an error says what is wrong."""
        stated = "is" in self._seen and "must" not in self._seen
        if self._noun or not self._relation or ("not" in self._seen) == stated:
            return self._relation
        return {LESS, EQUAL, MORE} - self._relation

    def _behind(self) -> None:
        """A relation after its quantity: 10 or more, 10 nicht überschreiten."""
        if self._relation and self._quantities and not self._quantities[-1].relation:
            self._relation |= {EQUAL} if "or" in self._seen else set()
            self._quantities[-1].relation = self._taken()
            self._relation, self._compared = set(), set()

    def _count(self, unit: str) -> None:
        if self._quantities and not self._quantities[-1].unit and not self._relation:
            self._quantities[-1].unit = unit
        self.unit = unit

    def _quantity(self, value: Fraction | date) -> None:
        last = self._quantities[-1] if self._quantities else None
        if "or" in self._seen and last and not last.relation and isinstance(last.value, Fraction):
            self._behind()
        ranged = self._joint == "to" or "between" in self._seen
        if last and self._joint and ranged and isinstance(value, type(last.value)):
            last.relation, relation = {EQUAL, MORE}, {LESS, EQUAL}
        else:
            relation = self._taken()
        self._quantities.append(_Quantity(value, relation, ""))
        self._relation, self._compared, self._joint, self._noun = set(), set(), "", False

    def constraint(self) -> Constraint:
        ranges: dict[str, Range] = {}
        earliest = latest = None
        alone = len(self._quantities) == 1
        for quantity in self._quantities:
            value, relation = quantity.value, quantity.relation
            if isinstance(value, date):
                if LESS not in relation and relation:
                    earliest = value if EQUAL in relation else value + ONE_DAY
                elif MORE not in relation and relation:
                    latest = value if EQUAL in relation else value - ONE_DAY
                continue
            if alone and not relation and quantity.unit in ("digits", "characters") and value > 1:
                relation = {EQUAL}
            if not relation:
                continue
            unit = quantity.unit or self.unit
            ranges[unit] = ranges.get(unit, ANY) | Range(
                least=value + TINY * (EQUAL not in relation) if LESS not in relation else None,
                most=value - TINY * (EQUAL not in relation) if MORE not in relation else None,
            )
        meant = "must" in self._seen or "is" in self._seen
        return Constraint(
            ranges=ranges,
            earliest=earliest,
            latest=latest,
            later=meant and MORE in self._compared and LESS not in self._compared,
            earlier=meant and LESS in self._compared and MORE not in self._compared,
        )


def number(text: str) -> Fraction:
    """12,5 and 1.500 and 1 500,25, as each language writes numbers."""
    plain = GROUPS.sub("", text)
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0:
        return Fraction(plain)
    whole = re.sub(r"[.,]", "", plain[:last])
    rest = plain[last + 1 :]
    thousands = len(rest) == 3 and whole.lstrip("-") not in ("", "0")
    return Fraction(whole + rest) if thousands else Fraction(f"{whole}.{rest}")


def day(text: str) -> date | None:
    """2026-03-01, 01.03.2026, 01/03/2026 (day first if possible), 1. März 2026."""
    figures = [int(one) for one in re.findall(r"\d+", text)]
    if len(figures) == 2:
        names = (rf"\b(?:{name})" for name in languages.MONTHS)
        month = next((at for at, name in enumerate(names, 1) if re.search(name, text)), 0)
        figures = [figures[1], month, figures[0]]
    elif figures[0] < 1000:
        figures.reverse()
    year, month, found = figures
    if month > 12:
        month, found = found, month
    try:
        return date(year, month, found)
    except ValueError:
        return None
