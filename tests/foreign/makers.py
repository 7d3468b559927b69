"""How makers of forms draw a page and mark what is wrong: makers.html; three of each: forms.txt."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from jinja2 import Environment

from tests.foreign import rules
from tests.foreign.site import Field, Site, Skin, Values

WORDS = {
    "en": ("There is a problem", "Error"),
    "de": ("Bitte prüfen Sie Ihre Angaben", "Fehler"),
    "fr": ("Il y a un problème", "Erreur"),
}
MAIL = r"[^@\s]+@[^@\s]+\.[a-z]+"
LOG_IN = (
    '<form method="post" action="/login"><label>Username<input name="user" required></label>'
    '<label>Password<input type="password" name="pass" required></label>'
    "<button>Log in</button></form>"
)
SEARCH = '<form action="/find"><input name="keys" type="search"><button>Find</button></form>'
LETTER = (
    '<form method="post" action="/list"><label>Stay in touch <input type="email" name="subscriber">'
    "</label><button>Join</button></form>"
)
STEPS = (
    '<button name="op" value="back" formnovalidate>{}</button><button type="button">?</button>'
    '<button name="op" value="draft">{}</button><button name="op" value="next">{}</button>'
)

NEXT_PAGE = None  #: Between the fields of two pages.


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Site]
    fails: str
    """A pattern of what must be said, where nobody could complete it."""


def went_on(value: str, data: Values) -> str:
    return "" if data.get("op") == ["next"] else "Not that button."


def form(name: str, skin: Skin, language: str, fails: str = "", **site: Any) -> Any:
    """What makes a case of lines of fields, anew for each site: some rules remember values."""

    def case(lines: list[str]) -> Case:
        def make() -> Site:
            pages: list[tuple[Field, ...]] = [()]
            for line in lines:
                field = eval(line, NAMES)
                pages = [*pages, ()] if field is NEXT_PAGE else [*pages[:-1], (*pages[-1], field)]
            return Site(skin, language, tuple(pages), **site)

        return Case(name, make, fails)

    return case


SKINS = re.sub(r"\n\s*", "", Path(__file__).with_name("makers.html").read_text())
MAKERS = vars(Environment().from_string(SKINS, {"WORDS": WORDS}).module)
NAMES = {**vars(rules), **globals(), **MAKERS, "timedelta": timedelta}
BLOCKS = Path(__file__).with_name("forms.txt").read_text().split("\n\n")
THIRTY = tuple(
    eval(head, NAMES)([line.strip() for line in lines])
    for head, *lines in (block.splitlines() for block in BLOCKS)
)
