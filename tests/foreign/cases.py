"""One form of a maker with what must come of it; what stands beside many of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

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


NEXT_PAGE = None
Fields = Iterator[Field | None]  #: With NEXT_PAGE between pages.


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Site]
    fails: str
    """A pattern of what must be said, where nobody could complete it."""


CASES: list[Case] = []


def form(
    name: str, skin: Skin, language: str, fails: str = "", **site: Any
) -> Callable[[Callable[[], Fields]], None]:
    """Adds a case; its fields are made anew for each site, as some rules remember values."""

    def add(fields: Callable[[], Fields]) -> None:
        def make() -> Site:
            pages: list[tuple[Field, ...]] = [()]
            for field in fields():
                pages = [*pages, ()] if field is NEXT_PAGE else [*pages[:-1], (*pages[-1], field)]
            return Site(skin, language, tuple(pages), **site)

        CASES.append(Case(name, make, fails))

    return add


def went_on(value: str, data: Values) -> str:
    return "" if data.get("op") == ["next"] else "Not that button."
