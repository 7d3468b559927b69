"""What shows, on a site of which nothing else is known, that its last page confirms a form; and the
robot in a real browser. No words are understood. A page confirms if it says what no page before it
says and what visitors who sent nothing, or an invalid form, are not told; and if it says the same
to everybody.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from benchsuite.core.exceptions import RobotError, UnavailableError
from benchsuite.core.wording import led_to, path_of
from benchsuite.robot.completion import Arrival, Completion, Sign, Visit
from benchsuite.robot.forms import TYPED, Control, Form, Page, Pairs, Upload, Value, Values
from benchsuite.robot.walk import BlockingClient, Body, OnVisit, Walk
from benchsuite.robot.words import main_form, next_button

if TYPE_CHECKING:
    from playwright.sync_api import Locator

VARYING = re.compile(r"\S*\d\S*")  #: Numbers, dates and codes.
TOKEN = re.compile(r"[^\W\d_]+|[^\w\s.,:;!?'’\"()/-]")
SOURCE = re.compile(
    r"((?<!/)[/\\][\w.-]+)?\.(?:py|php\d?|rb|java|jsp?|ts|cs|pl|go|exs?)"
    r"(?::\d|\(\d+\)|(?(1)\W{1,3}(?:\w+\W){1,2}\d+\b|(?!)))"
)  #: A line of a source file, as tracebacks of all languages name it.
SHORTEST = 3  #: Letters of an answer that is recognised where a page repeats it.
FEW = 3  #: Words of an answer of which a page may repeat one alone, as of a name.
NOWHERE = "no-such-page-here"
ONWARD = "{}:not(nav *, header *, footer *, aside *)"  #: Links and forms but those on every page.
Line = tuple[str, ...]


@contextmanager
def manually(
    url: str, *, known: Mapping[str, str], timeout_s: float, browser: bool, done: Sign
) -> Iterator[Callable[[str, OnVisit], Completion]]:
    """A function that completes the survey there with a seed, each time as a new visitor."""

    fresh = partial(BlockingClient, url, timeout_s=timeout_s)
    site = Site(lambda: Walk(fresh(), url))
    walk = BrowserWalk if browser else Walk
    with tabs(url, timeout_s) if browser else nullcontext(lambda: nullcontext(fresh())) as visitor:

        def completed(seed: str, on_visit: OnVisit) -> Completion:
            with visitor() as client:
                ended = walk(client, url, seed, known, done).to_the_end(on_visit)
            return site.judged(ended)

        yield completed


@dataclass(slots=True)
class Site:
    """Judges the last pages of one site; what was learned about it serves all later walks."""

    stranger: Callable[[], Walk]  #: A walk that nothing was sent by, in a session of its own.
    _seen: dict[str, set[Line]] = field(default_factory=dict)  #: What strangers saw, by address.
    _confirming: tuple[set[Line], set[Line]] | None = None  #: What the first said, and was typed.

    def judged(self, done: Completion) -> Completion:
        """The completion with evidence, or with the reason why there is none."""
        if done.evidence or done.doubt or not done.visits:
            return done
        doubt = _structural(done) or self._compared(done)
        evidence = "" if doubt else "a page that only a valid form led to"
        return replace(done, doubt=doubt, evidence=evidence)

    def _compared(self, done: Completion) -> str:
        texts = {str(value) for visit in done.visits for _, value in visit.answers}
        for form in (form for visit in done.visits for form in visit.page.forms):
            texts |= {choice.label for control in form.fillable for choice in control.choices}
        typed = {answer for answer in map(_tokens, texts) if len("".join(answer)) >= SHORTEST}
        last = done.visits[-1]
        fresh = _lines((done.page,)) - _lines(visit.page for visit in done.visits)
        if self._confirming is not None:
            before, both = self._confirming[0], typed | self._confirming[1]
            same = _without(fresh, both) == _without(before, both)
            return "" if same else "the last page is not the one that confirmed an earlier form"
        if last.repeated:
            return f"it may only end the attempts, after the same complaint twice: {last.repeated}"
        try:
            known = self._strangers_lines(done, last)
        except RobotError as error:
            return f"a second visitor could not see the form: {error}"
        if not _without(fresh, typed) - _without(known, typed):
            return "visitors who sent nothing, or an invalid form, are told the same"
        self._confirming = fresh, typed
        return ""

    def _strangers_lines(self, done: Completion, last: Visit) -> set[Line]:
        """What is told to who sends nothing, or an invalid form, unless a refusal was seen. An
        unlinked last page may be open to all: then a neighbour that does not exist is visited.
        """
        path = done.path.partition("?")[0]
        known = last.path.startswith(path) or path in _before(done)
        landing = done.path if known else urljoin(done.path, NOWHERE)
        walk = self.stranger()
        for path in sorted({last.path, landing} - self._seen.keys()):
            sends = path == last.path and last.tries == 1
            try:
                self._seen[path] = _lines(_pages_at(path, walk, sends=sends))
            except RobotError:  # later pages may be open only to who was on the first
                first = _pages_at(walk.path, walk, sends=sends)
                self._seen[path] = _lines(first) if path == last.path else set()
        return self._seen[last.path] | self._seen[landing]


def _pages_at(path: str, walk: Walk, *, sends: bool) -> Iterator[Page]:
    """The page there, or RobotError, and if it `sends` its form what follows an invalid one."""
    arrival = walk.ask("GET", path)
    yield arrival.page
    if sends and (form := main_form(arrival.page)) is not None:
        walk.path = arrival.path
        sent = [(control.name, value) for control in form.controls for value in _invalid(control)]
        with suppress(RobotError):
            yield walk.send(form, arrival.page, sent).page


def _invalid(control: Control) -> Values:
    """Nothing where that may be missing, and what is never valid where it may not."""
    if control.kind in ("checkbox", "radio", "file"):
        return ()
    word = "" if control.kind in ("text", "textarea", "password", "tel", "search") else "-"
    return (control.value if control.kind == "hidden" else word,)


def _structural(done: Completion) -> str:
    """Why a page can't confirm, whatever others are told; empty if it may."""
    page, asked = done.page, done.visits[-1].path
    text = " ".join(page.texts)
    if not text:
        return "the last page is empty"
    if not page.markup:
        return "the last answer is no HTML page"
    if SOURCE.search(text):
        return "the last page names a line of a program, as a traceback does"
    seen = {form.furniture for visit in done.visits for form in visit.page.forms}
    inner = {node.mem_id for node in page.css(ONWARD.format("form"))}
    for node, form in zip(page.css("form"), page.forms, strict=True):
        typed = [control.kind for control in form.fillable if control.kind in TYPED]
        asks = (form.fillable or form.buttons) and typed != ["search"] and node.mem_id in inner
        if asks and form.furniture not in seen:
            return f"the last page has another form ({form.action or done.path})"
    links = _links(page, done.url, ONWARD.format("a[href]")) - _before(done)
    onward = sorted(link for link in links if not asked.startswith(link))
    return f"the last page leads on to {onward[0]}" if onward else ""


def _before(done: Completion) -> set[str]:
    origin = done.url.removesuffix(done.path)
    linked = (_links(visit.page, origin + visit.path) for visit in done.visits)
    return {visit.path.partition("?")[0] for visit in done.visits}.union(*linked)


def _links(page: Page, url: str, selector: str = "a[href]") -> set[str]:
    """Paths on the same host, but for links of a page to itself."""
    hrefs = ((node.attributes.get("href") or "").strip() for node in page.css(selector))
    here, base = led_to(url), led_to(page.base, url).geturl()
    links = {led_to(href, base)._replace(fragment="") for href in hrefs} - {here}
    return {link.path or "/" for link in links if link.netloc == here.netloc}


def _tokens(text: str) -> Line:
    return tuple(TOKEN.findall(VARYING.sub(" ", text.lower())))


def _lines(pages: Iterable[Page]) -> set[Line]:
    lines: set[Line] = set()
    for page in pages:
        sources = (picture.attributes.get("src") or "" for picture in page.css("img[src]"))
        lines.update(map(_tokens, page.texts), (("img", VARYING.sub("", one)) for one in sources))
    return lines - {()}


def _without(lines: set[Line], typed: set[Line]) -> set[Line]:
    """Lines without the words of short answers, and without long ones as a whole."""
    words = {word for answer in typed if len(answer) <= FEW for word in answer}
    whole = [" ".join(answer) for answer in typed if len(answer) > FEW]
    texts = (reduce(lambda text, cut: text.replace(cut, ""), whole, " ".join(of)) for of in lines)
    return {tuple(word for word in text.split() if word not in words) for text in texts} - {()}


PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = ("--disable-gpu", "--no-first-run", "--disable-background-networking")
SENDING = ":is(button:not([type=button], [type=reset]), [type=submit], [type=image]):enabled"
INVALID = """form => form.noValidate ? [] : [...form.elements]
    .filter(one => one.name && one.willValidate && !one.checkValidity())
    .map(one => [one.name, one.validationMessage])"""
"""Values that the browser itself refuses to send, with its messages."""


@contextmanager
def tabs(url: str, timeout_s: float) -> Iterator[Callable[[], AbstractContextManager[Any]]]:
    """Opens a tab for a new visitor, to this host alone; UnavailableError without a Chromium."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise UnavailableError(
            'The browser robot needs Playwright: pip install "django-benchsuite[browser]"'
        ) from error
    if program is None:
        raise UnavailableError("The browser robot needs Chromium: apt install chromium")
    host = led_to(url).netloc
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=ARGUMENTS) as browser,
    ):

        @contextmanager
        def tab() -> Iterator[Any]:
            with browser.new_context() as context:
                context.set_default_timeout(timeout_s * 1000)
                context.route(lambda asked: led_to(asked).netloc != host, lambda way: way.abort())
                yield context.new_page()

        yield tab


class BrowserWalk(Walk):
    """Requests and sends pages as a person in front of a screen does; its client is a tab."""

    runs_scripts = True

    def ask(self, method: str, path: str, content: Body = (b"", "")) -> Arrival:
        return self._arrived(lambda: self.client.goto(self.url))

    def send(self, form: Form, page: Page, pairs: Pairs) -> Arrival:
        forms, button = list(page.forms), next_button(form)
        place = [known.furniture for known in forms].index(form.furniture)
        shown = self.client.locator("form").nth(place)
        own = page.css("form")[place].attributes.get("id") or ""
        parts = shown.locator(":not([form])").or_(self.client.locator(f"[form={_quoted(own)}]"))
        for control in form.fillable:
            if not control.fixed:
                given = [value for name, value in pairs if name == control.name]
                enter = partial(_enter, parts, control, given)
                self._tried(enter, f"{control} can't be filled in the browser: ")
        refused = {name: (words,) for name, words in self._tried(lambda: shown.evaluate(INVALID))}
        if refused and (button is None or "formnovalidate" not in button.limits):
            controls = (replace(part, errors=refused.get(part.name, ())) for part in form.controls)
            forms[place] = replace(form, controls=tuple(controls))
            return Arrival(self.path, replace(page, forms=tuple(forms)))
        return self._arrived(lambda: self._pressed(shown, parts, button))

    def _pressed(self, shown: "Locator", parts: "Locator", button: Control | None) -> Any:
        with self.client.expect_navigation() as navigation:
            own = shown.locator("[type=button]:visible")
            if button is not None:
                parts.and_(self.client.locator(SENDING)).nth(int(button.key)).click()
            elif own.count():  # a script sends it
                own.last.click()
            else:
                shown.evaluate("form => form.requestSubmit()")
        return navigation.value

    def _arrived(self, go: Callable[[], Any]) -> Arrival:
        response, content = self._tried(lambda: (go(), self.client.content()))
        path, status = path_of(urlsplit(self.client.url)), response.status if response else 200
        page = self.received(path, status, content.encode(), "html; charset=utf-8")
        redirected = response is not None and response.request.redirected_from is not None
        return Arrival(path, page, status, redirected)

    def get_style(self, path: str) -> str:
        answer = self._tried(lambda: self.client.request.get(urljoin(self.url, path)))
        return str(answer.text()) if "css" in answer.headers.get("content-type", "") else ""

    def _tried(self, act: Callable[[], Any], beginning: str = "") -> Any:
        """What it returns; raises RobotError with the first line of the browser's error."""
        from playwright.sync_api import Error

        try:
            return act()
        except Error as error:
            words = str(error).splitlines() or [type(error).__name__]
            raise self.stuck(f"{beginning}{words[0]}") from error


def _quoted(text: str) -> str:
    """As a string of CSS."""
    return '"' + re.sub(r'["\\\x00-\x1f]', lambda sign: f"\\{ord(sign[0]):x} ", text) + '"'


def _enter(parts: "Locator", control: Control, given: list[Value]) -> None:
    fields = parts.and_(parts.page.locator(f"[name={_quoted(control.name)}]"))
    if control.kind in ("radio", "checkbox"):
        for choice in control.choices:
            box = fields.and_(parts.page.locator(f"[value={_quoted(choice.value)}]"))
            box = box if box.count() else fields  # a box without a value sends "on"
            wanted = choice.value in given
            if control.kind == "checkbox" or wanted:
                box.first.set_checked(wanted)
    elif control.kind == "select":
        fields.first.select_option([str(value) for value in given])
    elif control.kind == "file":
        files: list[Any] = [
            {"name": file.name, "mimeType": file.content_type, "buffer": file.content}
            for file in given
            if isinstance(file, Upload) and file.name
        ]
        fields.first.set_input_files(files)
    elif control.kind in TYPED and given:
        fields.first.fill(str(given[0]))
