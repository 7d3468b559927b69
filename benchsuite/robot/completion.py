"""What came of a form: refused, with the messages about each control, on to the next page, or
ended. All by structure: no framework's markup is assumed, and no words of thanks or failure. A text
is a message if it is new since the form was first shown. It is about the control that refers to it,
that it refers to, that it is alone with, or that it names; else about nothing but the form.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import groupby, islice
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from benchsuite.core.units import gathered, short
from benchsuite.robot.constraints import constraint
from benchsuite.robot.forms import Control, Form, Page, Pairs, Piece, Values
from benchsuite.robot.parsing import block, upwards
from benchsuite.robot.words import about, first_said, main_form, next_button, says

FEW = 2  #: Controls of a form that may stand beside the end, as for a newsletter.
SHOWN = 70  #: Characters of an answer that are shown.
PART = re.compile(r"[-_.\[](?:\d+|year|month|day|jahr|monat|tag|annee|mois|jour|yyyy|mm|dd)\]?$")
"""Suffixes that distinguish the parts of one question."""
UNSAID = "is marked as wrong without a word"
LEVELS = 4  #: Levels of ancestors that belong to a message.
LETTERS = re.compile(r"[^\W\d_]{2}")

Answers = Mapping[str, Values]  #: By key.
Line = list[tuple[int, Piece]]  #: Texts on one line, with their places on the page.


@dataclass(frozen=True, slots=True)
class Visit:
    """One page that was filled."""

    number: int
    path: str
    page: Page  #: As it was received.
    tries: int
    answers: Pairs  #: The accepted answers by name, without hidden fields.
    mended: tuple[str, ...]  #: The errors of controls before that.
    repeated: str = ""  #: The complaint that the last two refusals had in common.

    @property
    def lines(self) -> list[str]:
        """What was answered, and what was mended on the way."""
        shown = [f"page {self.number}  {self.path}  {self.page.title}".rstrip()]
        secret = {node.attributes.get("name") for node in self.page.css("[type=password i]")}
        for name, value in self.answers:
            text = short(" ".join(str(value).split()), SHOWN)
            is_secret = name in secret or "password" in name.lower()
            shown.append(f"    {name} = {'(a password)' if is_secret else text}")
        return shown + [f"    mended: {text}" for text in self.mended]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What the author of a form says that its last page has, and no page before it."""

    text: str = ""
    url: str = ""  #: A pattern of its path with query: /thanks/*.

    def on(self, page: Page, path: str) -> str:
        """What was seen of it, or of a completion code, in words; empty if nothing."""
        if page.completion_code:
            return f"code {page.completion_code}"
        if self.url and any(fnmatchcase(one, self.url) for one in (path, unquote(path))):
            return f"the address {path}"
        seen = self.text and self.text in " ".join(" ".join(page.texts).split())
        return f"the text {self.text!r}" if seen else ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A walk to its end. Whether the form was taken is for its evidence to say."""

    visits: tuple[Visit, ...]
    page: Page  #: The last one.
    path: str
    url: str
    evidence: str = ""  #: What shows that the form was taken; empty: ended without confirmation.
    doubt: str = ""  #: Why the last page shows nothing.

    def __str__(self) -> str:
        """3 pages, 14 answers, 2 mistakes mended, code 7GJ4."""
        answers = sum(len(visit.answers) for visit in self.visits)
        mended = sum(len(visit.mended) for visit in self.visits)
        counts = {"page": len(self.visits), "answer": answers, "mended mistake": mended}
        words = [f"{count} {word}{'s' * (count != 1)}" for word, count in counts.items() if count]
        return ", ".join([*words, *filter(None, [self.evidence])])


@dataclass(frozen=True, slots=True)
class Arrival:
    """A page, and the way to it."""

    path: str
    page: Page
    status: int = 200
    redirected: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    fate: str  #: back (to be corrected), next, ended, or refused: an error without the form.
    form: Form | None = None  #: The one that came back, with its errors, or the next one.
    doubt: str = ""  #: Why the end proves nothing.


def outcome(sent: Form, page: Page, given: Answers, arrival: Arrival, *, at: str) -> Outcome:
    """Of a form at that path, compared with its page before anything was sent."""
    after, status, path = arrival.page, arrival.status, arrival.path.partition("?")[0]
    elsewhere = arrival.redirected and path != at.partition("?")[0]
    back = _same(sent, page, after, elsewhere=elsewhere)
    if back is not None:
        form = Reading(page, after, sent, back).form()
        wrong = any(one.errors or one.limits.get("aria-invalid") == "true" for one in form.controls)
        answers = {key: tuple(map(str, values)) for key, values in given.items()}
        changed = dict(answers.items() - {one.key: one.state for one in sent.fillable}.items())
        shown = [control for control in back.fillable if control.kind not in ("password", "file")]
        same = [one.state == changed[one.key] for one in shown if one.key in changed]
        kept = bool(same) and 2 * sum(same) >= len(same)
        if status >= 400 or wrong or (kept and sent.method == "post" and not arrival.redirected):
            return Outcome("back", form=form)
        complaints = set(form.errors).difference((after.title,) * elsewhere)
        if not (kept or complaints) and (elsewhere or page.title != after.title):
            return Outcome("next", form=back)
        return Outcome("ended", doubt="the form came back, without a complaint about a field")
    if status >= 400:
        return Outcome("refused")
    beside = {form.furniture for form in page.forms if form.furniture != sent.furniture}
    if (following := main_form(after, beside=beside)) is None:
        return Outcome("ended")
    few = len(following.fillable) <= FEW and following.action not in ("", sent.action, path)
    button = next_button(following)
    is_beside = few and (button is None or not says("onwards", button.words))
    return Outcome("ended") if is_beside else Outcome("next", form=following)


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


class Reading:
    """Of a form that came back: which messages are about it, and which about its controls."""

    def __init__(self, before: Page, after: Page, sent: Form, back: Form) -> None:
        self._before, self._pieces, self._back = before, after.pieces(), back
        self._sent = {control.key: control for control in sent.controls}
        names = {control.name for control in back.fillable}
        self._shown = [placed for placed in enumerate(self._pieces) if placed[1].name in names]
        self._described: dict[str, set[str]] = {}  #: Names by the ids that they refer to.
        self._handles: dict[str, str] = {}  #: Names by name and by id.
        self._inside: dict[int | str | None, set[str]] = {}  #: Names by elements around them.
        self._marked: set[str] = set()
        for _, piece in self._shown:
            name, attributes = piece.name, piece.element.attributes
            for reference in ("aria-errormessage", "aria-describedby"):
                for element_id in (attributes.get(reference) or "").split():
                    self._described.setdefault(element_id, set()).add(name)
            self._handles |= {attributes.get("id") or name: name, name: name}
            self._marked |= {name} if attributes.get("aria-invalid") == "true" else set()
            for up in upwards(piece.element):
                for handle in (up.mem_id, up.attributes.get("id")):
                    self._inside.setdefault(handle, set()).add(name)

    def form(self) -> Form:
        """The form, with its messages."""
        errors = gathered(
            (name, _words(line)) for line in self._messages() for name in self._about(line) or {""}
        )  #: By name; "" for the form.
        of_form = errors.pop("", [])
        errors |= {name: of_form or [UNSAID] for name in self._marked if name not in errors}
        controls = (self._control(one, errors.get(one.name, [])) for one in self._back.controls)
        return replace(self._back, controls=tuple(controls), errors=tuple(dict.fromkeys(of_form)))

    def _control(self, control: Control, errors: list[str]) -> Control:
        if control.kind == "hidden":
            return control
        known = self._sent.get(control.key, control)
        unique = tuple(dict.fromkeys((*control.errors, *errors)))  # a browser has its own
        return replace(control, label=known.label, hint=known.hint or control.hint, errors=unique)

    def _messages(self) -> list[Line]:
        """New lines, less what removed ones said but for numbers; apart by what they refer to."""
        former, current = _lines(self._before.pieces()), _lines(self._pieces)
        old, now = Counter(map(_words, former)), Counter(map(_words, current))
        gone = (line for line in former if now[_words(line)] < old[_words(line)])
        taken = Counter(re.sub(r"\d+", "", piece.text) for line in gone for _, piece in line)
        messages: list[Line] = []
        for line in current:
            old[_words(line)] -= 1
            left: Line = []
            for place, piece in line if old[_words(line)] < 0 else ():
                taken[text := re.sub(r"\d+", "", piece.text)] -= 1
                if taken[text] < 0:
                    left.append((place, piece))
            groups = groupby(left, lambda placed: self._referred(placed[1].element))
            messages += [list(group) for _, group in groups]
        return [line for line in messages if LETTERS.search(_words(line))]

    def _about(self, line: Line) -> set[str]:
        """The controls that a message is about; none if it is about the form."""
        (place, piece), text = line[0], _words(line)
        around = (self._inside.get(node.mem_id, set()) for node in upwards(piece.element))
        held = next(filter(None, around), set())  # what it is alone with
        only_shown = self._marked and not held & self._marked  # it shows what was answered
        names = (
            self._referred(piece.element)
            or (held if _is_one(held) and not only_shown else set())
            or self._mentioned(text.lower())
            or self._beside(place, piece.element, text)
        )
        end = {"date": "_0", "time": "_1"}.get(constraint((text,)).kind)  # of a day and its time
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
                parts = [  # as in email-error and error_1_id_email
                    handle
                    for handle in self._handles
                    if attribute == "id"
                    and re.search(rf"(?:^|[-_.]){re.escape(handle)}(?:[-_.]|$)", value, re.I)
                ]
                if parts and inside <= (named := {self._handles[max(parts, key=len)]}):
                    return named
        return set()

    def _mentioned(self, words: str) -> set[str]:
        """By its label: the first one, and the longest of these; else by what both are about."""
        mentions: list[tuple[tuple[int, int], str]] = []
        for control in self._back.fillable:
            label = self._sent.get(control.key, control).label.lower().strip(" *:?.")
            for known in {label, PART.sub("", control.name).lower().replace("_", " ")}:
                if len(known) > 1 and (match := re.search(rf"\b{re.escape(known)}\b", words)):
                    mentions.append(((match.start(), -len(known)), control.name))
        first = min(mentions)[0] if mentions else None
        subject = first_said("about", words)
        alike = {one.name for one in self._back.fillable if subject and about(one) == subject}
        return {name for place, name in mentions if place == first} or alike

    def _beside(self, place: int, element: LexborNode, text: str) -> set[str]:
        """The control before or after it in the order of the page."""
        following = sum(at < place for at, _ in self._shown)
        if following == 0 and len(self._shown) > 1:  # above everything: about the form
            return set()
        around = self._shown[max(0, following - 1) : following + 1]
        if self._marked or len(around) < 2:
            names = {piece.name for _, piece in around} & self._marked
            return names if len(names) == 1 else set()
        (_, former), (end, latter) = around
        form = next((up for up in upwards(former.element) if up.tag == "form"), None)
        if form is None or form.mem_id not in {up.mem_id for up in upwards(element)}:
            return set()
        line = block(element)
        texts = any(piece.text and piece.text != text for piece in self._pieces[place + 1 : end])
        flat = former.element.parent in (line, line.parent)
        return {former.name} if flat and texts else {latter.name}


def _lines(pieces: Iterable[Piece]) -> list[Line]:
    groups = groupby(enumerate(pieces), lambda at: at[1].text and block(at[1].element).mem_id)
    return [list(group) for key, group in groups if key]


def _words(line: Line) -> str:
    return " ".join(piece.text for _, piece in line)


def _is_one(names: set[str]) -> bool:
    """Whether these are the parts of one control."""
    return len({PART.sub("", name) for name in names}) == 1
