"""What words in four languages (languages.toml) say of fields, forms, buttons and formats."""

import re
import tomllib
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from datetime import date, datetime, time
from functools import cache, lru_cache
from pathlib import Path
from random import Random

from benchsuite.robot.forms import TYPED, Control, Form, Page

TABLES = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
MONTHS: list[str] = TABLES["months"]["words"]
AUTOCOMPLETE: dict[str, str] = TABLES["autocomplete"]
NUMBER = r"(?:(?<!\d)-)?\d{1,99}(?:[.,'’\u00a0\u202f ]\d{3}){0,30}(?:[.,]\d{1,99})?(?![\d/])"
WORTH = {
    word: str(value)
    for words in TABLES["numbers"].values()
    for value, word in enumerate(words)
    if word.isalpha()
}  #: Numbers by the words that have one form.
NEW_PASSWORD = frozenset(("minlength", "pattern", "passwordrules"))  #: Attributes of new ones.

PART = r"([a-zå])\{}{{0,3}}"
MASK = re.compile(
    rf"(?<![^\W_])({PART.format(2)})([-./ ])({PART.format(5)})(?:\3({PART.format(7)}))?"
    r"(?:([ t,]+)h{1,2}:m{2}(:s{2})?)?(?![^\W_])",
    re.I,
)  #: DD/MM/YYYY, TT.MM.JJJJ, jj/mm/aaaa hh:mm: in whatever language, months are m.
CLOCK = re.compile(r"(?<![^\W_])h{1,2}:m{2}(:s{2})?(?![^\W_])", re.I)
MOMENTS = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d.%m.%y"),
    *("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M"),
    *("%H:%M", "%H:%M:%S", "%m/%Y", "%m/%y"),
)
CODE = re.compile(r"[^a-zß-öø-ÿ]*\d[^a-zß-öø-ÿ]*|[-#_X9A0/. ()+:*]*[#_X9*][-#_X9A0/. ()+:*]*")


@cache
def _pattern(table: str, name: str) -> re.Pattern[str]:
    return re.compile("|".join(TABLES[table][name]), re.I)


@cache
def phrase(name: str) -> re.Pattern[str]:
    pattern: str = "".join(TABLES["phrases"][name])
    for word, meant in (("NUMBER", NUMBER), ("WORD", "|".join(WORTH)), ("MONTH", "|".join(MONTHS))):
        pattern = pattern.replace(word, meant)
    return re.compile(pattern, re.I)


@lru_cache(maxsize=1 << 14)
def says(name: str, text: str) -> bool:
    return _pattern("says", name).search(text) is not None


def without(name: str, text: str) -> str:
    return _pattern("says", name).sub("", text)


@lru_cache(maxsize=1 << 12)
def first_said(table: str, text: str) -> str:
    """The first name in a table of which a text has a word; empty if it has none."""
    names: Iterator[str] = (name for name in TABLES[table] if _pattern(table, name).search(text))
    return next(names, "")


@cache
def tokens() -> re.Pattern[str]:
    """One group a word of the grammar, unit or quantity, named after what it means."""
    numbers = "|".join(
        f"(?P<{language}{value}>{word})"
        for language, words in TABLES["numbers"].items()
        for value, word in enumerate(words)
    )
    words = (TABLES["words"] | TABLES["units"]).items()
    meanings = "|".join(f"(?P<{name}>{'|'.join(patterns)})" for name, patterns in words)
    pattern = rf"(?<![^\W\d_])(?:(?P<day>D)|(?P<number>{NUMBER})|{meanings}|{numbers})(?![^\W\d_])"
    day = phrase("day").pattern
    return re.compile(pattern.replace("(?= D)", f"(?= {day})").replace("D)", f"{day})"))


def unit_of(word: str) -> str:
    units = (unit for unit in ("characters", "years") if _pattern("units", unit).fullmatch(word))
    return next(units, "")


def about(control: Control) -> str:
    """What a field is about, by `autocomplete` or by its words; empty if unknown."""
    tokens = control.limits.get("autocomplete", "").lower().split()[::-1]
    named = next((AUTOCOMPLETE[token] for token in tokens if token in AUTOCOMPLETE), "")
    return named or first_said("about", control.words)


def masks(control: Control) -> list[str]:
    """The formats that it shows, in the syntax of strftime."""
    shown = (control.limits.get("placeholder", ""), control.label, control.hint)
    return [form for text in shown if (form := mask(text)[1])]


def part_of_date(control: Control) -> str:
    """day, month or year, for a date in three fields."""
    short = control.limits.get("maxlength", "") in ("2", "4") or not control.label
    parts = (part for part in ("day", "month", "year") if says(part, control.name))
    return next((part for part in parts if short or says(part, control.label)), "")


def main_form(page: Page, *, beside: Container[object] = ()) -> Form | None:
    """The one to fill: POST rather than GET, the most controls, and none of these `furniture`."""
    left = [form for form in page.forms if form.furniture not in beside and not _beside(form)]
    left = [form for form in left if not asks_who(form)] or left
    return max(left, key=lambda one: len(one.fillable) + 2.5 * (one.method == "post"), default=None)


def asks_who(form: Form) -> bool:
    """Whether it asks for a name and a password that exist, without a rule for new ones."""
    passwords = [control for control in form.fillable if control.kind == "password"]
    questions = [one for one in form.fillable if one.kind not in ("password", "checkbox")]
    if len(passwords) != 1 or any(control.kind not in TYPED for control in questions):
        return False
    (password,) = passwords
    new = "new-password" in password.words or password.hint or NEW_PASSWORD & password.limits.keys()
    current = password.limits.get("autocomplete") == "current-password"
    return current or (len(questions) <= 1 and not new)


def next_button(form: Form) -> Control | None:
    """The button that a person would press to continue; the first one if in doubt."""
    onward = [button for button in form.buttons if not says("aside", button.words)]
    onward = [button for button in onward if "formnovalidate" not in button.limits] or onward
    named = [button for button in onward if says("onwards", button.words)]
    return next(iter(named or onward or form.buttons), None)


def _beside(form: Form) -> bool:
    searches = form.method == "get" and all(one.kind == "search" for one in form.fillable)
    if searches or says("beside", form.identity):
        return True
    if form.fillable or (form.controls and not form.buttons):
        return False
    return all(says("beside", one.words) or says("aside", one.words) for one in form.buttons)


def like(shown: str, day: Callable[[], str], chance: Random) -> str:
    """A value in the format that a text shows, by a mask or an example; empty if it shows none."""
    shown = without("introduced", shown.strip(" ().,;:\"'“”„«»")).strip("\"'“”„«» ")
    if form := mask(shown)[1] or format_of(shown):
        moment = date.fromisoformat(day()), time(chance.randint(8, 17), chance.randrange(60))
        return datetime.combine(*moment).strftime(form)
    if not CODE.fullmatch(shown):
        return ""
    kept = re.match(r"\+\d{1,2}|0(?=\d{3})|", shown)
    begin = kept.end() if kept else 0
    blank = r"[\dX#_*]" if re.fullmatch(r"[-X/. ()+:]+", shown) else r"[\d#_*]"
    return shown[:begin] + re.sub(blank, lambda _: chance.choice("123456789"), shown[begin:])


@lru_cache(maxsize=1 << 12)
def mask(shown: str) -> tuple[str, str]:
    """The first mask that is shown, as it is and in the syntax of strftime."""
    for match in MASK.finditer(shown):
        if codes := _codes([part.lower() for part in (match[1], match[4], match[6]) if part]):
            clock = f"{match[8]}%H:%M{':%S' * bool(match[9])}" if match[8] else ""
            return match[0], match[3].join(codes) + clock
    clocked = CLOCK.search(shown)
    return (clocked[0], f"%H:%M{':%S' * bool(clocked[1])}") if clocked else ("", "")


def _codes(parts: list[str]) -> list[str]:
    """Codes of the parts of a day; none if it isn't one. The year is the longest part, else the one
    that begins like no day, else the last: JJ is a day in JJ/MM/AA, and a year in TT.MM.JJ.
    """
    sizes = sorted(map(len, parts))
    initials = [part[0] for part in parts]
    short = sizes[-1] < 2 or (len(parts) == 2 and sizes[0] < 2)
    if initials.count("m") != 1 or len(set(initials)) < len(parts) or short:
        return []
    rest = [part for part in parts if part[0] != "m"]
    years = [part for part in rest if len(part) > 2 or part[0] in "ya"]
    day_alone = len(rest) == 1 and rest[0][0] in "dtgpj"[: 4 + (parts[0] in rest)] and not years
    year = "" if day_alone else (years or rest[::-1])[0]
    named = {year[:1]: "%y" if len(year) == 2 else "%Y", "m": "%m"}
    return [named.get(initial, "%d") for initial in initials]


@lru_cache(maxsize=1 << 12)
def format_of(example: str) -> str:
    """The format of a day or a time; empty if it is none."""
    for form in MOMENTS if example[:1].isdigit() and len(example) <= 20 else ():
        with suppress(ValueError):
            datetime.strptime(example, form)
            return form
    return ""
