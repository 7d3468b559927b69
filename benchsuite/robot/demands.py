"""What an error asks for, read from its words.

English, because an error in another language still gets other candidates in turn, only blindly.
"""

import re
from dataclasses import dataclass, fields
from datetime import date
from functools import lru_cache

NUMBER = r"(-?\d+(?:[.,]\d+)?)"
NUMBER_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)
WORD_FOR_NUMBER = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """All that is known; None and empty where nothing is.

    Least and most are numbers, lengths or counts of choices, as the control takes it.
    """

    least: float | None = None
    most: float | None = None
    length: bool = False
    """Whether least and most count characters."""
    step: float | None = None
    decimals: int | None = None
    digits: int | None = None
    kind: str = ""
    """number, email, url, date, time, slug, letters, digits, image."""
    earliest: date | None = None
    latest: date | None = None
    when: str = ""
    """past or future."""
    fresh: bool = False
    """What was given is there already."""
    same: bool = False
    """It must equal the field before it of its kind."""
    agree: bool = False
    """It must be given or ticked."""
    example: str = ""
    extensions: tuple[str, ...] = ()

    def __or__(self, other: "Demand") -> "Demand":
        """Both; where they differ, the other."""
        kept = {
            one.name: getattr(other, one.name) or getattr(self, one.name) for one in fields(Demand)
        }
        for name in ("least", "most"):
            if getattr(other, name) is not None:
                kept[name] = getattr(other, name)
        return Demand(**kept)


PATTERNS = {
    "between": r"\b(?:between|from|range(?: of)?|tick|choose|select|pick|check)\s+"
    rf"{NUMBER}\s*(?:and|to|[-–])\s*{NUMBER}",
    "exactly": rf"\bexactly\s+{NUMBER}",
    "least": rf"(?:at least|minimum(?: length| value)?(?: of| is)?:?|no(?:t)? (?:less|fewer) than|"
    rf"greater than or equal to|or equal to or greater than|longer than or equal to|>=)\s+{NUMBER}",
    "or_more": rf"{NUMBER}(?: \w+)? or more",
    "above": rf"(?<!no )(?<!not )(?:more|greater|longer|larger) than\s+{NUMBER}",
    "most": rf"(?:at most|maximum(?: length| value)?(?: of| is)?:?|no(?:t)? more than|up to|"
    rf"less than or equal to|<=)\s+{NUMBER}",
    "or_less": rf"{NUMBER}(?: \w+)? or (?:less|fewer)",
    "below": rf"(?<!no )(?<!not )(?:less|fewer|smaller|shorter) than\s+{NUMBER}",
}
RULES = {name: re.compile(pattern) for name, pattern in PATTERNS.items()}
STEP = re.compile(rf"multiple of(?: step size)?\s+{NUMBER}")
DECIMALS = re.compile(r"no more than (\d+) decimal")
DIGITS = re.compile(r"no more than (\d+) digits? in total")
ISO = r"(\d{4}-\d{2}-\d{2})"
AFTER = re.compile(rf"\b(?:after|from|since|not before|on or after|no earlier than)\s+{ISO}")
BEFORE = re.compile(rf"\b(?:before|until|not after|on or before|no later than)\s+{ISO}")
EXTENSIONS = re.compile(r"allowed (?:file )?(?:extensions|types) are:?\s*([\w, .*]+)", re.I)
EXAMPLE = re.compile(
    r"(?:\blike|such as|e\.g\.|for example|example:|in the form|of the form|format:?)\s+"
    r"[\"'“‘]?([^\s\"'”’,;]+)",
    re.I,
)
KINDS = (
    (r"whole number|integer", "integer"),
    (r"valid (?:decimal )?number|be a number|number (?:between|from)|numeric value", "number"),
    (r"e-?mail", "email"),
    (r"valid (?:url|link|web)|\burl\b", "url"),
    (r"valid date/time|valid datetime", "datetime-local"),
    (r"valid date|be a date", "date"),
    (r"valid time", "time"),
    (r"letters, numbers, underscores or hyphens|valid .slug", "slug"),
    (r"only letters|letters only|alphabetic", "letters"),
    (r"only (?:digits|numbers)|(?:digits|numbers) only", "digits"),
    (r"valid image|not an image", "image"),
)
FRESH = re.compile(r"already|taken|\bin use\b|must be unique|not available")
SAME = re.compile(r"match(?!es?\b)|not the same|be (?:the same|equal|identical)|differ\b")
AGREE = re.compile(
    r"required|must (?:be (?:checked|accepted|ticked)|agree|accept)|can.?not be blank"
)
PAST = re.compile(r"in the past|not be in the future|before today|earlier than today")
FUTURE = re.compile(r"in the future|not be in the past|after today|later than today")
LENGTH = re.compile(r"character|letter|length|\blong|\bword")
PATTERNLESS = re.compile(r"\(it has [^)]*\)|\(\d+ characters?\)")


def demand(sentences: tuple[str, ...]) -> Demand:
    """What the errors of one control ask for, all together."""
    found = Demand()
    for sentence in sentences:
        found |= _read(sentence)
    return found


@lru_cache(maxsize=4096)
def _read(sentence: str) -> Demand:
    words = PATTERNLESS.sub("", sentence.lower())
    words = WORD_FOR_NUMBER.sub(lambda word: str(NUMBER_WORDS.index(word[1])), words)
    decimals, digits_ = DECIMALS.search(words), DIGITS.search(words)
    least, most = (None, None) if decimals or digits_ else _bounds(words)
    step, after, before = STEP.search(words), AFTER.search(words), BEFORE.search(words)
    example, extensions = EXAMPLE.search(sentence), EXTENSIONS.search(sentence)
    when = "past" if PAST.search(words) else "future" if FUTURE.search(words) else ""
    if "not be in the future" in words:
        when = "past"
    return Demand(
        least=least,
        most=most,
        length=bool(LENGTH.search(words)),
        step=_number(step[1]) if step else None,
        decimals=int(decimals[1]) if decimals else None,
        digits=int(digits_[1]) if digits_ else None,
        kind=next((kind for pattern, kind in KINDS if re.search(pattern, words)), ""),
        earliest=date.fromisoformat(after[1]) if after else None,
        latest=date.fromisoformat(before[1]) if before else None,
        when=when,
        fresh=bool(FRESH.search(words)),
        same=bool(SAME.search(words)),
        agree=bool(AGREE.search(words)),
        example=example[1].rstrip(".") if example else "",
        extensions=tuple(re.findall(r"\w+", extensions[1].lower())) if extensions else (),
    )


def _bounds(words: str) -> tuple[float | None, float | None]:
    found = {name: rule.search(words) for name, rule in RULES.items()}
    if between := found["between"]:
        return _number(between[1]), _number(between[2])
    if exactly := found["exactly"]:
        return _number(exactly[1]), _number(exactly[1])
    least = found["least"] or found["or_more"]
    most = found["most"] or found["or_less"]
    above, below = found["above"], found["below"]
    return (
        _number(least[1]) if least else _number(above[1]) + 1 if above else None,
        _number(most[1]) if most else _number(below[1]) - 1 if below else None,
    )


def _number(text: str) -> float:
    return float(text.replace(",", "."))
