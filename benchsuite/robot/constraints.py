"""What an error message requires, by a grammar: negation × relation × quantity; see `words`."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from functools import lru_cache, reduce
from operator import or_

from benchsuite.robot import words
from benchsuite.robot.words import TABLES, WORTH, first_said, format_of, mask, phrase, says

LESS, EQUAL, MORE = "<=>"
RELATIONS = {"least": "=>", "most": "<=", "upto": "<=", "more": ">", "less": "<", "equal": "="}
RELATIONS |= {"past": "<", "future": ">"}  #: Than today.
SAID = ("fresh", "same", "distinct", "spaceless")
SINGLE = ("step", "kind", "example", "extensions")  #: Of which the newer one counts.
TINY = Fraction(1, 10**9)  #: By which a number is more than another one, at least.
EXTENSION = re.compile(r"(?:(?<=\.)|(?<!\w))(pdf|png|jpe?g|gif|txt|csv|json|docx?|zip|xlsx?)\b")


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
        above = self.least is None or value >= self.least
        return above and (self.most is None or value <= self.most)

    @property
    def whole(self) -> tuple[int, int | None]:
        """The least and the most of a count."""
        low = max(0, math.ceil(self.least or 0))
        return low, None if self.most is None else math.floor(self.most)


ANY = Range()
UNCLEAR = "unclear"  #: Two numbers, and no word on what they limit.


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """All that is known; None or empty if unknown."""

    ranges: Mapping[str, Range] = field(default_factory=dict)
    """By what is counted: characters, words, digits, decimals, years, days, date; "" for itself."""
    step: Fraction | None = None
    kind: str = ""  #: integer, number, email, url, date, slug, letters, digits, uuid, …
    says: frozenset[str] = frozenset()
    """fresh (it exists), same (as before), distinct, spaceless; later or earlier than another."""
    example: str = ""
    extensions: tuple[str, ...] = ()  #: Of files.

    def __or__(self, other: "Constraint") -> "Constraint":
        """Both; the other one if they differ."""
        ranges = {unit: self.of(unit) | ends for unit, ends in other.ranges.items()}
        parts = {name: getattr(other, name) or getattr(self, name) for name in SINGLE}
        return Constraint(ranges={**self.ranges, **ranges}, says=self.says | other.says, **parts)

    def of(self, *units: str) -> Range:
        return reduce(or_, (self.ranges.get(unit, ANY) for unit in units))


NOTHING = Constraint()


def constraint(sentences: tuple[str, ...]) -> Constraint:
    """What all errors of one control require."""
    return reduce(or_, (_read(sentence, date.today()) for sentence in sentences), NOTHING)


@lru_cache(maxsize=4096)
def _read(sentence: str, today: date) -> Constraint:
    plain = phrase("parts").sub("", phrase("told").sub("", sentence.lower()))
    step = phrase("step").search(plain)
    example = phrase("example").search(sentence)
    shown = example[1].rstrip(".)") if example else ""
    shown = shown if any(sign.isdigit() for sign in shown) else mask(sentence)[0]
    counted = plain.replace(step[0], " ") if step else plain
    counted = counted.replace(shown.lower(), " ") if shown else counted
    clauses = Constraint()
    unit = ""
    extensions: list[str] = []
    for clause in phrase("clause").split(counted):
        reader = _Clause(clause, today, unit)
        clauses |= reader.constraint()
        unit = reader.unit
        extensions += [] if "not" in reader.seen else EXTENSION.findall(clause)
    about = first_said("about", plain)
    kind = about if about in TABLES["named"]["words"] else first_said("kinds", plain)
    return clauses | Constraint(
        step=number(WORTH.get(step[1], step[1] or step[2])) if step else None,
        kind=kind if clauses.of("digits").least in (None, clauses.of("digits").most) else "",
        says=frozenset(name for name in SAID if says(name, plain)),
        example=shown,
        extensions=tuple(extensions),
    )


@dataclass(slots=True)
class _Quantity:
    value: Fraction
    relation: set[str]  #: Empty if none stands before it.
    unit: str


class _Clause:
    """Reads a clause from left to right: a relation waits for its quantity, or follows it."""

    def __init__(self, clause: str, today: date, unit: str) -> None:
        self.unit = unit  #: Of quantities without one.
        self.seen: set[str] = set()
        self._today = today
        self._quantities: list[_Quantity] = []
        self._relation: set[str] = set()
        self._compared: set[str] = set()  #: The last comparison without a quantity.
        self._noun = False  #: Whether the relation is a limit ("minimum"), which is never denied.
        self._joint = ""
        for match in words.tokens().finditer(clause):
            name = match.lastgroup or ""
            if name in RELATIONS:
                self._relate(name)
                name = words.unit_of(match[0]) or name
            if name in TABLES["units"]:
                self.unit = "" if name == "choices" else name
                if self._quantities and not self._quantities[-1].unit and not self._relation:
                    self._quantities[-1].unit = self.unit
            elif name in ("past", "future", "today", "day"):
                if when := day(match[0]) if name == "day" else self._today:
                    self._quantity(Fraction(when.toordinal()), "date")
            elif name == "number":
                self._quantity(number(match[0]))
            elif name.rstrip("0123456789") in TABLES["numbers"]:
                value = Fraction(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
                if value != 1 or self._relation or name == "english1":  # else it is an article
                    self._quantity(value)
            else:
                if name in ("to", "and"):
                    self._joint = name
                if name == "and" and "between" not in self.seen:
                    self._behind()
                    self.seen.discard("not")
                self.seen.add(name)
        self._behind()

    @property
    def _open(self) -> _Quantity | None:
        """The last quantity, if it still has no relation."""
        last = self._quantities[-1] if self._quantities else None
        return last if last and not last.relation else None

    def _relate(self, name: str) -> None:
        if name == "upto" and self._open:  # 3 bis 5
            self._joint = "to"
            return
        noun = name in ("least", "most", "upto")
        behind = noun and not self._relation
        kept = set() if noun or self._noun else self._relation
        self._relation, self._noun = kept | set(RELATIONS[name]), noun
        if not noun:
            self._compared = self._taken()
        elif behind:  # 5 minimum
            self._behind()

    def _taken(self) -> set[str]:
        """The relation with its negation; a plain statement in an error says what is wrong."""
        stated = "is" in self.seen and "must" not in self.seen
        if self._noun or not self._relation or ("not" in self.seen) == stated:
            return self._relation
        return {LESS, EQUAL, MORE} - self._relation

    def _behind(self) -> None:
        """A relation after its quantity: 10 or more, 10 nicht überschreiten."""
        if self._relation and (last := self._open):
            self._relation |= {EQUAL} if "or" in self.seen else set()
            last.relation = self._taken()
            self._relation, self._compared = set(), set()

    def _quantity(self, value: Fraction, unit: str = "") -> None:
        if "or" in self.seen and self._open and self._open.unit != "date":
            self._behind()
        last = self._quantities[-1] if self._quantities else None
        ranged = self._joint == "to" or "between" in self.seen
        relation = self._taken()
        if last and self._joint and ranged and (last.unit == "date") == (unit == "date"):
            last.relation, relation = {EQUAL, MORE}, {LESS, EQUAL}
        self._quantities.append(_Quantity(value, relation, unit))
        self._relation, self._compared, self._joint, self._noun = set(), set(), "", False

    def constraint(self) -> Constraint:
        ranges: dict[str, Range] = {}
        if len(self._quantities) == 2 and not any(one.relation for one in self._quantities):
            low, high = sorted(one.value for one in self._quantities)
            ranges[UNCLEAR] = Range(least=low, most=high)
        for quantity in self._quantities:
            value, relation, unit = quantity.value, quantity.relation, quantity.unit
            if len(self._quantities) == 1 and unit in ("digits", "characters") and value > 1:
                relation = relation or {EQUAL}
            if relation:
                apart = TINY * (EQUAL not in relation)
                unit = unit or self.unit
                ranges[unit] = ranges.get(unit, ANY) | Range(
                    least=value + apart if LESS not in relation else None,
                    most=value - apart if MORE not in relation else None,
                )
        way = self._compared & {LESS, MORE} if self.seen & {"must", "is"} else set()
        order = {"later"} if way == {MORE} else {"earlier"} if way == {LESS} else set()
        return Constraint(ranges=ranges, says=frozenset(order))


def number(text: str) -> Fraction:
    """12,5 and 1.500 and 1 500,25, as each language writes numbers."""
    *groups, rest = re.split("[.,]", re.sub(r"[\s'’]", "", text))
    whole = "".join(groups)
    grouped = len(rest) == 3 and whole.lstrip("-") not in ("", "0")
    return Fraction(whole + "." * (bool(groups) and not grouped) + rest)


def day(text: str) -> date | None:
    """2026-03-01, 01.03.2026, 01/03/2026 (day first if possible), 1. März 2026."""
    figures = re.findall(r"\d+", text)
    if len(figures) == 2:
        names = (rf"\b(?:{name})" for name in words.MONTHS)
        month = next((at for at, name in enumerate(names, 1) if re.search(name, text)), 0)
        text = f"{figures[1]}-{month}-{figures[0]}"
    form = format_of(text := text.replace(".", "/"))
    return datetime.strptime(text, form).date() if form else None
