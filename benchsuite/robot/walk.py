"""From page to page until there is no more form; what is sent, as browsers encode it; a client."""

import http.client
import re
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from html import escape
from http.cookiejar import CookieJar, DefaultCookiePolicy
from random import Random
from time import monotonic, sleep
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPHandler, HTTPSHandler, OpenerDirector, Request

from urllib3.filepost import encode_multipart_formdata

from benchsuite.core.exceptions import AnswerError, RobotError
from benchsuite.core.units import short
from benchsuite.core.wording import Client, led_to, path_of
from benchsuite.robot.completion import Arrival, Completion, Outcome, Sign, Visit, outcome
from benchsuite.robot.filling import Filler, Unfillable
from benchsuite.robot.forms import Form, Page, Pairs, Upload, Value
from benchsuite.robot.parsing import known_charset, read
from benchsuite.robot.words import asks_who, main_form, next_button

REDIRECTS = (301, 302, 303, 307, 308)
REFUSALS = (400, 409, 422)  #: Statuses with which some frameworks send a form back.
REFRESH = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(?:[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']*))?", re.I)
SHOWN = 200  #: Characters shown of an error.
MOST_PAGES = 100  #: Of a form; the robot gives up after it.
MOST_TRIES = 8  #: How often a page may be sent until it is accepted.
MOST_REDIRECTS = 10
MAX_BYTES = 20_000_000  #: A longer page is not a form.
LONGEST_WAIT_S = 10.0  #: A page that redirects itself later than this is for reading.
STYLES: dict[str, str] = {}  #: Linked style sheets, by URL.
NOWHERE = "testserver"  #: The host, where the client knows it alone, as Django's of tests does.
SCRIPTS = "script:is(:not([type]), [type=''], [type*=javascript i], [type=module]), [onclick]"
NEEDS_SCRIPTS = "it needs JavaScript; try completesurvey --browser"
OnVisit = Callable[[Visit], None]
Body = tuple[bytes, str]  #: What is posted, and its content type.


def complete(
    client: Client,
    url: str,
    *,
    seed: object = 0,
    known: Mapping[str, str] | None = None,
    naming: Callable[[str, str], str] | None = None,
    done: Sign | None = None,
) -> Completion:
    """Fills the form at a URL, or path of the client, and those after it, until a page has none.
    `known` are answers by name; `naming` makes a name for the results from method and path. Without
    `done` and a completion code there is no evidence. RobotError names the page and the reason.
    """
    url = led_to(url, getattr(client, "base_url", "")).geturl()
    return Walk(client, url, seed, known or {}, done or Sign(), naming).to_the_end()


@dataclass
class Walk:
    """One completion. The way to request and send pages is this robot's own; see `BrowserWalk`."""

    runs_scripts: ClassVar[bool] = False

    client: Any
    url: str
    seed: object = 0
    known: Mapping[str, str] = field(default_factory=dict)
    done: Sign = field(default_factory=Sign)
    naming: Callable[[str, str], str] | None = None

    def __post_init__(self) -> None:
        parts = led_to(self.url)
        self._origin = f"{parts.scheme or 'http'}://{parts.netloc or NOWHERE}"
        self._chance = Random(str(self.seed))
        self._person = self._chance.getrandbits(40)
        self._number = 1
        self.path = path_of(parts)  #: Of the page being filled.

    def to_the_end(self, on_visit: OnVisit = lambda visit: None) -> Completion:
        visits: list[Visit] = []
        doubt = ""
        arrival = self.ask("GET", self.path)
        coded = arrival.page.completion_code
        if not coded and self.done.on(arrival.page, arrival.path):
            raise self.stuck("the first page already has what only the last one should have")
        form = None if coded else main_form(arrival.page)
        if form is None and not coded:
            scripts = not self.runs_scripts and arrival.page.css(SCRIPTS)
            raise self.stuck("there is no form to fill" + f", or {NEEDS_SCRIPTS}" * bool(scripts))
        while form is not None:
            self.path = arrival.path
            self._number = len(visits) + 1
            if self._number > MOST_PAGES:
                raise self.stuck(f"the survey has not ended after {MOST_PAGES} pages")
            visit, arrival, result = self._fill(arrival, form)
            visits.append(visit)
            on_visit(visit)
            doubt, form = result.doubt, result.form
            if form is not None and (wanted := self._secrets(form)):
                doubt, form = f"it leads to a log-in, which can't be made up; give {wanted}", None
        evidence = self.done.on(arrival.page, arrival.path)
        if self.done != Sign():
            doubt = "the last page lacks the text or address that was given"
        url, doubt = self._origin + arrival.path, "" if evidence else doubt
        return Completion(tuple(visits), arrival.page, arrival.path, url, evidence, doubt)

    def _secrets(self, form: Form) -> str:
        """The options that would give what a log-in asks for, if it wasn't given."""
        passwords = [control.name for control in form.fillable if control.kind == "password"]
        if not asks_who(form) or all(name in self.known for name in passwords):
            return ""
        return " and ".join(f"--answer {control.name}=…" for control in form.fillable)

    def _fill(self, arrival: Arrival, form: Form) -> tuple[Visit, Arrival, Outcome]:
        """Sends a page until it is accepted; returns the visit, where it led, and the outcome."""
        page, first, shown = arrival.page, arrival.path, form
        if wanted := self._secrets(form):
            raise self.stuck(f"it asks for a log-in, which can't be made up; give {wanted}")
        alone = len(form.fillable) == 1 and not page.css("form button, [type=button]")
        by_script = form.action.lower().startswith("javascript:") or not (form.buttons or alone)
        if by_script and not self.runs_scripts and page.css(SCRIPTS):
            raise self.stuck(f"its form can't be sent: {NEEDS_SCRIPTS}")
        filler = Filler(self._person, self._chance, self.known, page.language)
        mended: list[str] = []
        complaints: list[str] = []
        repeated = ""
        for tries in range(1, MOST_TRIES + 1):
            if arrival.page.captcha:
                raise self.stuck("it asks for a captcha, which a robot can't answer")
            try:
                filler.fill(shown)
            except Unfillable as error:
                raise self.stuck(str(error)) from error
            arrival = self.send(shown, arrival.page, filler.pairs(shown.controls))
            result = Outcome("ended")
            if not self.done.on(arrival.page, arrival.path):
                result = outcome(form, page, filler.answers, arrival, at=first)
            unnamed = form.method == "get" and form.action in ("", "#") and not self.runs_scripts
            if unnamed and page.css(SCRIPTS) and page.texts == arrival.page.texts:
                raise self.stuck(f"sending its form changes nothing: {NEEDS_SCRIPTS}")
            if result.fate == "refused":
                raise self.stuck(_status(arrival.status, b"", arrival.page))
            if result.fate != "back" or result.form is None:
                answers, mistakes = filler.pairs(shown.fillable), tuple(mended)
                visit = Visit(self._number, first, page, tries, answers, mistakes, repeated)
                return visit, arrival, result
            shown = result.form
            self.path = arrival.path  # from where an action without a path is sent
            own = [f"{control}: {text}" for control in shown.controls for text in control.errors]
            before, complaints = complaints, [short(text, SHOWN) for text in (*shown.errors, *own)]
            repeated = next((text for text in complaints if text in before), "")
            mended += complaints[len(shown.errors) :]
            filler.mend(shown)
        words = "; ".join(complaints) or "it came back each time without a message"
        raise self.stuck(f"refused {MOST_TRIES} times: {words}")

    def send(self, form: Form, page: Page, pairs: Pairs) -> Arrival:
        button = next_button(form)
        own, pressed = (button.pressed, button.limits) if button is not None else ([], {})
        action = pressed.get("formaction") or form.action
        base = self._resolved(page.base, self.path) if page.base and action else self.path
        target = self._resolved(action, base)
        charset = next(filter(None, map(known_charset, form.charset.split())), page.charset)
        if (pressed.get("formmethod") or form.method).upper() != "POST":
            return self.ask("GET", f"{target.partition('?')[0]}?{query([*pairs, *own], charset)}")
        enctype = (pressed.get("formenctype") or form.enctype).lower()
        return self.ask("POST", target, body([*pairs, *own], enctype, charset))

    def ask(self, method: str, path: str, content: Body = (b"", "")) -> Arrival:
        """One request and where it led, by redirects and pages that redirect themselves."""
        for redirects in range(MOST_REDIRECTS + 1):
            answer = self._request(method, path, content)
            location, base = str(answer.headers.get("Location", "")), path
            if answer.status_code in REDIRECTS and location:
                method = method if answer.status_code in (307, 308) else "GET"
            else:
                kind = str(answer.headers.get("Content-Type", "html"))
                page = self.received(path, answer.status_code, bytes(answer.content), kind)
                leads = self._leads_on(path, page, str(answer.headers.get("Refresh", "")))
                if leads is None:
                    return Arrival(path, page, answer.status_code, redirects > 0)
                sleep(leads[0])
                base = self._resolved(page.base, path) if page.base and leads[1] else path
                method, location = "GET", leads[1]
            path = self._resolved(location, base)
        raise self.stuck(f"redirected more than {MOST_REDIRECTS} times")

    def received(self, path: str, status: int, content: bytes, content_type: str = "html") -> Page:
        """The page, or RobotError for an error, unless it is a form that came back."""
        if content and ("html" in content_type.lower() or content.lstrip()[:1] == b"<"):
            page = read(content, content_type, lambda href, base: self._linked(href, base, path))
        else:
            plain = b"<pre>" + escape(content.decode("utf-8", "replace")).encode()
            page = replace(read(plain), markup=False)
        form = main_form(page) if status in REFUSALS else None
        if status >= 400 and (form is None or not form.fillable):
            raise self.stuck(_status(status, content, page))
        return page

    def _linked(self, href: str, base: str, path: str) -> str:
        try:
            path = self._resolved(href, self._resolved(base, path))
            url = self._origin + path
            if url not in STYLES:
                STYLES[url] = self.get_style(path)
        except RobotError:  # of another host, or not to be had
            return ""
        return STYLES[url]

    def get_style(self, path: str) -> str:
        """Empty if it is no style sheet. The target may have none, where others serve these."""
        answer = self._request("GET", path, (b"", ""), looks=True)
        is_style = "css" in str(answer.headers.get("Content-Type", ""))
        return bytes(answer.content).decode("utf-8", "replace") if is_style else ""

    def _leads_on(self, path: str, page: Page, header: str) -> tuple[float, str] | None:
        """Where a page redirects by itself, unless it has something to fill or is the end."""
        refresh = REFRESH.match(page.refresh or header)
        if refresh is None or float(refresh[1]) > LONGEST_WAIT_S or self.done.on(page, path):
            return None
        asks = (form := main_form(page)) is not None and form.fillable
        return None if asks else (float(refresh[1]), (refresh[2] or "").strip())

    def _request(self, method: str, path: str, content: Body, *, looks: bool = False) -> Any:
        """`looks`: a load's client holds no answer against the journey."""
        more: dict[str, Any] = {"name": self.naming(method, path)} if self.naming else {}
        if self._origin.startswith("https:"):  # Django checks where a POST over TLS comes from
            more["headers"] = {"Referer": self._origin + self.path}
        try:
            if method == "POST":
                return self.client.post(path, *content, **more)
            get = getattr(self.client, "look", self.client.get) if looks else self.client.get
            return get(path, **more)
        except AnswerError as error:
            raise self.stuck(str(error)) from error

    def _resolved(self, reference: str, base: str) -> str:
        """The path to which an action or a redirect leads; other hosts are refused."""
        parts = led_to(reference.strip(), self._origin + base)
        if parts.netloc != self._origin.partition("://")[2]:
            raise self.stuck(f"leads to another host, which the robot does not visit: {reference}")
        if parts.scheme == "https" and not self._origin.startswith("https:"):
            raise self.stuck(f"leads to HTTPS; begin there: {parts.geturl()}")
        return path_of(parts)

    def stuck(self, reason: str) -> RobotError:
        return RobotError(f"page {self._number} ({self.path.partition('?')[0]}): {reason}")


def _status(status: int, content: bytes, page: Page) -> str:
    if status == 403 and b"CSRF" in content:
        return "the CSRF check failed (status 403)"
    shown = short(" ".join(page.texts) or page.title, SHOWN)
    return f"the server answered {status}" + (f": {shown}" if shown else "")


def query(pairs: Pairs, charset: str = "utf-8") -> str:
    """Characters that the charset lacks are sent as numbers (&#8364;), as by browsers."""
    return urlencode([(_sent(name, charset), _sent(value, charset)) for name, value in pairs])


def body(pairs: Pairs, enctype: str, charset: str = "utf-8") -> Body:
    """In other forms than multipart a file is only its name."""
    if enctype != "multipart/form-data":
        return query(pairs, charset).encode(), "application/x-www-form-urlencoded"
    return encode_multipart_formdata(
        [(name, _sent(of, charset) if isinstance(of, str) else astuple(of)) for name, of in pairs]
    )


def _sent(value: Value, charset: str) -> bytes:
    text = value.name if isinstance(value, Upload) else value
    return text.replace("\r\n", "\n").replace("\n", "\r\n").encode(charset, "xmlcharrefreplace")


class Reply(NamedTuple):
    """What a journey may use of a response."""

    status_code: int
    content: bytes
    headers: http.client.HTTPMessage  #: Names in any case.


class BlockingClient:
    """One person's requests to one host, with cookies."""

    def __init__(self, url: str, *, timeout_s: float = 30.0) -> None:
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._timeout_s = timeout_s
        policy = DefaultCookiePolicy(secure_protocols=("https", "http"))
        # Nothing follows redirects or raises errors: both are pages, too.
        self._opener = OpenerDirector()
        for handler in (HTTPHandler(), HTTPSHandler(), HTTPCookieProcessor(CookieJar(policy))):
            self._opener.add_handler(handler)

    def get(self, path: str, *, headers: Mapping[str, str] = {}) -> Reply:
        return self._ask(path, None, headers)

    def post(
        self, path: str, data: bytes, content_type: str, *, headers: Mapping[str, str] = {}
    ) -> Reply:
        return self._ask(path, data, {**headers, "Content-Type": content_type})

    def _ask(self, path: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        own = {"User-Agent": "benchsuite robot", "Accept": "text/html,*/*"}
        request = Request(self._origin + path, data, {**headers, **own})
        failure, until, content = "no answer", monotonic() + self._timeout_s, bytearray()
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                failure = "the answer broke off"
                while len(content) <= MAX_BYTES and (piece := response.read1(65_536)):
                    content += piece
                    if monotonic() > until:
                        raise TimeoutError
                if response.length and len(content) <= MAX_BYTES:
                    raise http.client.IncompleteRead(bytes(content), response.length)
        except (OSError, UnicodeError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise AnswerError(f"no answer within {self._timeout_s:g} s") from error
            raise AnswerError(f"{failure}: {reason or type(reason).__name__}") from error
        if len(content) > MAX_BYTES:
            raise AnswerError(f"the page is longer than {MAX_BYTES // 1_000_000} MB")
        return Reply(response.status, bytes(content), response.headers)
