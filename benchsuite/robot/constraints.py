"""What an error message requires, read from its English, German or French words (`languages`).

For an unreadable error other answers are tried; see `filling`.
"""

import re
from dataclasses import dataclass, fields
from datetime import date
from functools import lru_cache

from benchsuite.robot import languages


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """All that is known; None or empty if unknown.

    Least and most are numbers, lengths or counts of choices, depending on the control.
    """

    least: float | None = None
    most: float | None = None
    above: float | None = None  #: A number that is just too small.
    below: float | None = None
    length: bool = False  #: Whether least and most count characters.
    words: bool = False  #: Whether they count words.
    years: bool = False  #: Whether they are somebody's age.
    step: float | None = None
    decimals: int | None = None
    digits: int | None = None
    kind: str = ""
    """integer, number, email, url, date, time, slug, letters, digits, image, uuid, iban, …"""
    earliest: date | None = None  #: The day before the first valid one.
    latest: date | None = None  #: The day after the last valid one.
    when: str = ""  #: past or future.
    later: bool = False  #: Later or greater than something else.
    fresh: bool = False  #: The given value already exists.
    same: bool = False  #: It must equal the previous field of its kind.
    distinct: bool = False  #: It must differ from others.
    agree: bool = False  #: It is required, or must be ticked.
    spaceless: bool = False
    case: str = ""  #: upper or lower.
    prefix: str = ""  #: What it must start with.
    example: str = ""
    extensions: tuple[str, ...] = ()

    def __or__(self, other: "Constraint") -> "Constraint":
        """Both; the other one if they differ."""
        kept = {
            one.name: getattr(other, one.name) or getattr(self, one.name)
            for one in fields(Constraint)
        }
        for name in ("least", "most", "above", "below"):
            if getattr(other, name) is not None:
                kept[name] = getattr(other, name)
        return Constraint(**kept)

    @property
    def silent(self) -> bool:
        """Whether it only says that something is missing or wrong."""
        return self == Constraint(agree=self.agree, length=self.length)


ASIDES = re.compile(r"\(it has [^)]*\)|\(\d+ characters?\)|\(er hat [^)]*\)|\(il en a [^)]*\)")
PARTS = re.compile(
    r"\b(?:one|1|eine?n?|une?|un) (?:digit|number|upper|lower|capital|special|symbol|"
    r"letter|ziffer|zahl|"
    r"groß|klein|sonder|buchstabe|chiffre|majuscule|minuscule|caractère spécial|lettre)\w*"
)
"""Further requirements of passwords, which ours all meet."""

GROUPS = re.compile(r"[\s\u00a0\u202f'’]")
MASK = re.compile(r"[a-z]{1,4}([-./: ])[a-z]{1,4}(?:[-./: ][a-z]{1,4})?$", re.I)


def constraint(sentences: tuple[str, ...]) -> Constraint:
    """What all errors of one control require."""
    found = Constraint()
    for sentence in sentences:
        found |= _read(sentence)
    return found


@lru_cache(maxsize=4096)
def _read(sentence: str) -> Constraint:
    plain = words = PARTS.sub("", ASIDES.sub("", sentence.lower()))
    for word, figure in languages.number_words():
        words = word.sub(figure, words)
    decimals, digits = _found("decimals", words), _found("digits", words)
    bounds = {} if decimals or digits else _bounds(words)
    after, before = _days("after", words), _days("before", words)
    if after or before:
        bounds = {}
    step = _found("step", words)
    past, future = _says("past", plain), _says("future", plain)
    example = re.search(languages.EXAMPLE, sentence, re.I)
    prefix = re.search(languages.PREFIX, sentence, re.I)
    extensions = re.search(languages.EXTENSIONS, sentence, re.I)
    upper, lower = re.search(languages.UPPER, words), re.search(languages.LOWER, words)
    shown = example[1].rstrip(".)") if example else ""
    return Constraint(
        **bounds,
        length=_says("length", plain),
        words=_says("words", plain),
        years=_says("years", plain),
        step=number(step[0]) if step else None,
        decimals=int(number(decimals[0])) if decimals else None,
        digits=int(number(digits[0])) if digits else None,
        kind=next((kind for pattern, kind in languages.KINDS if re.search(pattern, plain)), ""),
        earliest=after,
        latest=before,
        when="past" if past else "future" if future else "",
        later=_says("later", plain),
        fresh=_says("fresh", plain),
        same=_says("same", plain),
        distinct=_says("distinct", plain),
        agree=_says("agree", plain),
        spaceless=_says("spaceless", plain),
        case="" if upper and lower else "upper" if upper else "lower" if lower else "",
        prefix=prefix[1] if prefix else "",
        example=shown if _telling(shown) else "",
        extensions=tuple(re.findall(r"\w+", extensions[1].lower())) if extensions else (),
    )


def number(text: str) -> float:
    """12,5 and 1.500 and 1 500,25, as each language writes numbers."""
    plain = GROUPS.sub("", text)
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0:
        return float(plain)
    whole = re.sub(r"[.,]", "", plain[:last])
    rest = plain[last + 1 :]
    thousands = len(rest) == 3 and whole.lstrip("-") not in ("", "0")
    return float(whole + rest) if thousands else float(f"{whole}.{rest}")


def day(text: str) -> date | None:
    """2026-03-01, 01.03.2026, 01/03/2026 (day first if possible), 1. März 2026."""
    figures = [int(one) for one in re.findall(r"\d+", text)]
    if len(figures) == 2:
        month = next(
            (
                at
                for at, name in enumerate(languages.MONTHS, 1)
                if re.search(rf"\b(?:{name})", text)
            ),
            0,
        )
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


def _telling(example: str) -> bool:
    return any(sign.isdigit() for sign in example) or MASK.match(example) is not None


def _bounds(words: str) -> dict[str, float]:
    if between := _found("between", words):
        return {"least": number(between[0]), "most": number(between[1])}
    if exactly := _found("exactly", words):
        return {"least": number(exactly[0]), "most": number(exactly[0])}
    found = {name: _found(name, words) for name in ("least", "most", "above", "below")}
    if found["least"]:
        found["above"] = ()
    if found["most"]:
        found["below"] = ()
    return {name: number(values[0]) for name, values in found.items() if values}


def _found(name: str, words: str) -> tuple[str, ...]:
    """Values of a rule's placeholders, in the first language that matches."""
    for rule in languages.rules(name):
        if match := rule.search(words):
            return tuple(one for one in match.groups() if one is not None)
    return ()


def _says(name: str, words: str) -> bool:
    return any(rule.search(words) for rule in languages.rules(name))


def _days(name: str, words: str) -> date | None:
    found = _found(name, words)
    return day(found[0]) if found else None
