"""What shows, on a site of which nothing else is known, that its last page confirms a form.

No words are understood. A page confirms if it says what no page before it says and what visitors
who sent nothing, or an invalid form, are not told; and if it says the same to everybody.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urljoin, urlsplit

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.client import BlockingClient
from benchsuite.robot.completion import Completion, Ending, Sign, Visit
from benchsuite.robot.forms import NO_FILE, TYPED, Control, Page, Values
from benchsuite.robot.languages import main_form, next_button
from benchsuite.robot.walk import Bounds, Complete, OnVisit, Walk

VARYING = re.compile(r"\S*\d\S*")  #: Numbers, dates and codes.
TOKEN = re.compile(r"[^\W\d_]+|[^\w\s.,:;!?'’\"()/-]")
SOURCE = re.compile(
    r"\.(?:py|php\d?|rb|java|jsp?|ts|cs|pl|go|exs?)(?::\d|\(\d+\)|\W{1,3}(?:\w+\W){1,2}\d+\b)"
)
"""A line of a source file, as tracebacks of all languages name it."""

SHORTEST = 3  #: Letters of an answer that is recognised where a page repeats it.
FEW = 3  #: Words of an answer of which a page may repeat one alone, as of a name.
NOWHERE = "no-such-page-here"
FURNITURE = "nav, header, footer, aside"
Line = tuple[str, ...]
Stranger = Callable[[], AbstractContextManager[Walk]]
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
) -> Iterator[Complete]:
    """A function that completes the survey at a URL once with a seed, each time as a new visitor.

    What a confirmation looks like is learned from the first completion.
    """
    blocking = partial(BlockingClient, url, timeout_s=timeout_s)

    @contextmanager
    def stranger() -> Iterator[Walk]:
        with blocking() as client:
            yield Walk(client, url)

    site = Site(stranger)
    with ExitStack() as stack:
        walk: type[Walk] = Walk
        visitor: Callable[[], AbstractContextManager[Any]] = blocking
        if browser:
            from benchsuite.robot.browser import BrowserWalk, tabs

            walk, visitor = BrowserWalk, stack.enter_context(tabs(url, timeout_s))

        def completed(seed: str, on_visit: OnVisit | None) -> Completion:
            with visitor() as client:
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
        ending = done.ending
        if done.evidence or done.doubt or ending is None:
            return done
        doubt = _structural(ending) or self._compared(ending, done.visits)
        if doubt:
            return replace(done, doubt=doubt)
        return replace(done, evidence="a page that only a valid form led to")

    def _compared(self, ending: Ending, visits: tuple[Visit, ...]) -> str:
        typed = _typed(ending, visits)
        fresh = _lines((ending.page,)) - _lines(ending.filled)
        if self._confirming is not None:
            before, earlier = self._confirming
            both = typed | earlier
            same = _without(fresh, both) == _without(before, both)
            return "" if same else "the last page is not the one that confirmed an earlier form"
        last = visits[-1]
        if last.repeated:
            return f"it may only end the attempts, after the same complaint twice: {last.repeated}"
        try:
            known = self._strangers_lines(ending, refused=last.tries > 1)
        except RobotError as error:
            return f"a second visitor could not see the form: {error}"
        if not _without(fresh, typed) - _without(known, typed):
            return "visitors who sent nothing, or an invalid form, are told the same"
        self._confirming = fresh, typed
        return ""

    def _strangers_lines(self, ending: Ending, *, refused: bool) -> set[Line]:
        """What is told to somebody who visits the form and sends it invalid, unless a refusal was
        seen before.

        The last page is visited only if others lead there too: the page of thanks may be open to
        all, and still nobody is sent there but by the form. Otherwise its neighbour is, which does
        not exist: some sites answer that with a page and status 200.
        """
        known = ending.asked.startswith(ending.path.partition("?")[0])
        known = known or ending.path.partition("?")[0] in _before(ending)
        landing = ending.path if known else urljoin(ending.path, NOWHERE)
        if missing := {ending.asked, landing} - self._told.keys():
            with self.stranger() as walk:
                for path in sorted(missing):
                    sends = path == ending.asked and not refused
                    try:
                        self._told[path] = _lines(_told_at(path, walk, sends=sends))
                    except RobotError:  # later pages may be open only to who was on the first
                        first = _told_at(walk.path, walk, sends=sends)
                        self._told[path] = _lines(first) if path == ending.asked else set()
        return self._told[ending.asked] | self._told[landing]


def _told_at(path: str, walk: Walk, *, sends: bool) -> Iterator[Page]:
    """The page there and, if it `sends` its form, what follows an invalid one.

    Raises RobotError if that path is answered with an error status; an invalid form may be.
    """
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


def _structural(ending: Ending) -> str:
    """Why a page can't confirm, whatever others are told; empty if it may."""
    page = ending.page
    text = " ".join(page.texts)
    if not text:
        return "the last page is empty"
    if not page.markup:
        return "the last answer is no HTML page"
    if SOURCE.search(text):
        return "the last page names a line of a program, as a traceback does"
    seen = {form.furniture for filled in ending.filled for form in filled.forms}
    for form in page.forms:
        typed = [control.kind for control in form.fillable if control.kind in TYPED]
        shown = bool(form.fillable or form.buttons)
        if shown and form.furniture not in seen and typed != ["search"]:
            return f"the last page has another form ({form.action or ending.path})"
    links = _links(page, ending.url, FURNITURE) - _before(ending)
    onward = sorted(link for link in links if not ending.asked.startswith(link))
    return f"the last page leads on to {onward[0]}" if onward else ""


def _before(ending: Ending) -> set[str]:
    """Paths to which the pages before lead."""
    at = urljoin(ending.url, ending.asked)
    return set().union(*(_links(page, at) for page in ending.filled))


def _links(page: Page, url: str, without: str = "") -> set[str]:
    """Paths of this site that a page leads to, but from these places of it."""
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
    """All that pages say, without numbers; pictures, too."""
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


def _typed(ending: Ending, visits: Iterable[Visit]) -> set[Line]:
    """The answers that a page may repeat, and all choices."""
    answers = [str(value) for visit in visits for _, value in visit.answers]
    forms = (form for page in ending.filled for form in page.forms)
    controls = (control for form in forms for control in form.fillable)
    labels = (choice.label for control in controls for choice in control.choices)
    return {
        answer for answer in map(_tokens, (*answers, *labels)) if len("".join(answer)) >= SHORTEST
    }
