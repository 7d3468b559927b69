"""Sites of one or two forms, and what becomes of what is sent: taken or not, in any words."""

from collections.abc import Callable
from dataclasses import dataclass, field
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


def _back(words: str, name: str = "", action: str = "") -> str:
    return FORM.format(problem=words, action=action, name=name, email="")


Made = Callable[[], Host]

TAKEN: dict[str, Made] = {
    "Polish": lambda: Host("<h1>Dziękujemy, zapisano</h1>"),
    "Japanese": lambda: Host("<h1>ありがとうございました</h1>"),
    "a check mark": lambda: Host("<p>✓</p>"),
    "a picture of one, and a word": lambda: Host('<img src="/check.svg"><p>Fair</p>'),
    "words of failure": lambda: Host("<h1>No errors</h1><p>Nothing failed, sorry to say.</p>"),
    "an echo": lambda: Host("<h1>Bye {name}</h1><p>We write to {email}.</p>"),
    "a number": lambda: Host("<h1>Number {number}</h1>"),
    "an open page of thanks": lambda: Host("→/thanks/", {"/thanks/": "<h1>Tack</h1>"}),
    "an open page of thanks among others": lambda: Host(
        "→/thanks/", {"/thanks/": "<h1>Tack</h1>", "*": "<h1>Finns inte</h1>"}
    ),
    "a flash at home": lambda: Host("→/home/ <p>Uloženo</p>", {"/home/": "<h1>Home</h1>"}),
    "a way home": lambda: Host('<h1>Kiitos</h1><a href="/">Home</a> <a href="/about/">About</a>'),
    "a search beside": lambda: Host('<h1>OK</h1><form><input type="search" name="q"></form>'),
    "the words that were typed": lambda: Host("<h1>You gave {name}</h1>"),
    "links to others": lambda: Host('<h1>Ok</h1><a href="http://other.invalid/2/">2</a>'),
    "links in the furniture": lambda: Host('<nav><a href="/me/">Me</a></nav><h1>Gotowe</h1>'),
    "a page that goes on by itself": lambda: Host(
        '<meta http-equiv="refresh" content="0; url=/end/"><p>…</p>', {"/end/": "<h1>Hotovo</h1>"}
    ),
    "a second page": lambda: Host("<h1>Takk</h1>", towns=True),
    "another address": lambda: Host("<h1>Obrigado</h1>", action="/send/"),
}
"""Confirmed on a site that nothing else is known of."""

UNCONFIRMED: dict[str, Made] = {
    "sold out": lambda: Host("<h1>Thank you!</h1><p>All is sold.</p>", checks=False),
    "sold out, with a name": lambda: Host("<h1>Thanks {name}</h1><p>Full.</p>", checks=False),
    "not found, with status 200": lambda: Host("→/done/", {"*": "<h1>Willkommen</h1>"}),
    "an expired session": lambda: Host("<h1>Leider nicht mehr gültig</h1>", checks=False),
    "maintenance": lambda: Host("<h1>Vielen Dank für Ihre Geduld</h1>", checks=False),
    "too many requests": lambda: Host("<p>Success comes to who waits {number} s</p>", checks=False),
    "sent elsewhere": lambda: Host("→/full/", {"/full/": "<h1>Merci !</h1>"}, checks=False),
    "the home page": lambda: Host("→/about/", {"/about/": "<h1>Welcome</h1><p>Thanks!</p>"}),
    "a traceback": lambda: Host('<pre>Thanks\nFile "/srv/fair/views.py", line 12, in x</pre>'),
    "a fatal error": lambda: Host("<p>Fatal error: saved() in /www/done.php on line 33</p>"),
    "an exception": lambda: Host("<p>at Fair.send(Fair.java:42)</p><h1>Completed</h1>"),
    "nothing": lambda: Host("<html></html>"),
    "no bytes": lambda: Host(),
    "JSON": lambda: Host('{"success": true}', kind="application/json"),
    "a log-in": lambda: Host("<h1>Welcome, your account was created</h1>" + LOG_IN),
    "a log-in elsewhere": lambda: Host("→/in/", {"/in/": "<h1>Welcome</h1>" + LOG_IN}),
    "a code in another form": lambda: Host("<h1>Thank you</h1>" + CODE.format("Potwierdź")),
    "no more attempts": lambda: Host("<h1>Thanks</h1>" + CODE.format("Next"), attempts=2),
    "a step behind a link": lambda: Host('<h1>Saved</h1><a href="/step/2/">Dalej</a>'),
    "a step behind an address": lambda: Host("<p>OK</p><a href=http://this.invalid/2/>➔</a>"),
    "a step in a form": lambda: Host('<h1>Merci</h1><form action="/2/"><button>➔</button></form>'),
    "the form, empty": lambda: Host(_back("<p>Thank you, saved.</p>")),
    "the form, empty, after a redirect": lambda: Host("→/ <p>Eintrag gespeichert</p>"),
    "the form elsewhere, empty": lambda: Host(_back("<p>Saved</p>", action="/b/"), action="/send/"),
}
"""Never completed, and nothing was refused in a way that can be mended."""

REFUSED: dict[str, Made] = {
    "not found": lambda: Host("<h1>Thank you</h1>", status=404),
    "too many": lambda: Host("<h1>Danke</h1>", status=429),
    "an error": lambda: Host("<h1>Saved</h1>", status=500),
    "unavailable": lambda: Host("<h1>We have your form</h1>", status=503),
    "a conflict without the form": lambda: Host("<h1>Registered</h1>", status=409),
    "a code that nobody knows": lambda: Host("<h1>Thank you</h1>" + CODE.format("Next")),
    "the form with what was sent": lambda: Host(_back("<p>Thank you</p>", "{name}")),
    "the form, in German": lambda: Host(_back("<p>Erfolgreich nicht gespeichert</p>", "{name}")),
    "the form, already there": lambda: Host(
        _back("<p>This e-mail address is already registered. Thanks!</p>")
    ),
    "the form elsewhere": lambda: Host(_back("<p>OK</p>", "{name}", "/b/"), action="/send/"),
}
