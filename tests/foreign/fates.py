"""Sites of one or two forms, and what becomes of what is sent, in any words (fates.toml)."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from tests.foreign.site import Answer

FORM = (
    '<title>Fair</title><h1>Sign up</h1><p><a href="/about/">About</a></p>{problem}'
    '<form method="post" action="{action}">'
    '<p><label>Name <input name="name" value="{name}" required></label></p>'
    '<p><label>E-mail <input type="email" name="email" value="{email}" required></label></p>'
    "<button>Send</button></form>"
)
CODE = '<form method="post" action="/code/"><input name="code" required><button>{}</button></form>'
TOWN = (
    '<h1>Second</h1><form method="post" action="/town/"><label>Town <input name="town" required>'
    "</label><label>Street <input name=street></label><label>Land <input name=land></label>"
    "<button>➔</button></form>"
)
LOG_IN = (
    '<form method="post" action="/in/"><input name="user"><input type="password" name="pass">'
    "<button>OK</button></form>"
)

FATES = Path(__file__).with_name("fates.toml")


@dataclass
class Host:
    """One form at /. It remembers, and counts, nothing but what it took."""

    end: str = ""
    """What follows a valid form: a page, or → and the path to which it redirects."""
    pages: dict[str, str] = field(default_factory=dict)
    checks: bool = True
    """Whether it looks for what is missing first; otherwise everything is answered by the end."""
    status: int = 200
    kind: str = "text/html"
    capacity: int = 1000
    attempts: int = 1000
    """At a code that nobody knows, before the page that ends them."""
    action: str = ""
    towns: bool = False
    """Whether a second page follows, for who sent the first one."""
    closes: int = 1000
    """From this many on nobody sees the form."""
    taken: int = 0
    requests: int = 0


@dataclass
class Visitor:
    """The client of somebody with a session of his own."""

    host: Host
    flash: str = ""
    codes: int = 0
    signed: bool = False

    def get(self, path: str, **more: object) -> Answer:
        self.host.requests += 1
        if self.host.taken >= self.host.closes:
            return _page("<h1>Later</h1>", 429)
        if path == "/town/":
            return _page(TOWN if self.signed else "<h1>Who?</h1>", 200 if self.signed else 403)
        flash, self.flash = self.flash, ""
        pages = self.host.pages
        page = pages.get(path.partition("?")[0], pages.get("*") if path != "/" else None)
        if page is not None:
            return _page(flash + page)
        return _page(self._form(problem=flash))

    def post(self, path: str, data: bytes, content_type: str, **more: object) -> Answer:
        self.host.requests += 1
        given = {name: values[-1] for name, values in parse_qs(data.decode()).items()}
        if path == "/code/":
            self.codes += 1
            locked = self.codes > self.host.attempts
            return _page("<h1>Bye</h1>" if locked else "<p>No.</p>" + CODE.format("Next"))
        if path == "/town/" and not given.get("town"):
            return _page(TOWN)
        if (
            path != "/town/"
            and self.host.checks
            and not ("@" in given.get("email", "") and given.get("name"))
        ):
            return _page(self._form(problem="<p>What is missing?</p>", **given))
        if self.host.towns and not self.signed:
            self.signed = True
            return Answer(303, b"", {"Location": "/town/"})
        self.host.taken += 1
        if self.host.taken > self.host.capacity:
            return _page("<h1>Thank you, sold out</h1>")
        end = self.host.end
        for name, value in {"name": "", "number": str(self.host.taken), **given}.items():
            end = end.replace(f"{{{name}}}", value)
        if end.startswith("→"):
            where, _, self.flash = end[1:].partition(" ")
            return Answer(302, b"", {"Location": where})
        return _page(end, self.host.status, self.host.kind)

    def _form(self, problem: str = "", name: str = "", email: str = "", **more: str) -> str:
        return FORM.format(problem=problem, name=name, email=email, action=self.host.action)


def _page(content: str, status: int = 200, kind: str = "text/html") -> Answer:
    return Answer(status, content.encode(), {"Content-Type": f"{kind}; charset=utf-8"})


Made = Callable[[], Host]


def _made(back: str = "", kept: str = "", back_to: str = "", **host: Any) -> Host:
    """`back` stands on the form that comes back, with the name that was `kept`."""
    if back:
        host["end"] = FORM.format(problem=back, action=back_to, name=kept, email="")
    return Host(**host)


def _fates(table: str) -> dict[str, Made]:
    text = FATES.read_text().replace("[log-in]", LOG_IN)
    known = tomllib.loads(re.sub(r"\[code (.*?)\]", lambda word: CODE.format(word[1]), text))
    return {name: partial(_made, **host) for name, host in known[table].items()}


TAKEN, UNCONFIRMED, REFUSED = map(_fates, ("taken", "unconfirmed", "refused"))
