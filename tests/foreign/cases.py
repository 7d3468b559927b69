"""One form of a maker with what must come of it; what stands beside many of them."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.foreign.site import Site, Values

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


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Site]
    fails: str = ""
    """A pattern of what must be said, where nobody could complete it."""


def went_on(value: str, data: Values) -> str:
    return "" if data.get("op") == ["next"] else "Not that button."
