"""What shows, on a site of which nothing else is known, that its last page confirms a form.

No words are understood. A page confirms if it says what no page before it says and what visitors
who sent nothing, or an invalid form, are not told; and if it says the same to everybody.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin, urlsplit

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.choosing import main_form, next_button
from benchsuite.robot.completion import Completion, Ending, Visit
from benchsuite.robot.encoding import Upload, Value
from benchsuite.robot.forms import TYPED, Control, Page
from benchsuite.robot.walk import Walk

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
        said = _lines((ending.page,)) - _lines(ending.filled)
        if self._confirming is not None:
            before, earlier = self._confirming
            both = typed | earlier
            same = _without(said, both) == _without(before, both)
            return "" if same else "the last page is not the one that confirmed an earlier form"
        last = visits[-1]
        if last.repeated:
            return f"it may only end the attempts, after the same complaint twice: {last.repeated}"
        try:
            told = self._strangers_lines(ending, refused=last.tries > 1)
        except RobotError as error:
            return f"a second visitor could not see the form: {error}"
        if not _without(said, typed) - _without(told, typed):
            return "visitors who sent nothing, or an invalid form, are told the same"
        self._confirming = said, typed
        return ""

    def _strangers_lines(self, ending: Ending, *, refused: bool) -> set[Line]:
        """What is told to somebody who visits the form and sends it invalid, unless a refusal was
        seen before.

        The last page is visited only if others lead there too: the page of thanks may be open to
        all, and still nobody is sent there but by the form. Otherwise its neighbour is, which does
        not exist: some sites answer that with a page and status 200.
        """
        landing = ending.path if _is_known(ending) else urljoin(ending.path, NOWHERE)
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
        sent = [(one.name, value) for one in form.controls for value in _invalid(one)]
        if button is not None and button.name:
            sent.append((button.name, button.value))
        with suppress(RobotError):
            yield walk.send(form, arrival.page, button, sent).page


def _invalid(control: Control) -> tuple[Value, ...]:
    """Nothing where that may be missing, and what is never valid where it may not."""
    if control.kind == "hidden":
        return (control.value,)
    if control.kind in ("checkbox", "radio"):
        return ()
    if control.kind == "file":
        return (Upload("", b"", "application/octet-stream"),)
    return ("",) if control.kind in ("text", "textarea", "password", "tel", "search") else ("-",)


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
    seen = {form.furniture for one in ending.filled for form in one.forms}
    for form in page.forms:
        typed = [one.kind for one in form.fillable if one.kind in TYPED]
        shown = bool(form.fillable or form.buttons)
        if shown and form.furniture not in seen and typed != ["search"]:
            return f"the last page has another form ({form.action or ending.path})"
    links = _links(page, ending.url) - _before(ending)
    onward = sorted(link for link in links if not ending.asked.startswith(link))
    return f"the last page leads on to {onward[0]}" if onward else ""


def _is_known(ending: Ending) -> bool:
    """Whether the last page is one that visitors come to without the form."""
    path = ending.path.partition("?")[0]
    return ending.asked.startswith(path) or path in _before(ending)


def _before(ending: Ending) -> set[str]:
    """Paths to which the pages before lead."""
    at = urljoin(ending.url, ending.asked)
    return set().union(*(_links(page, at, everywhere=True) for page in ending.filled))


def _links(page: Page, url: str, *, everywhere: bool = False) -> set[str]:
    """Paths of this site that a page leads to; without those in its furniture, unless asked."""
    if page.tree is None:
        return set()
    aside = (
        set()
        if everywhere
        else {node.mem_id for place in page.tree.css(FURNITURE) for node in place.css("a[href]")}
    )
    found = set()
    for node in page.tree.css("a[href]"):
        href = (node.attributes.get("href") or "").strip()
        parts, here = urlsplit(urljoin(url, href)), urlsplit(url).netloc
        if parts.netloc == here and not href.startswith("#") and node.mem_id not in aside:
            found.add(parts.path or "/")
    return found


def _lines(pages: Iterable[Page]) -> set[Line]:
    """All that pages say, without numbers; pictures, too."""
    found: set[Line] = set()
    for page in pages:
        for text in page.texts:
            found.add(tuple(TOKEN.findall(VARYING.sub(" ", text.lower()))))
        for picture in page.tree.css("img[src]") if page.tree is not None else ():
            found.add(("img", VARYING.sub("", picture.attributes.get("src") or "")))
    return found - {()}


def _without(lines: set[Line], typed: set[Line]) -> set[Line]:
    """Lines without the words of short answers, and without long ones as a whole."""
    words = {word for answer in typed if len(answer) <= FEW for word in answer}
    long = [" ".join(answer) for answer in typed if len(answer) > FEW]
    found = set()
    for line in lines:
        text = " ".join(line)
        for answer in long:
            text = text.replace(answer, "")
        found.add(tuple(one for one in text.split() if one not in words))
    return found - {()}


def _typed(ending: Ending, visits: Iterable[Visit]) -> set[Line]:
    """The answers that a page may repeat, and all choices."""
    answers = [str(value) for visit in visits for _, value in visit.answers]
    forms = (form for page in ending.filled for form in page.forms)
    choices = (choice for form in forms for one in form.fillable for choice in one.choices)
    texts = (*answers, *(choice.label for choice in choices))
    found = (tuple(TOKEN.findall(VARYING.sub(" ", text.lower()))) for text in texts)
    return {answer for answer in found if len("".join(answer)) >= SHORTEST}
