"""The error messages of a page that came back: whatever was not on it before.

No framework's markup is assumed. A text is a message if it is new since the form was first shown.
It is about the control that refers to it, that it refers to, that it is alone with, or that it
names; else about nothing but the form.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from selectolax.lexbor import LexborNode

from benchsuite.robot import hints
from benchsuite.robot.constraints import constraint
from benchsuite.robot.forms import Control, Form, Page
from benchsuite.robot.visible import Piece, block

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


@dataclass(frozen=True, slots=True)
class Message:
    text: str
    element: LexborNode
    place: int  #: Among the pieces of the page.


def with_errors(before: Page, after: Page, sent: Form, back: Form) -> Form:
    """The form that came back, with the messages about it and its controls."""
    return _Reading(before, after, sent, back).form()


def part_of(name: str) -> str:
    """The question that a control is part of."""
    return PART.sub("", name)


class _Reading:
    def __init__(self, before: Page, after: Page, sent: Form, back: Form) -> None:
        self._before, self._pieces, self._back = before, after.pieces, back
        self._sent = {control.key: control for control in sent.controls}
        names = {control.name for control in back.fillable}
        self._nodes = [one for one in self._pieces if one.name in names]
        self._described: dict[str, set[str]] = {}  #: Names by the ids that they refer to.
        self._handles: dict[str, str] = {}  #: Names by name and by id.
        self._inside: dict[int, set[str]] = {}  #: Names by the elements that contain them.
        self._around_ids: dict[str | None, set[str]] = {}  #: And by their ids.
        for one in self._nodes:
            for reference in REFERENCES:
                for element_id in (one.element.attributes.get(reference) or "").split():
                    self._described.setdefault(element_id, set()).add(one.name)
            self._handles[one.element.attributes.get("id") or one.name] = one.name
            self._handles[one.name] = one.name
            for node in _upwards(one.element):
                self._inside.setdefault(node.mem_id, set()).add(one.name)
                self._around_ids.setdefault(node.attributes.get("id"), set()).add(one.name)
        states = [(one.name, one.element.attributes.get("aria-invalid")) for one in self._nodes]
        self._invalid = {name for name, state in states if state == "true"}
        self._looks = {} if self._invalid else self._recoloured()
        self._marked = self._invalid or set(self._looks)

    def form(self) -> Form:
        of_names: dict[str, list[str]] = {}
        of_form: list[str] = []
        for message in _messages(self._before, self._pieces, self._referred):
            names = self._about(message)
            for name in names:
                of_names.setdefault(name, []).append(message.text)
            if not names:
                of_form.append(message.text)
        wrong = {self._looks.get(name) for name in of_names}  # not what looks right now
        for name in self._marked - of_names.keys():
            if self._invalid or not of_names or self._looks[name] in wrong:
                of_names[name] = of_form or [UNSAID]
        of_names = of_names or self._changed_attributes()
        if not of_names and not of_form:
            of_form = _restyled(self._before, self._pieces)
        return replace(
            self._back,
            controls=tuple(
                self._control(one, of_names.get(one.name, ())) for one in self._back.controls
            ),
            errors=tuple(dict.fromkeys(of_form)),
        )

    def _control(self, control: Control, errors: Iterable[str]) -> Control:
        """The control with its errors and its original words."""
        if control.kind == "hidden":
            return control
        known = self._sent.get(control.key)
        if known is not None:
            control = replace(control, label=known.label, hint=known.hint or control.hint)
        errors = tuple(dict.fromkeys((*control.errors, *errors)))
        if errors and not control.hint:
            control = replace(control, hint=self._around(control.name, {*errors, control.label}))
        return replace(control, errors=errors)

    def _around(self, name: str, known: set[str]) -> str:
        """Other text that belongs to a control and to no other."""
        node = next((one.element for one in self._nodes if one.name == name), None)
        texts: list[str] = []
        for up in _upwards(node) if node is not None else ():
            if up.tag in ("form", "body") or not _is_one(self._inside[up.mem_id]):
                break
            texts = [one.text for one in self._pieces if one.text and _within(one.element, up)]
        return " ".join(text for text in texts if text in self._before.texts and text not in known)

    def _recoloured(self) -> dict[str, frozenset[str]]:
        """What is new in the looks of controls, unless all look different now."""
        old = {one.name: _looks(one.element) for one in self._before.pieces if one.name}
        looks = ((one.name, _looks(one.element)) for one in self._nodes)
        new = {name: look - old.get(name, look) for name, look in looks}
        alike = len(set(new.values())) == 1
        return {} if alike else {name: look for name, look in new.items() if look}

    def _changed_attributes(self) -> dict[str, list[str]]:
        """Sentences in new attributes of controls."""
        changed: dict[str, list[str]] = {}
        for control in self._back.fillable:
            known = self._sent.get(control.key, control).limits
            for name, value in control.limits.items():
                new = name not in NO_MESSAGES and known.get(name) != value
                if new and SENTENCE.search(value):
                    changed.setdefault(control.name, []).append(value)
        return changed

    def _about(self, message: Message) -> set[str]:
        names = (
            self._referred(message.element)
            or self._held(message)
            or self._mentioned(message.text)
            or self._beside(message)
        )
        kind = constraint((message.text,)).kind if len(names) > 1 else ""
        end = {"date": "_0", "time": "_1"}.get(kind)  # of a day and a time in one question
        return {name for name in names if end and name.endswith(end)} or names

    def _referred(self, element: LexborNode) -> set[str]:
        """The control to which an element refers, or that refers to the element."""
        for node in _upwards(element, LEVELS):
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
                if attribute == "href" and _is_one(around := self._around_ids.get(target, set())):
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

    def _held(self, message: Message) -> set[str]:
        """The question that it is alone with, unless it only shows what was answered."""
        for node in _upwards(message.element):
            if names := self._inside.get(node.mem_id):
                unmarked = self._invalid and not names & self._invalid
                return set() if unmarked or not _is_one(names) else names
        return set()

    def _mentioned(self, text: str) -> set[str]:
        """By its label: the first one, and the longest of these; else by what both are about."""
        words = text.lower()
        mentions: list[tuple[int, int, str]] = []
        for control in self._back.fillable:
            label = self._sent.get(control.key, control).label.lower().strip(" *:?.")
            for known in {label, part_of(control.name).lower().replace("_", " ")}:
                if len(known) > 1 and (place := re.search(rf"\b{re.escape(known)}\b", words)):
                    mentions.append((place.start(), -len(known), control.name))
        if mentions:
            return {name for *place, name in mentions if place == [*min(mentions)[:2]]}
        about = hints.about(words)
        return {one.name for one in self._back.fillable if about and hints.hint(one) == about}

    def _beside(self, message: Message) -> set[str]:
        """The control before or after it in the order of the page."""
        places = [at for at, one in enumerate(self._pieces) if one.name in self._handles]
        following = sum(at < message.place for at in places)
        if following == 0 and len(self._nodes) > 1:  # above everything: about the form
            return set()
        around = self._nodes[max(0, following - 1) : following + 1]
        marked = {one.name for one in around if one.name in self._marked}
        if self._marked or len(around) < 2:
            return marked if len(marked) == 1 else set()
        former, latter = around
        parent = block(message.element)
        above = (parent.mem_id, parent.parent.mem_id if parent.parent else None)
        flat = former.element.parent is not None and former.element.parent.mem_id in above
        between = self._pieces[message.place + 1 : places[following]]
        if not {up.mem_id for up in _upwards(former.element) if up.tag == "form"} & {
            up.mem_id for up in _upwards(message.element)
        }:
            return set()
        texts = any(one.text and one.text != message.text for one in between)
        return {former.name} if flat and texts else {latter.name}


def _messages(
    before: Page, pieces: list[Piece], owner: Callable[[LexborNode], set[str]]
) -> list[Message]:
    """New lines, without what they repeat from removed lines.

    A line is several messages if its elements refer to different controls.
    """
    old, now = Counter(map(_words, _lines(before.pieces))), Counter[str]()
    fresh: list[Line] = []
    for line in _lines(pieces):
        now[_words(line)] += 1
        if now[_words(line)] > old[_words(line)]:
            fresh.append(line)
    taken: Counter[str] = Counter()
    for line in _lines(before.pieces):
        if now[_words(line)] < old[_words(line)]:
            taken.update(piece.text for _, piece in line)
    messages: list[Message] = []
    for line in fresh:
        left: Line = []
        for place, piece in line:
            if taken[piece.text] > 0:
                taken[piece.text] -= 1
            else:
                left.append((place, piece))
        for _, same in groupby(left, lambda one: owner(one[1].element)):
            message = list(same)
            if LETTERS.search(_words(message)):
                messages.append(Message(_words(message), message[0][1].element, message[0][0]))
    return messages


def _lines(pieces: list[Piece]) -> list[Line]:
    blocks = (
        (block(piece.element).mem_id if piece.text else None, (place, piece))
        for place, piece in enumerate(pieces)
    )
    lines = groupby(blocks, lambda one: one[0])
    return [[one for _, one in line] for key, line in lines if key is not None]


def _words(line: Line) -> str:
    return " ".join(piece.text for _, piece in line)


def _restyled(before: Page, pieces: list[Piece]) -> list[str]:
    """Texts that were there before and look different now."""
    old = Counter((one.text, _classes(one.element)) for one in before.pieces if one.text)
    return [
        one.text
        for one in pieces
        if one.text and not old[one.text, _classes(one.element)] and LETTERS.search(one.text)
    ]


def _is_one(names: set[str]) -> bool:
    """Whether these are the parts of one control."""
    return len({part_of(name) for name in names}) == 1


def _upwards(node: LexborNode, levels: int = 100) -> Iterator[LexborNode]:
    current: LexborNode | None = node
    while current is not None and levels:
        yield current
        current, levels = current.parent, levels - 1


def _within(node: LexborNode, container: LexborNode) -> bool:
    return any(up.mem_id == container.mem_id for up in _upwards(node))


def _looks(node: LexborNode) -> frozenset[str]:
    above = node.parent
    classes = _classes(above) if above is not None and above.tag != "form" else ""
    return frozenset((*_classes(node).split(), *(f"above {one}" for one in classes.split())))


def _classes(node: LexborNode) -> str:
    return f"{node.attributes.get('class') or ''} {node.attributes.get('style') or ''}".strip()
