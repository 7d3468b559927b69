"""How English, German, French and Spanish express requirements: words in languages.toml, and here
what has a form of its own. Read by `constraints`.
"""

import tomllib
from functools import cache
from pathlib import Path
from re import Pattern
from re import compile as compiled

NUMBER = r"(?:(?<!\d)-)?\d+(?:[.,'’\u00a0\u202f ]\d{3})*(?:[.,]\d+)?(?![\d/])"
MONTHS = (
    *(r"(?:jan|ene)\w*", r"f[eé][bv]\w*", r"m(?:är|ar|rz|aer)\w*", r"a[pvb]r\w*", r"ma[iy]\w*"),
    *(r"jui?n\w*", r"jui?l\w*", r"a[uog][gûuo]\w*", r"sep\w*", r"o[ck]t\w*", r"nov\w*"),
    r"d[eéi][czc]\w*",
)
_MONTH = "|".join(MONTHS)
DAY = (
    rf"\d{{4}}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{{4}}|"
    rf"\d\d?(?:\.|er|st|nd|rd|th)? (?:de )?(?:{_MONTH})\.?(?: de)? \d{{4}}|"
    rf"(?:{_MONTH})\.? \d\d?(?:st|nd|rd|th)?,? \d{{4}}"
)
TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
WORTH = {
    word: str(value)
    for words in TABLES["numbers"].values()
    for value, word in enumerate(words)
    if word.isalpha()
}
"""Numbers by the words that have one form."""

_WORDS = "|".join(WORTH)
STEP = (
    rf"(?:\b\w\w+s of|\b(?:en|par|por) (?:\w+ )?\w+[sx] de|\bm[uú]ltip\w+ (?:of|de)|\bdurch|"
    rf"\bvielfache[sn]? (?:von|der schrittweite)|\bschritt\w* (?:von|zu)|\bin \w+en (?:von|zu|à)|"
    rf"\bdivisibles? (?:by|par|por)|step size|taille de pas|par pas de)\s+({NUMBER}|{_WORDS})\b"
    rf"|\b(\d+)er[- ](?!jahr|{_MONTH})\w"
)
"""Packs of 5, multiples of 5, in 5er-Packungen, par lots de 5: a plural, and its size."""

EXAMPLE = (
    r"(?:\blike|such as|e\.g\.,?|for example,?|ex[ea]mple:?|(?:of the|im|au|en) form|"
    r"format[eo]?:?|wie|z\. ?b\.|zum beispiel|beispiel:|par exemple,?|p\. ?ex\.|ex\.?:|"
    r"ejemplo:?|comme|como(?! m[áí]))\s+"
    r"[\"'“‘«„]?\s?((?:[^\s\"'”’»,;]+ (?=[A-Z0-9]{1,4}\b))*[^\s\"'”’»,;]+)"
)
PREFIX = (
    r"(?:(?:start|begin)s?(?:ning)? with|(?:beginn|anfang)\w* mit|(?:commence|débute)\w* par|"
    r"(?:empie|comien)\w* (?:con|por)|mit) (?:the |dem |der |le |la )?"
    r"[\"'“‘«„]?\s?([^\s\"'”’».,;]*[^\w\s\"'”’».,;][^\s\"'”’».,;]*|\d+|[A-Z]{1,4})"
    r"[\"'”’»]?(?=\s*(?:$|[.,;!]|and\b|und\b|et\b|y\b|begin|anf))"
)

KINDS = tuple(("|".join(patterns), kind) for kind, patterns in TABLES["kinds"].items())
"""What a text must be, by what is said of it; the first that is found counts."""


CLAUSE = compiled(rf"(?:[;!?]|\.(?! (?:{_MONTH}|\d)))(?:\s|$)|[,:]\s(?!\d)|\n")


@cache
def says(name: str) -> Pattern[str]:
    return compiled("|".join(TABLES["says"][name]))


@cache
def tokens() -> Pattern[str]:
    """One group a word of the grammar, unit or quantity, named after what it means."""
    numbers = "|".join(
        f"(?P<{language}{value}>{word})"
        for language, words in TABLES["numbers"].items()
        for value, word in enumerate(words)
    )
    words = (TABLES["words"] | TABLES["units"]).items()
    meanings = "|".join(f"(?P<{name}>{'|'.join(patterns)})" for name, patterns in words)
    pattern = rf"(?<![^\W\d_])(?:(?P<day>D)|(?P<number>{NUMBER})|{meanings}|{numbers})(?![^\W\d_])"
    return compiled(pattern.replace("(?= D)", f"(?= {DAY})").replace("D)", f"{DAY})"))


@cache
def unit_of(word: str) -> str:
    """What a comparison counts by itself: longer characters, older years."""
    units = (unit for unit in ("characters", "years") if _unit(unit).fullmatch(word))
    return next(units, "")


@cache
def _unit(name: str) -> Pattern[str]:
    return compiled("|".join(TABLES["units"][name]))
