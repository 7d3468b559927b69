"""What shows, on a site of which nothing else is known, that its last page confirms a form.

No words are understood. A page confirms if it says what no page before it says and what visitors
who sent nothing, or an invalid form, are not told; and if it says the same to everybody.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.client import BlockingClient
from benchsuite.robot.completion import Completion, Sign, Visit
from benchsuite.robot.forms import NO_FILE, TYPED, Control, Page, Values
from benchsuite.robot.languages import main_form, next_button
from benchsuite.robot.walk import Bounds, OnVisit, Walk

VARYING = re.compile(r"\S*\d\S*")  #: Numbers, dates and codes.
TOKEN = re.compile(r"[^\W\d_]+|[^\w\s.,:;!?'’\"()/-]")
SOURCE = re.compile(
    r"\.(?:py|php\d?|rb|java|jsp?|ts|cs|pl|go|exs?)(?::\d|\(\d+\)|\W{1,3}(?:\w+\W){1,2}\d+\b)"
)  #: A line of a source file, as tracebacks of all languages name it.
SHORTEST = 3  #: Letters of an answer that is recognised where a page repeats it.
FEW = 3  #: Words of an answer of which a page may repeat one alone, as of a name.
NOWHERE = "no-such-page-here"
FURNITURE = "nav, header, footer, aside"
Line = tuple[str, ...]
Stranger = Callable[[], Walk]
"""A walk that nothing was sent by, in a session of its own."""


@contextmanager
def manually(
    url: str,
    *,
    known: Mapping[str, str],
    bounds: Bounds,
    timeout_s: float,
    browser: bool,
    done: Sign,
) -> Iterator[Callable[[str, OnVisit | None], Completion]]:
    """A function that completes the survey at a URL once with a seed, each time as a new visitor.

    What a confirmation looks like is learned from the first completion.
    """
    site = Site(lambda: Walk(BlockingClient(url, timeout_s=timeout_s), url))
    with ExitStack() as stack:
        walk: type[Walk] = Walk
        tab: Callable[[], AbstractContextManager[Any]] | None = None
        if browser:
            from benchsuite.robot.browser import BrowserWalk, tabs

            walk, tab = BrowserWalk, stack.enter_context(tabs(url, timeout_s))

        def completed(seed: str, on_visit: OnVisit | None) -> Completion:
            with tab() if tab else nullcontext(BlockingClient(url, timeout_s=timeout_s)) as client:
                ended = walk(client, url, seed, known, bounds, done).to_the_end(on_visit)
            return site.judged(ended)

        yield completed


@dataclass(slots=True)
class Site:
    """Judges the last pages of one site; what was learned about it serves all later walks."""

    stranger: Stranger
    _told: dict[str, set[Line]] = field(default_factory=dict)
    """What strangers were told, by the address that they visited."""
    _confirming: tuple[set[Line], set[Line]] | None = None
    """What the first confirmation said, and what was typed before it."""

    def judged(self, done: Completion) -> Completion:
        """The completion with evidence, or with the reason why there is none."""
        if done.evidence or done.doubt or not done.visits:
            return done
        doubt = _structural(done) or self._compared(done)
        evidence = "" if doubt else "a page that only a valid form led to"
        return replace(done, doubt=doubt, evidence=evidence)

    def _compared(self, done: Completion) -> str:
        typed, last = _typed(done.visits), done.visits[-1]
        fresh = _lines((done.page,)) - _lines(visit.page for visit in done.visits)
        if self._confirming is not None:
            before, earlier = self._confirming
            both = typed | earlier
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
        """What is told to who visits the form and sends it invalid, unless a refusal was seen.

        The last page is visited only if others lead there: thanks may be open to all. Otherwise its
        neighbour is, which does not exist: some sites answer that with a page and status 200.
        """
        path = done.path.partition("?")[0]
        known = last.path.startswith(path) or path in _before(done)
        landing = done.path if known else urljoin(done.path, NOWHERE)
        walk = self.stranger()
        for path in sorted({last.path, landing} - self._told.keys()):
            sends = path == last.path and last.tries == 1
            try:
                self._told[path] = _lines(_told_at(path, walk, sends=sends))
            except RobotError:  # later pages may be open only to who was on the first
                first = _told_at(walk.path, walk, sends=sends)
                self._told[path] = _lines(first) if path == last.path else set()
        return self._told[last.path] | self._told[landing]


def _told_at(path: str, walk: Walk, *, sends: bool) -> Iterator[Page]:
    """The page there, or RobotError, and if it `sends` its form what follows an invalid one."""
    arrival = walk.ask("GET", path)
    yield arrival.page
    form = main_form(arrival.page)
    if sends and form is not None:
        walk.path = arrival.path
        button = next_button(form)
        sent = [(control.name, value) for control in form.controls for value in _invalid(control)]
        with suppress(RobotError):
            pairs = sent + (button.pair if button is not None else [])
            yield walk.send(form, arrival.page, button, pairs).page


def _invalid(control: Control) -> Values:
    """Nothing where that may be missing, and what is never valid where it may not."""
    if control.kind in ("checkbox", "radio"):
        return ()
    empty = control.kind in ("text", "textarea", "password", "tel", "search")
    special: dict[str, Values] = {"hidden": (control.value,), "file": (NO_FILE,)}
    return special.get(control.kind, ("",) if empty else ("-",))


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
    for form in page.forms:
        typed = [control.kind for control in form.fillable if control.kind in TYPED]
        shown = bool(form.fillable or form.buttons)
        if shown and form.furniture not in seen and typed != ["search"]:
            return f"the last page has another form ({form.action or done.path})"
    links = _links(page, done.url, FURNITURE) - _before(done)
    onward = sorted(link for link in links if not asked.startswith(link))
    return f"the last page leads on to {onward[0]}" if onward else ""


def _before(done: Completion) -> set[str]:
    at = urljoin(done.url, done.visits[-1].path)
    return set().union(*(_links(visit.page, at) for visit in done.visits))


def _links(page: Page, url: str, without: str = "") -> set[str]:
    tree = page.tree
    nodes = tree.css("a[href]") if tree is not None else []
    aside = tree.css(without) if tree is not None and without else []
    skipped = {node.mem_id for place in aside for node in place.css("a[href]")}
    links = set()
    for node in nodes:
        href = (node.attributes.get("href") or "").strip()
        parts = urlsplit(urljoin(url, href))
        own = parts.netloc == urlsplit(url).netloc and not href.startswith("#")
        if own and node.mem_id not in skipped:
            links.add(parts.path or "/")
    return links


def _tokens(text: str) -> Line:
    return tuple(TOKEN.findall(VARYING.sub(" ", text.lower())))


def _lines(pages: Iterable[Page]) -> set[Line]:
    lines: set[Line] = set()
    for page in pages:
        lines |= set(map(_tokens, page.texts))
        for picture in page.tree.css("img[src]") if page.tree is not None else ():
            lines.add(("img", VARYING.sub("", picture.attributes.get("src") or "")))
    return lines - {()}


def _without(lines: set[Line], typed: set[Line]) -> set[Line]:
    """Lines without the words of short answers, and without long ones as a whole."""
    words = {word for answer in typed if len(answer) <= FEW for word in answer}
    left = set()
    for line in lines:
        text = " ".join(line)
        for answer in typed:
            text = text.replace(" ".join(answer), "") if len(answer) > FEW else text
        left.add(tuple(word for word in text.split() if word not in words))
    return left - {()}


def _typed(visits: Iterable[Visit]) -> set[Line]:
    texts = {str(value) for visit in visits for _, value in visit.answers}
    for form in (form for visit in visits for form in visit.page.forms):
        texts |= {choice.label for control in form.fillable for choice in control.choices}
    return {answer for answer in map(_tokens, texts) if len("".join(answer)) >= SHORTEST}
