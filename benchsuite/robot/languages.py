"""What words mean in English, German, French and Spanish: of what a field is, which form is the
main one, which button goes on, which format is shown. The words are in languages.toml.
"""

import re
import string
import tomllib
from collections.abc import Callable, Container, Iterator
from datetime import date, datetime, time
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from re import Pattern
from typing import Any

from benchsuite.robot.forms import TYPED, Button, Control, Form, Page

TABLES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
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
WORTH = {
    word: str(value)
    for words in TABLES["numbers"].values()
    for value, word in enumerate(words)
    if word.isalpha()
}
"""Numbers by the words that have one form."""

STEP = re.compile(
    rf"(?:\b\w\w+s of|\b(?:en|par|por) (?:\w+ )?\w+[sx] de|\bm[uú]ltip\w+ (?:of|de)|\bdurch|"
    rf"\bvielfache[sn]? (?:von|der schrittweite)|\bschritt\w* (?:von|zu)|\bin \w+en (?:von|zu|à)|"
    rf"\bdivisibles? (?:by|par|por)|step size|taille de pas|par pas de)\s+"
    rf"({NUMBER}|{'|'.join(WORTH)})\b|\b(\d+)er[- ](?!jahr|{_MONTH})\w"
)
"""Packs of 5, multiples of 5, in 5er-Packungen, par lots de 5: a plural, and its size."""

EXAMPLE = re.compile(
    r"(?:\blike|such as|e\.g\.,?|for example,?|ex[ea]mple:?|(?:of the|im|au|en) form|"
    r"format[eo]?:?|wie|z\. ?b\.|zum beispiel|beispiel:|par exemple,?|p\. ?ex\.|ex\.?:|"
    r"ejemplo:?|comme|como(?! m[áí]))\s+"
    r"[\"'“‘«„]?\s?((?:[^\s\"'”’»,;]+ (?=[A-Z0-9]{1,4}\b))*[^\s\"'”’»,;]+)",
    re.I,
)
PREFIX = re.compile(
    r"(?:(?:start|begin)s?(?:ning)? with|(?:beginn|anfang)\w* mit|(?:commence|débute)\w* par|"
    r"(?:empie|comien)\w* (?:con|por)|mit) (?:the |dem |der |le |la )?"
    r"[\"'“‘«„]?\s?([^\s\"'”’».,;]*[^\w\s\"'”’».,;][^\s\"'”’».,;]*|\d+|[A-Z]{1,4})"
    r"[\"'”’»]?(?=\s*(?:$|[.,;!]|and\b|und\b|et\b|y\b|begin|anf))",
    re.I,
)
CLAUSE = re.compile(rf"(?:[;!?]|\.(?! (?:{_MONTH}|\d)))(?:\s|$)|[,:]\s(?!\d)|\n")
_TOKENS: str = TABLES["autocomplete"]["tokens"]
AUTOCOMPLETE = dict(pair.split("=") for pair in _TOKENS.split())
NEW_PASSWORD = frozenset(("minlength", "pattern", "passwordrules"))
"""Attributes of new passwords; one that exists follows the rules already."""

PART = r"([a-zå])\{}{{0,3}}"
MASK = re.compile(
    rf"(?<![^\W_])({PART.format(2)})([-./ ])({PART.format(5)})(?:\3({PART.format(7)}))?"
    r"(?:([ t,]+)h{1,2}:m{2}(:s{2})?)?(?![^\W_])",
    re.I,
)
"""DD/MM/YYYY, TT.MM.JJJJ, jj/mm/aaaa hh:mm: in whatever language, months are m."""

CLOCK = re.compile(r"(?<![^\W_])h{1,2}:m{2}(:s{2})?(?![^\W_])", re.I)
MOMENTS = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d.%m.%y"),
    *("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M"),
    *("%H:%M", "%H:%M:%S", "%m/%Y", "%m/%y"),
)
CODE = re.compile(r"[^a-zß-öø-ÿ]*\d[^a-zß-öø-ÿ]*|[-#_X9A0/. ()+:*]*[#_X9*][-#_X9A0/. ()+:*]*")
"""Digits, capitals and signs: an example to imitate."""


@cache
def _pattern(table: str, name: str) -> Pattern[str]:
    return re.compile("|".join(TABLES[table][name]), re.I)


@lru_cache(maxsize=1 << 14)
def says(name: str, text: str) -> bool:
    """Whether a text has one of the words of that name."""
    return _pattern("says", name).search(text) is not None


def without(name: str, text: str) -> str:
    return _pattern("says", name).sub("", text)


@lru_cache(maxsize=1 << 12)
def first_said(table: str, text: str) -> str:
    """The first name in a table of which a text has a word; empty if it has none."""
    names: Iterator[str] = (name for name in TABLES[table] if _pattern(table, name).search(text))
    return next(names, "")


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
    return re.compile(pattern.replace("(?= D)", f"(?= {DAY})").replace("D)", f"{DAY})"))


def unit_of(word: str) -> str:
    """What a comparison counts by itself: longer characters, older years."""
    units = (unit for unit in ("characters", "years") if _pattern("units", unit).fullmatch(word))
    return next(units, "")


def about(control: Control) -> str:
    """What a field is about, by `autocomplete` or by its words; empty if unknown."""
    for token in control.limits.get("autocomplete", "").lower().split()[::-1]:
        if token in AUTOCOMPLETE:
            return AUTOCOMPLETE[token]
    return first_said("about", control.words)


def shown_by(control: Control) -> tuple[str, str, str]:
    """Where a control may show a format."""
    return control.limits.get("placeholder", ""), control.label, control.hint


def dated(control: Control) -> bool:
    """Whether it is for a day, by its words or the format that it shows."""
    worded = says("date", control.words) or about(control) == "date"
    return worded or any("%d" in strftime(text) for text in shown_by(control))


def numeric(control: Control) -> bool:
    counted = control.limits.get("inputmode") in ("numeric", "decimal")
    return (counted or says("count", control.words)) and not about(control)


def part_of_date(control: Control) -> str:
    """day, month or year, for a date in three fields."""
    short = control.limits.get("maxlength", "") in ("2", "4") or not control.label
    for part in ("day", "month", "year"):
        named = says(part, control.name.lower())
        if named and (short or says(part, control.label.lower())):
            return part
    return ""


def main_form(page: Page, *, beside: Container[object] = ()) -> Form | None:
    """The form to fill: POST rather than GET, and the most controls.

    `beside` are forms (their `furniture`) that were on an earlier page without being its main one.
    """
    candidates = [form for form in page.forms if form.furniture not in beside and not _beside(form)]
    others = [form for form in candidates if not asks_who(form)]
    return max(
        others or candidates,
        key=lambda form: len(form.fillable) + 2.5 * (form.method == "post"),
        default=None,
    )


def asks_who(form: Form) -> bool:
    """Whether it asks for a name and a password that exist, without a rule for new ones."""
    passwords = [control for control in form.fillable if control.kind == "password"]
    others = [one for one in form.fillable if one.kind not in ("password", "checkbox")]
    if len(passwords) != 1 or any(control.kind not in TYPED for control in others):
        return False
    (password,) = passwords
    new = "new-password" in password.words or password.hint or NEW_PASSWORD & password.limits.keys()
    current = password.limits.get("autocomplete") == "current-password"
    return current or (len(others) <= 1 and not new)


def next_button(form: Form) -> Button | None:
    """The button that a person would press to continue; the first one if in doubt."""
    onward = [button for button in form.buttons if not says("aside", _words(button))]
    onward = [button for button in onward if "formnovalidate" not in button.limits] or onward
    named = [button for button in onward if says("onwards", _words(button))]
    return next(iter(named or onward or form.buttons), None)


def goes_on(form: Form) -> bool:
    """Whether its button says that it continues."""
    button = next_button(form)
    return button is not None and says("onwards", _words(button))


def _beside(form: Form) -> bool:
    if says("beside", form.identity):
        return True
    if form.method == "get" and all(control.kind == "search" for control in form.fillable):
        return True
    if form.fillable or (form.controls and not form.buttons):
        return False
    return all(says("beside", words) or says("aside", words) for words in map(_words, form.buttons))


def _words(button: Button) -> str:
    more = (button.limits.get(name, "") for name in ("title", "aria-label"))
    return " ".join((button.label, button.name, button.value, *more)).replace("_", " ")


def like(shown: str, day: Callable[[], date], chance: Random) -> str:
    """A value in the format that a text shows, by a mask or an example; empty if it shows none."""
    shown = shown.strip(" ().,;:\"'“”„«»")
    shown = without("introduced", shown).strip("\"'“”„«» ")
    if form := strftime(shown) or _moment(shown):
        moment = datetime.combine(day(), time(chance.randint(8, 17), chance.randrange(60)))
        return moment.strftime(form)
    return _alike(shown, chance) if CODE.fullmatch(shown) else ""


def strftime(shown: str) -> str:
    """The first mask that is shown, in the syntax of strftime; empty if none is."""
    return mask(shown)[1]


@lru_cache(maxsize=1 << 12)
def mask(shown: str) -> tuple[str, str]:
    """The first mask that is shown, as it is and in the syntax of strftime."""
    for found in MASK.finditer(shown):
        if codes := _codes([part.lower() for part in (found[1], found[4], found[6]) if part]):
            clock = f"{found[8]}%H:%M{':%S' * bool(found[9])}" if found[8] else ""
            return found[0], found[3].join(codes) + clock
    clocked = CLOCK.search(shown)
    return (clocked[0], f"%H:%M{':%S' * bool(clocked[1])}") if clocked else ("", "")


def _codes(parts: list[str]) -> list[str]:
    """Codes of the parts of a day; none if it isn't one.

    The year is the longest part, else one of the letters of "year" that no day begins with, else
    the last: JJ is a day in JJ/MM/AA, and a year in TT.MM.JJ.
    """
    months = [place for place, part in enumerate(parts) if part[0] == "m"]
    short = max(map(len, parts)) < 2 or (len(parts) == 2 and min(map(len, parts)) < 2)
    if len(months) != 1 or len({part[0] for part in parts}) < len(parts) or short:
        return []
    rest = [place for place in range(len(parts)) if place != months[0]]
    years = [place for place in rest if len(parts[place]) > 2 or parts[place][0] in "ya"]
    if len(rest) == 2 or parts[rest[0]][0] not in "dtjgp" or len(parts[rest[0]]) > 2:
        year = years[0] if years else rest[-1]
    else:
        year = rest[0] if months[0] < rest[0] and parts[rest[0]][0] == "j" else -1
    named = {months[0]: "%m", year: "%y" if year >= 0 and len(parts[year]) == 2 else "%Y"}
    return [named.get(place, "%d") for place in range(len(parts))]


@lru_cache(maxsize=1 << 12)
def _moment(example: str) -> str:
    """The format of a day or a time; empty if it is none."""

    def fits(form: str) -> bool:
        try:
            return bool(datetime.strptime(example, form))
        except ValueError:
            return False

    numbered = example[:1].isdigit() and len(example) <= 20
    return next(filter(fits, MOMENTS), "") if numbered else ""


def _alike(example: str, chance: Random) -> str:
    """Other letters and digits in the same places; a calling code stays."""
    kept = re.match(r"\+\d{1,2}|0(?=\d{3})|", example)
    begin = kept.end() if kept else 0
    blanks = "#_X*" if re.fullmatch(r"[-X/. ()+:]+", example) else "#_*"

    def other(sign: str) -> str:
        kinds = (string.digits, string.ascii_uppercase, string.ascii_lowercase)
        alike = next((letters for letters in kinds if sign in letters), sign)
        return chance.choice(string.digits[1:] if sign in blanks else alike.removeprefix("0"))

    return example[:begin] + "".join(map(other, example[begin:]))
