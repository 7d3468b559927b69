"""From page to page until there is no form any more."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urljoin, urlsplit

from benchsuite.exceptions import AnswerError, RobotError
from benchsuite.robot import encoding, people
from benchsuite.robot.choosing import main_form, next_button
from benchsuite.robot.encoding import Value
from benchsuite.robot.filling import Filler, Unfillable
from benchsuite.robot.forms import Button, Form, Page
from benchsuite.robot.parsing import read
from benchsuite.workloads.base import Client

REDIRECTS = (301, 302, 303, 307, 308)
REFUSALS = (400, 422)
"""Statuses with which some frameworks send a form back for mending."""

SHOWN = 200
"""Characters of an error that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Where the robot gives up."""

    pages: int = 100
    tries: int = 8
    """Times a page may be sent before its answers are taken."""
    redirects: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One page that was filled."""

    number: int
    path: str
    title: str
    tries: int
    answers: tuple[tuple[str, Value], ...]
    """What was taken in the end, by name, without hidden fields."""
    mended: tuple[str, ...]
    """The errors on the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    visits: tuple[Visit, ...]
    path: str
    """Of the last page, the one without a form."""
    code: str
    """Its completion code, empty when it has none."""

    @property
    def pages(self) -> int:
        """The last one included."""
        return len(self.visits) + 1


OnVisit = Callable[[Visit], None]

Complete = Callable[[str, OnVisit | None], Completion]
"""Completes a survey with this seed, and tells of each page that is done."""


def complete(
    client: Client,
    url: str,
    *,
    seed: object = 0,
    known: Mapping[str, str] | None = None,
    bounds: Bounds | None = None,
    naming: Callable[[str, str], str] | None = None,
    on_visit: OnVisit | None = None,
) -> Completion:
    """Fills the form at a URL, and those that follow, until a page has none.

    The same seed gives the same answers to the same questions. `known` are answers by name (a user
    name and a password); `naming` makes a name for the results of method and path. Raises
    RobotError, which names the page and the reason.
    """
    walk = Walk(client, url, seed=seed, known=known, bounds=bounds, naming=naming)
    return walk.to_the_end(on_visit)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A page, and how one came to it."""

    path: str
    page: Page
    redirected: bool


class Walk:
    """One completion. How a page is asked for and sent is this robot's own; see `browser`."""

    def __init__(
        self,
        client: Client,
        url: str,
        *,
        seed: object = 0,
        known: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
        naming: Callable[[str, str], str] | None = None,
    ) -> None:
        parts = urlsplit(url)
        self._client = client
        self._origin = (parts.scheme, parts.netloc)
        self._start = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
        self._chance = Random(str(seed))
        self._person = people.person(self._chance)
        self._known = known or {}
        self._naming = naming
        self._number = 1
        self.bounds = bounds or Bounds()
        self.path = self._start
        """Of the page that is being filled."""

    def to_the_end(self, on_visit: OnVisit | None = None) -> Completion:
        visits: list[Visit] = []
        arrival = self.ask("GET", self._start)
        while True:
            self.path, page = arrival.path, arrival.page
            form = None if page.completion_code else main_form(page)
            if form is None:
                break
            if self._number > self.bounds.pages:
                raise self.stuck(f"the survey is not at its end after {self.bounds.pages} pages")
            visit, arrival, done = self._fill(page, form)
            visits.append(visit)
            if on_visit is not None:
                on_visit(visit)
            if done:
                break
            self._number += 1
        if not visits and not arrival.page.completion_code:
            raise self.stuck("there is no form to fill")
        return Completion(
            visits=tuple(visits), path=arrival.path, code=arrival.page.completion_code
        )

    def _fill(self, page: Page, form: Form) -> tuple[Visit, Arrival, bool]:
        """Sends a page until its answers are taken; what was done, where it led, whether it ended.

        A form that comes back unchanged together with praise is one that starts over.
        """
        filler = Filler(self._person, self._chance, self._known)
        said: list[str] = []
        shown = form
        for tries in range(1, self.bounds.tries + 1):
            if page.captcha:
                raise self.stuck("it asks for a captcha, which a robot can't answer")
            try:
                filler.fill(shown)
            except Unfillable as error:
                raise self.stuck(str(error)) from error
            button = next_button(shown)
            pairs = filler.pairs(shown, button)
            arrival = self.send(shown, button, pairs)
            back = None if arrival.page.completion_code else main_form(arrival.page)
            again = back is not None and self._same(shown, page, back, arrival)
            praised = again and arrival.page.praised
            if back is None or not again or praised:
                visit = Visit(
                    number=self._number,
                    path=self.path,
                    title=page.title,
                    tries=tries,
                    answers=filler.given(shown),
                    mended=tuple(said),
                )
                return visit, arrival, praised
            said += _complaints(back, arrival.page)
            filler.mend(back)
            shown, page = back, arrival.page
        raise self.stuck(self._refusal(shown, page))

    def _same(self, sent: Form, page: Page, back: Form, arrival: Arrival) -> bool:
        """Whether it is the page that was just sent, to be mended."""
        here = arrival.path.partition("?")[0] == self.path.partition("?")[0]
        if back.wrong or arrival.page.errors:
            return here or back.signature == sent.signature
        alike = back.signature == sent.signature and page.title == arrival.page.title
        return alike and (not arrival.redirected or (here and arrival.page.praised))

    def _refusal(self, form: Form, page: Page) -> str:
        words = "; ".join(_complaints(form, page)) or "nothing is said about what is wrong"
        return f"not taken after {self.bounds.tries} tries: {words}"

    def send(self, form: Form, button: Button | None, pairs: list[tuple[str, Value]]) -> Arrival:
        pressed = button.limits if button is not None else {}
        action = pressed.get("formaction") or form.action
        method = (pressed.get("formmethod") or form.method).upper()
        target = self._resolved(action or self.path, self.path)
        if method != "POST":
            target = f"{target.partition('?')[0]}?{encoding.query(pairs)}"
            return self.ask("GET", target)
        enctype = (pressed.get("formenctype") or form.enctype).lower()
        return self.ask("POST", target, encoding.body(pairs, enctype))

    def ask(self, method: str, path: str, content: tuple[bytes, str] = (b"", "")) -> Arrival:
        """One request and where it led."""
        redirects = 0
        answer = self._request(method, path, content)
        while answer.status_code in REDIRECTS and answer.headers.get("Location"):
            redirects += 1
            if redirects > self.bounds.redirects:
                raise self.stuck(f"redirected more than {self.bounds.redirects} times")
            if answer.status_code not in (307, 308):
                method = "GET"
            path = self._resolved(str(answer.headers["Location"]), path)
            answer = self._request(method, path, content)
        body = bytes(answer.content)
        html = "html" in str(answer.headers.get("Content-Type", "html")).lower()
        page = read(body) if html and body else Page(title="")
        self.check_status(answer.status_code, body, page)
        return Arrival(path, page, redirects > 0)

    def check_status(self, status: int, body: bytes, page: Page) -> None:
        """Raises RobotError for an error, unless it is a form that came back for mending."""
        if status >= 400:
            form = main_form(page)
            if status not in REFUSALS or form is None or not form.wrong:
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
        """The path that an action or a redirect leads to; other hosts are not gone to."""
        scheme, host = self._origin
        parts = urlsplit(urljoin(f"{scheme or 'http'}://{host or 'this.invalid'}{base}", reference))
        if parts.netloc != (host or "this.invalid"):
            raise self.stuck(f"leads to another host, where the robot does not go: {reference}")
        return parts._replace(scheme="", netloc="", fragment="").geturl() or "/"

    def stuck(self, reason: str) -> RobotError:
        return RobotError(f"page {self._number} ({self.path.partition('?')[0]}): {reason}")


def _complaints(form: Form, page: Page) -> list[str]:
    """All that is said to be wrong, with the names of the controls."""
    own = [f"{control}: {text}" for control in form.controls for text in control.errors]
    return [text[:SHOWN] for text in (*own, *form.errors, *page.errors)]


def _status(status: int, body: bytes, page: Page) -> str:
    if status == 403 and b"CSRF" in body:
        return "the CSRF check failed (status 403)"
    said = f": {page.title}" if page.title else ""
    return f"the server answered {status}{said}"
