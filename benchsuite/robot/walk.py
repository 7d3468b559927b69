"""From page to page until there is no more form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from html import escape
from random import Random
from time import sleep
from typing import Any, ClassVar
from urllib.parse import urljoin, urlsplit

from benchsuite.core.client import Client
from benchsuite.core.exceptions import AnswerError, RobotError
from benchsuite.core.paths import path_of
from benchsuite.robot import encoding, people, scripts
from benchsuite.robot.choosing import asks_who, main_form, next_button
from benchsuite.robot.completion import Completion, Ending, Sign, Visit
from benchsuite.robot.encoding import Value
from benchsuite.robot.filling import Filler, Unfillable
from benchsuite.robot.forms import Button, Form, Page
from benchsuite.robot.parsing import read, refresh
from benchsuite.robot.progress import Arrival, Fate, Outcome, outcome

REDIRECTS = (301, 302, 303, 307, 308)
REFUSALS = (400, 409, 422)  #: Statuses with which some frameworks send a form back.

SHOWN = 200  #: Characters shown of an error.

LONGEST_WAIT_S = 10.0  #: A page that redirects itself later than this is for reading.

STYLES: dict[tuple[object, str], str] = {}  #: Linked style sheets, by host and path.
NOWHERE = "this.invalid"  #: The host, where the client knows it alone.
EMPTY = Page(title="", markup=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits at which the robot gives up."""

    pages: int = 100
    tries: int = 8  #: How often a page may be sent until it is accepted.
    redirects: int = 10


OnVisit = Callable[[Visit], None]

Complete = Callable[[str, OnVisit | None], Completion]
"""Completes a survey with this seed, and reports each completed page."""


def complete(
    client: Client,
    url: str,
    *,
    seed: object = 0,
    known: Mapping[str, str] | None = None,
    bounds: Bounds | None = None,
    naming: Callable[[str, str], str] | None = None,
    done: Sign | None = None,
    on_visit: OnVisit | None = None,
) -> Completion:
    """Fills the form at a URL and those that follow, until a page has none.

    The same seed gives the same answers to the same questions. `known` are answers by name (a user
    name and a password); `naming` makes a name for the results from method and path; `done` is how
    the end is known. Without that and without a completion code, the completion has no evidence: it
    ended without confirmation. Raises RobotError, which names the page and the reason.
    """
    walk = Walk(client, url, seed=seed, known=known, bounds=bounds, naming=naming, done=done)
    return walk.to_the_end(on_visit)


class Walk:
    """One completion. The way to request and send pages is this robot's own; see `browser`."""

    runs_scripts: ClassVar[bool] = False

    def __init__(
        self,
        client: Client,
        url: str,
        *,
        seed: object = 0,
        known: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
        naming: Callable[[str, str], str] | None = None,
        done: Sign | None = None,
    ) -> None:
        parts = urlsplit(url)
        self._client = client
        self._origin = (parts.scheme, parts.netloc)
        self._start = path_of(parts)
        self._chance = Random(str(seed))
        self._person = people.person(self._chance)
        self._known = known or {}
        self._naming = naming
        self._done = done or Sign()
        self._number = 1
        self.bounds = bounds or Bounds()
        self.path = self._start  #: Of the page being filled.

    def to_the_end(self, on_visit: OnVisit | None = None) -> Completion:
        visits: list[Visit] = []
        filled: list[Page] = []
        arrival = self.ask("GET", self._start)
        if arrival.page.completion_code:
            return self._ended(arrival, "", (), None)
        if self._done.on(arrival.page, arrival.path):
            raise self.stuck("the first page already has what only the last one should have")
        form = main_form(arrival.page)
        if form is None:
            self._check_scripts(scripts.needed(arrival.page, None))
            raise self.stuck("there is no form to fill")
        places: set[object] = set()
        while True:
            self.path, page = arrival.path, arrival.page
            if self._number > self.bounds.pages:
                raise self.stuck(f"the survey has not ended after {self.bounds.pages} pages")
            places.add(_place(arrival, form))
            visit, arrival, found = self._fill(page, form)
            visits.append(visit)
            filled.append(page)
            if on_visit is not None:
                on_visit(visit)
            doubt, following = found.doubt, found.form
            if found.fate is Fate.NEXT and following is not None:
                if _place(arrival, following) in places:
                    doubt = "it leads back to a page that was filled in before"
                elif wanted := self._secrets(following):
                    doubt = f"it leads to a log-in, which can't be made up; give {wanted}"
                else:
                    self._number += 1
                    form = following
                    continue
            ending = Ending(
                page=arrival.page,
                url=self._base(arrival.path),
                path=arrival.path,
                asked=self.path,
                filled=(*filled,),
            )
            return self._ended(arrival, doubt, (*visits,), ending)

    def _ended(
        self, arrival: Arrival, doubt: str, visits: tuple[Visit, ...], ending: Ending | None
    ) -> Completion:
        evidence = self._evidence(arrival)
        if not evidence and self._done != Sign():
            doubt = "the last page lacks the text or address that was given"
        return Completion(
            visits=visits,
            path=arrival.path,
            code=arrival.page.completion_code,
            evidence=evidence,
            doubt="" if evidence else doubt,
            ending=ending,
        )

    def _evidence(self, arrival: Arrival) -> str:
        """What a page itself says of being the last one."""
        code = arrival.page.completion_code
        return f"code {code}" if code else self._done.on(arrival.page, arrival.path)

    def _check_scripts(self, need: str) -> None:
        if need and not self.runs_scripts:
            raise self.stuck(f"it needs JavaScript ({need}); try completesurvey --browser")

    def _secrets(self, form: Form) -> str:
        """The options that would give what a log-in asks for, if it wasn't given."""
        passwords = [one.name for one in form.fillable if one.kind == "password"]
        if not asks_who(form) or all(name in self._known for name in passwords):
            return ""
        return " and ".join(f"--answer {one.name}=…" for one in form.fillable)

    def _fill(self, page: Page, form: Form) -> tuple[Visit, Arrival, Outcome]:
        """Sends a page until it is accepted; returns the visit, where it led, and the outcome."""
        if wanted := self._secrets(form):
            raise self.stuck(f"it asks for a log-in, which can't be made up; give {wanted}")
        self._check_scripts(scripts.needed(page, form))
        filler = Filler(self._person, self._chance, self._known, page.language)
        mended: list[str] = []
        complaints: list[str] = []
        repeated = ""
        shown, now = form, page
        for tries in range(1, self.bounds.tries + 1):
            if now.captcha:
                raise self.stuck("it asks for a captcha, which a robot can't answer")
            try:
                filler.fill(shown)
            except Unfillable as error:
                raise self.stuck(str(error)) from error
            button = next_button(shown)
            arrival = self.send(shown, now, button, filler.pairs(shown, button, now.charset))
            found = Outcome(Fate.ENDED)
            if not self._evidence(arrival):
                found = outcome(form, page, filler.answers, arrival, at=self.path)
            self._check_scripts(scripts.ignored(page, form, arrival.page))
            if found.fate is Fate.REFUSED:
                raise self.stuck(_status(arrival.status, b"", arrival.page))
            if found.fate is not Fate.BACK or found.form is None:
                visit = Visit(
                    number=self._number,
                    path=self.path,
                    title=page.title,
                    tries=tries,
                    answers=filler.given(shown),
                    mended=tuple(mended),
                    repeated=repeated,
                )
                return visit, arrival, found
            shown, now = found.form, arrival.page
            own = [f"{one}: {text}" for one in shown.controls for text in one.errors]
            before, complaints = complaints, [_shortened(one) for one in (*shown.errors, *own)]
            repeated = next((one for one in complaints if one in before), "")
            mended += map(_shortened, own)
            filler.mend(shown)
        words = "; ".join(complaints) or "it came back each time without a message"
        raise self.stuck(f"refused {self.bounds.tries} times: {words}")

    def send(
        self, form: Form, page: Page, button: Button | None, pairs: list[tuple[str, Value]]
    ) -> Arrival:
        pressed = button.limits if button is not None else {}
        action = pressed.get("formaction") or form.action
        method = (pressed.get("formmethod") or form.method).upper()
        base = self._resolved(page.base, self.path) if page.base and action else self.path
        target = self._resolved(action or self.path, base)
        wanted = (encoding.known_charset(one) for one in form.charset.split())
        charset = next(filter(None, wanted), page.charset)
        if method != "POST":
            target = f"{target.partition('?')[0]}?{encoding.query(pairs, charset)}"
            return self.ask("GET", target)
        enctype = (pressed.get("formenctype") or form.enctype).lower()
        return self.ask("POST", target, encoding.body(pairs, enctype, charset))

    def ask(self, method: str, path: str, content: tuple[bytes, str] = (b"", "")) -> Arrival:
        """One request and where it led, by redirects and pages that redirect themselves."""
        redirects = 0
        while True:
            answer = self._request(method, path, content)
            onward = ""
            wait_s = 0.0
            if answer.status_code in REDIRECTS and answer.headers.get("Location"):
                onward = str(answer.headers["Location"])
                if answer.status_code not in (307, 308):
                    method = "GET"
                base = path
            else:
                page = self._read(answer, path)
                self.check_status(answer.status_code, bytes(answer.content), page)
                base = self._resolved(page.base, path) if page.base else path
                header = refresh(str(answer.headers.get("Refresh", "")))
                if leads := self._leads_on(path, page, header):
                    wait_s, onward = leads[0], leads[1] or path
                    method = "GET"
            if not onward:
                return Arrival(path, page, answer.status_code, redirects > 0)
            redirects += 1
            if redirects > self.bounds.redirects:
                raise self.stuck(f"redirected more than {self.bounds.redirects} times")
            if wait_s:
                sleep(wait_s)
            path = self._resolved(onward, base)

    def _read(self, answer: Any, path: str) -> Page:
        body = bytes(answer.content)
        content_type = str(answer.headers.get("Content-Type", "html")).lower()
        if body and ("html" in content_type or body.lstrip()[:1] == b"<"):
            return read(body, content_type, lambda href: self._linked(href, path))
        if not body:
            return EMPTY
        plain = read(b"<pre>" + escape(body.decode("utf-8", "replace")).encode())
        return replace(plain, markup=False)

    def _linked(self, href: str, base: str) -> str:
        """The text of a style sheet of this site, which a process gets once."""
        try:
            path = self._resolved(href, base)
            if (self._origin, path) not in STYLES:
                STYLES[self._origin, path] = self.get_style(path)
        except RobotError:  # of another host, or not to be had
            return ""
        return STYLES[self._origin, path]

    def get_style(self, path: str) -> str:
        """Empty if it is no style sheet."""
        answer = self._request("GET", path, (b"", ""))
        is_style = "css" in str(answer.headers.get("Content-Type", ""))
        return bytes(answer.content).decode("utf-8", "replace") if is_style else ""

    def _leads_on(
        self, path: str, page: Page, header: tuple[float, str] | None
    ) -> tuple[float, str] | None:
        """Where a page redirects by itself, unless it has something to fill or is the end."""
        found = page.refresh or header
        if found is None or found[0] > LONGEST_WAIT_S or self._evidence(Arrival(path, page)):
            return None
        form = main_form(page)
        return None if form is not None and form.fillable else found

    def check_status(self, status: int, body: bytes, page: Page) -> None:
        """Raises RobotError for an error, unless it is a form that came back."""
        if status >= 400:
            form = main_form(page)
            if status not in REFUSALS or form is None or not form.fillable:
                raise self.stuck(_status(status, body, page))

    def _request(self, method: str, path: str, content: tuple[bytes, str]) -> Any:
        more: dict[str, Any] = {}
        if self._naming is not None:
            more["name"] = self._naming(method, path)
        if self._origin[0] == "https":  # Django checks where a POST over TLS comes from
            more["headers"] = {"Referer": f"https://{self._origin[1]}{self.path}"}
        try:
            if method == "POST":
                return self._client.post(path, content[0], content[1], **more)
            return self._client.get(path, **more)
        except RobotError:
            raise
        except AnswerError as error:
            raise self.stuck(str(error)) from error

    def _resolved(self, reference: str, base: str) -> str:
        """The path to which an action or a redirect leads; other hosts are refused."""
        parts = urlsplit(urljoin(self._base(base), reference))
        if parts.netloc != (self._origin[1] or NOWHERE):
            raise self.stuck(f"leads to another host, which the robot does not visit: {reference}")
        return path_of(parts)

    def _base(self, path: str) -> str:
        scheme, host = self._origin
        return f"{scheme or 'http'}://{host or NOWHERE}{path}"

    def stuck(self, reason: str) -> RobotError:
        return RobotError(f"page {self._number} ({self.path.partition('?')[0]}): {reason}")


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _place(arrival: Arrival, form: Form) -> object:
    """Equal for the same questions at the same address."""
    labels = tuple(control.label for control in form.fillable)
    return arrival.path, arrival.page.title, form.keys, labels


def _status(status: int, body: bytes, page: Page) -> str:
    if status == 403 and b"CSRF" in body:
        return "the CSRF check failed (status 403)"
    said = _shortened(" ".join(page.texts) or page.title)
    return f"the server answered {status}" + (f": {said}" if said else "")
