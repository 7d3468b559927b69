"""What came of a form: refused, with the messages about each control, on to the next page, or
ended; and the completion that it was a part of.

All by structure: no framework's markup is assumed, and no words of thanks or failure. A text is a
message if it is new since the form was first shown. It is about the control that refers to it,
that it refers to, that it is alone with, or that it names; else about nothing but the form.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from fnmatch import fnmatchcase
from itertools import groupby, islice

from selectolax.lexbor import LexborNode

from benchsuite.robot.constraints import constraint
from benchsuite.robot.forms import Control, Form, Page, Piece, Value, Values
from benchsuite.robot.languages import about, first_said, goes_on, main_form
from benchsuite.robot.parsing import block, upwards, within

FEW = 2  #: Controls of a form that may stand beside the end, as for a newsletter.
SHOWN = 70  #: Characters of an answer that are shown.
PART = re.compile(
    r"(?:[-_.\[](?:\d+|year|month|day|jahr|monat|tag|annee|mois|jour|yyyy|mm|dd)\]?)$"
)
"""Suffixes that distinguish the parts of one question."""

UNSAID = "is marked as wrong without a word"
LEVELS = 4  #: Levels of ancestors that belong to a message.
LETTERS = re.compile(r"[^\W\d_]{2}")
SENTENCE = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}\W+[^\W\d_]{2,}")
NO_MESSAGES = frozenset(("class", "style", "value", "name", "id", "action", "href", "src"))
REFERENCES = ("aria-errormessage", "aria-describedby")

Line = list[tuple[int, Piece]]  #: Texts on one line, with their places on the page.


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One page that was filled."""

    number: int
    path: str
    title: str
    tries: int
    answers: tuple[tuple[str, Value], ...]  #: The accepted answers by name, without hidden fields.
    mended: tuple[str, ...]  #: The errors of controls before that.
    repeated: str = ""  #: The complaint that the last two refusals had in common.


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What the author of a form says that its last page has, and no page before it."""

    text: str = ""
    url: str = ""  #: A pattern of its path with query: /thanks/*.

    def on(self, page: Page, path: str) -> str:
        """What was seen of it, in words; empty if nothing."""
        if self.url and fnmatchcase(path, self.url):
            return f"the address {path}"
        seen = self.text and self.text in " ".join(" ".join(page.texts).split())
        return f"the text {self.text!r}" if seen else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The last page, and what led to it."""

    page: Page
    url: str
    path: str
    asked: str  #: The path of the last form.
    filled: tuple[Page, ...]  #: The pages before, as they were received.


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A walk to its end. Whether the form was taken is for its evidence to say."""

    visits: tuple[Visit, ...]
    path: str  #: Of the last page.
    code: str = ""  #: Its completion code, empty when it has none.
    evidence: str = ""  #: What shows that the form was taken; empty: ended without confirmation.
    doubt: str = ""  #: Why the last page shows nothing.
    ending: Ending | None = None  #: For evidence from elsewhere, where there is none yet.

    @property
    def pages(self) -> int:
        """Including the last one."""
        return len(self.visits) + 1


def summary(done: Completion) -> str:
    """3 pages, 14 answers, 2 mistakes mended, code 7GJ4."""
    answers = sum(len(visit.answers) for visit in done.visits)
    mended = sum(len(visit.mended) for visit in done.visits)
    parts = [_counted(len(done.visits), "page"), _counted(answers, "answer")]
    mistakes = f"{_counted(mended, 'mistake')} mended" if mended else ""
    return ", ".join(filter(None, (*parts, mistakes, done.evidence)))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def lines(visit: Visit) -> list[str]:
    """One page: what was answered, and what was mended on the way."""
    shown = [f"page {visit.number}  {visit.path}  {visit.title}".rstrip()]
    for name, value in visit.answers:
        text = " ".join(str(value).split())
        text = text[:SHOWN] + "…" * (len(text) > SHOWN)
        shown.append(f"    {name} = {'(a password)' if 'password' in name.lower() else text}")
    return shown + [f"    mended: {text}" for text in visit.mended]


class Fate(Enum):
    BACK = auto()  #: The form came back to be corrected.
    NEXT = auto()
    ENDED = auto()  #: Nothing is left to fill; whether the form was taken is another question.
    REFUSED = auto()  #: An error status, without the form.


@dataclass(frozen=True, slots=True)
class Arrival:
    """A page, and the way to it."""

    path: str
    page: Page
    status: int = 200
    redirected: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    fate: Fate
    form: Form | None = None  #: The one that came back, with its errors, or the next one.
    doubt: str = ""  #: Why the end proves nothing.


def outcome(
    sent: Form, page: Page, given: Mapping[str, Values], arrival: Arrival, *, at: str
) -> Outcome:
    """The outcome of a form at that path, compared with its page before anything was sent.

    `given` are the answers by key.
    """
    after, status, path = arrival.page, arrival.status, arrival.path.partition("?")[0]
    elsewhere = arrival.redirected and path != at.partition("?")[0]
    back = _same(sent, page, after, elsewhere=elsewhere)
    if back is not None:
        complained = with_errors(page, after, sent, back)
        controls = complained.controls
        marked = any(one.limits.get("aria-invalid") == "true" for one in controls)
        wrong = marked or any(control.errors for control in controls)
        kept = _kept(sent, back, given)
        if status >= 400 or wrong or (kept and sent.method == "post" and not arrival.redirected):
            return Outcome(Fate.BACK, form=complained)
        if elsewhere and not kept and not complained.errors:
            return Outcome(Fate.NEXT, form=back)
        return Outcome(Fate.ENDED, doubt="the form came back, without a complaint about a field")
    if status >= 400:
        return Outcome(Fate.REFUSED)
    beside = {form.furniture for form in page.forms if form.furniture != sent.furniture}
    following = main_form(after, beside=beside)
    if following is None:
        return Outcome(Fate.ENDED)
    few = len(following.fillable) <= FEW and following.action not in ("", sent.action, path)
    if few and not goes_on(following):
        return Outcome(Fate.ENDED, doubt=f"the last page has another form ({following.action})")
    return Outcome(Fate.NEXT, form=following)


def _same(sent: Form, page: Page, after: Page, *, elsewhere: bool) -> Form | None:
    """The same questions on another page, by their names and labels."""
    asked = {control.key: control.label for control in sent.fillable}
    if not asked:
        alike = (form for form in after.forms if form.furniture == sent.furniture)
        return next(alike, None) if page.texts == after.texts else None
    best = max(after.forms, key=lambda form: len(asked.keys() & form.keys), default=None)
    shared = asked.keys() & best.keys if best is not None else frozenset()
    if best is None or not shared or 2 * len(shared) < min(len(asked), len(best.keys)):
        return None
    labels = [asked[key] for key in shared if asked[key]]
    if not labels:
        return best if not elsewhere or page.title == after.title else None
    there = "\n".join((*after.texts, *(control.label for control in best.fillable)))
    return best if 2 * sum(label in there for label in labels) > len(labels) else None


def _kept(sent: Form, back: Form, given: Mapping[str, Values]) -> bool:
    """Whether the form shows the answers just given."""
    before = {control.key: control.state for control in sent.fillable}
    answers = {key: tuple(map(str, values)) for key, values in given.items()}
    told = [
        control.state == answers[control.key]
        for control in back.fillable
        if control.kind not in ("password", "file")
        and answers.get(control.key, before.get(control.key)) != before.get(control.key)
    ]
    return bool(told) and 2 * sum(told) >= len(told)


def with_errors(before: Page, after: Page, sent: Form, back: Form) -> Form:
    """The form that came back, with the messages about it and its controls."""
    return _Reading(before, after, sent, back).form()


class _Reading:
    def __init__(self, before: Page, after: Page, sent: Form, back: Form) -> None:
        self._before, self._pieces, self._back = before, after.pieces, back
        self._sent = {control.key: control for control in sent.controls}
        names = {control.name for control in back.fillable}
        self._nodes = [piece for piece in self._pieces if piece.name in names]
        self._described: dict[str, set[str]] = {}  #: Names by the ids that they refer to.
        self._handles: dict[str, str] = {}  #: Names by name and by id.
        self._inside: dict[int | str | None, set[str]] = {}
        """Names by the elements that contain them, and by the ids of these."""
        for piece in self._nodes:
            attributes = piece.element.attributes
            for reference in REFERENCES:
                for element_id in (attributes.get(reference) or "").split():
                    self._described.setdefault(element_id, set()).add(piece.name)
            self._handles |= {
                attributes.get("id") or piece.name: piece.name,
                piece.name: piece.name,
            }
            for node in upwards(piece.element):
                for handle in (node.mem_id, node.attributes.get("id")):
                    self._inside.setdefault(handle, set()).add(piece.name)
        states = [(one.name, one.element.attributes.get("aria-invalid")) for one in self._nodes]
        self._invalid = {name for name, state in states if state == "true"}
        self._looks = {} if self._invalid else self._recoloured()
        self._marked = self._invalid or set(self._looks)

    def form(self) -> Form:
        of_names: dict[str, list[str]] = {}
        of_form: list[str] = []
        for line in self._messages():
            text, names = _words(line), self._about(line)
            for name in names:
                of_names.setdefault(name, []).append(text)
            if not names:
                of_form.append(text)
        wrong = {self._looks.get(name) for name in of_names}  # not what looks right now
        for name in self._marked - of_names.keys():
            if self._invalid or not of_names or self._looks[name] in wrong:
                of_names[name] = of_form or [UNSAID]
        of_names = of_names or self._changed_attributes()
        if not of_names and not of_form:
            of_form = self._restyled()
        controls = (self._control(one, of_names.get(one.name, ())) for one in self._back.controls)
        return replace(self._back, controls=tuple(controls), errors=tuple(dict.fromkeys(of_form)))

    def _control(self, control: Control, errors: Iterable[str]) -> Control:
        """The control with its errors and its original words."""
        if control.kind == "hidden":
            return control
        known = self._sent.get(control.key, control)
        errors = tuple(dict.fromkeys((*control.errors, *errors)))
        hint = known.hint or control.hint
        if errors and not hint:
            hint = self._around(control.name, {*errors, known.label})
        return replace(control, label=known.label, hint=hint, errors=errors)

    def _around(self, name: str, known: set[str]) -> str:
        """Other text that belongs to a control and to no other."""
        node = next((piece.element for piece in self._nodes if piece.name == name), None)
        texts: list[str] = []
        for up in upwards(node):
            if up.tag in ("form", "body") or not _is_one(self._inside[up.mem_id]):
                break
            texts = [one.text for one in self._pieces if one.text and within(one.element, up)]
        return " ".join(text for text in texts if text in self._before.texts and text not in known)

    def _recoloured(self) -> dict[str, frozenset[str]]:
        """What is new in the looks of controls, unless all look different now."""
        old = {piece.name: _looks(piece.element) for piece in self._before.pieces if piece.name}
        looks = ((piece.name, _looks(piece.element)) for piece in self._nodes)
        new = {name: look - old.get(name, look) for name, look in looks}
        alike = len(set(new.values())) == 1
        return {} if alike else {name: look for name, look in new.items() if look}

    def _changed_attributes(self) -> dict[str, list[str]]:
        """Sentences in new attributes of controls."""
        changed: dict[str, list[str]] = {}
        for control in self._back.fillable:
            known = self._sent.get(control.key, control).limits.items()
            for name, value in control.limits.items() - known:
                if name not in NO_MESSAGES and SENTENCE.search(value):
                    changed.setdefault(control.name, []).append(value)
        return changed

    def _restyled(self) -> list[str]:
        """Texts that were there before and look different now."""
        old = {(one.text, _classes(one.element)) for one in self._before.pieces}
        return [
            one.text
            for one in self._pieces
            if LETTERS.search(one.text) and (one.text, _classes(one.element)) not in old
        ]

    def _messages(self) -> list[Line]:
        """New lines, without what they repeat from removed lines.

        A line is several messages if its elements refer to different controls.
        """
        former, current = _lines(self._before.pieces), _lines(self._pieces)
        old, now = Counter(map(_words, former)), Counter[str]()
        fresh: list[Line] = []
        for line in current:
            now[_words(line)] += 1
            if now[_words(line)] > old[_words(line)]:
                fresh.append(line)
        removed = [line for line in former if now[_words(line)] < old[_words(line)]]
        taken = Counter(piece.text for line in removed for _, piece in line)
        messages: list[Line] = []
        for line in fresh:
            left: Line = []
            for place, piece in line:
                if taken[piece.text] > 0:
                    taken[piece.text] -= 1
                else:
                    left.append((place, piece))
            groups = groupby(left, lambda placed: self._referred(placed[1].element))
            messages += [list(group) for _, group in groups]
        return [line for line in messages if LETTERS.search(_words(line))]

    def _about(self, line: Line) -> set[str]:
        place, piece = line[0]
        text = _words(line)
        names = (
            self._referred(piece.element)
            or self._held(piece.element)
            or self._mentioned(text.lower())
            or self._beside(place, piece.element, text)
        )
        kind = constraint((text,)).kind if len(names) > 1 else ""
        end = {"date": "_0", "time": "_1"}.get(kind)  # of a day and a time in one question
        return {name for name in names if end and name.endswith(end)} or names

    def _referred(self, element: LexborNode) -> set[str]:
        """The control to which an element refers, or that refers to the element."""
        for node in islice(upwards(element), LEVELS):
            if node.tag in ("form", "body"):
                break
            inside = self._inside.get(node.mem_id, set())
            for attribute, value in node.attributes.items():
                if attribute in ("class", "style") or not value:
                    continue
                if attribute == "id" and value in self._described:
                    return self._described[value]
                target = value.removeprefix("#")
                if target in self._handles:
                    return {self._handles[target]}
                if attribute == "href" and _is_one(around := self._inside.get(target, set())):
                    return around
                if attribute == "id" and (part := self._handle_in(value)) and inside <= {part}:
                    return {part}
        return set()

    def _handle_in(self, element_id: str) -> str:
        """By a part of an id: email-error, error_1_id_email."""
        for handle in sorted(self._handles, key=len, reverse=True):
            if re.search(rf"(?:^|[-_.]){re.escape(handle)}(?:[-_.]|$)", element_id, re.I):
                return self._handles[handle]
        return ""

    def _held(self, element: LexborNode) -> set[str]:
        """The question that it is alone with, unless it only shows what was answered."""
        around = (self._inside.get(node.mem_id, set()) for node in upwards(element))
        names = next(filter(None, around), set())
        unmarked = self._invalid and not names & self._invalid
        return names if _is_one(names) and not unmarked else set()

    def _mentioned(self, words: str) -> set[str]:
        """By its label: the first one, and the longest of these; else by what both are about."""
        mentions: list[tuple[int, int, str]] = []
        for control in self._back.fillable:
            label = self._sent.get(control.key, control).label.lower().strip(" *:?.")
            for known in {label, PART.sub("", control.name).lower().replace("_", " ")}:
                if len(known) > 1 and (found := re.search(rf"\b{re.escape(known)}\b", words)):
                    mentions.append((found.start(), -len(known), control.name))
        if mentions:
            return {name for *place, name in mentions if place == [*min(mentions)[:2]]}
        subject = first_said("about", words)
        return {one.name for one in self._back.fillable if subject and about(one) == subject}

    def _beside(self, place: int, element: LexborNode, text: str) -> set[str]:
        """The control before or after it in the order of the page."""
        places = [at for at, piece in enumerate(self._pieces) if piece.name in self._handles]
        following = sum(at < place for at in places)
        if following == 0 and len(self._nodes) > 1:  # above everything: about the form
            return set()
        around = self._nodes[max(0, following - 1) : following + 1]
        marked = {piece.name for piece in around} & self._marked
        if self._marked or len(around) < 2:
            return marked if len(marked) == 1 else set()
        former, latter = around
        form = next((up for up in upwards(former.element) if up.tag == "form"), None)
        if form is None or not within(element, form):
            return set()
        line = block(element)
        flat = former.element.parent in (line, line.parent)
        between = self._pieces[place + 1 : places[following]]
        texts = any(piece.text and piece.text != text for piece in between)
        return {former.name} if flat and texts else {latter.name}


def _lines(pieces: Iterable[Piece]) -> list[Line]:
    def line(placed: tuple[int, Piece]) -> int | None:
        return block(placed[1].element).mem_id if placed[1].text else None

    return [list(group) for key, group in groupby(enumerate(pieces), line) if key is not None]


def _words(line: Line) -> str:
    return " ".join(piece.text for _, piece in line)


def _is_one(names: set[str]) -> bool:
    """Whether these are the parts of one control."""
    return len({PART.sub("", name) for name in names}) == 1


def _looks(node: LexborNode) -> frozenset[str]:
    above = node.parent
    classes = _classes(above) if above is not None and above.tag != "form" else ""
    return frozenset((*_classes(node).split(), *(f"above {one}" for one in classes.split())))


def _classes(node: LexborNode) -> str:
    return f"{node.attributes.get('class') or ''} {node.attributes.get('style') or ''}".strip()
