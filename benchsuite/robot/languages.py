"""How English, German and French express requirements, read by `constraints`: one table a language
in languages.toml, and here what has a form of its own.
"""

import tomllib
from functools import cache
from pathlib import Path
from re import Pattern
from re import compile as compiled

NUMBER = r"(-?\d+(?:[.,'’\u00a0\u202f ]\d{3})*(?:[.,]\d+)?)(?![\d/])"
MONTHS = (
    *(r"jan\w*", r"f[eé][bv]\w*", r"m(?:är|ar|rz|aer)\w*", r"a[pv]r\w*", r"ma[iy]", r"jui?n[ie]?"),
    *(r"jui?l\w*", r"a[uo][gûu]\w*", r"sep\w*", r"o[ck]t\w*", r"nov\w*", r"d[eé][cz]\w*"),
)
_MONTH = "|".join(MONTHS)
DAY = (
    rf"(\d{{4}}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{{4}}|\d\d?(?:\.|er|st|nd|rd|"
    rf"th)? (?:{_MONTH})\.? \d{{4}}|"
    rf"(?:{_MONTH})\.? \d\d?(?:st|nd|rd|th)?,? \d{{4}})"
)

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
LANGUAGES = ("english", "german", "french")

KINDS = tuple(("|".join(patterns), kind) for kind, patterns in TABLES["kinds"].items())
"""What a text must be, by what is said of it; the first that is found counts."""

UPPER = r"upper ?case|capital|großbuchstaben|majuscules?"
LOWER = r"lower ?case|kleinbuchstaben|minuscules?"

EXTENSIONS = (
    r"(?:allowed (?:file )?(?:extensions?|types?|formats?)|erlaubt\w*|zulässig\w*|"
    r"autorisé\w*|only|nur|seuls?(?: les)?)"
    r"(?: dateiendungen| dateitypen| (?:sont|sind|are))*:?\s*(\.?(?:pdf|png|jpe?g|gif|"
    r"txt|csv|json|docx?|zip|xlsx?)\b[\w, ./*]*)"
)
EXAMPLE = (
    r"(?:\blike|such as|e\.g\.,?|for example,?|example:|in the (?:form|format)|"
    r"of the form|the format|"
    r"wie|z\. ?b\.|zum beispiel|beispiel:|im format|par exemple,?|p\. ?ex\.|exemple:?|"
    r"ex\.?:|comme|au format)\s+"
    r"[\"'“‘«„]?\s?((?:[^\s\"'”’»,;]+ (?=[A-Z0-9]{1,4}\b))*[^\s\"'”’»,;]+)"
)

PREFIX = (
    r"(?:(?:start|begin)s?(?:ning)? with|(?:beginn|anfang)\w* mit|commence\w* par|"
    r"débute\w* par|mit)"
    r" (?:the |dem |der |le |"
    r"la )?[\"'“‘«„]?\s?([^\s\"'”’».,;]*[^\w\s\"'”’».,;][^\s\"'”’».,;]*|\d+|"
    r"[A-Z]{1,4})"
    r"[\"'”’»]?(?=\s*(?:$|[.,;!]|and\b|und\b|et\b|begin|anf))"
)


@cache
def rules(name: str) -> tuple[Pattern[str], ...]:
    """The patterns of this name in all languages."""
    patterns = ("|".join(TABLES[language][name]) for language in LANGUAGES)
    return tuple(compiled(one.replace("D", DAY).replace("N", NUMBER)) for one in patterns)


@cache
def number_words() -> tuple[tuple[Pattern[str], str], ...]:
    return tuple(
        (compiled(rf"\b{word}\b"), str(number))
        for language in LANGUAGES
        for number, word in enumerate(TABLES[language]["numbers"])
    )
