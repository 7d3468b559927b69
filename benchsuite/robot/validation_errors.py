"""The error messages of a page that came back: whatever was not on it before.

No framework's markup is assumed. A text is a message if it is new since the form was first shown;
it is about the control that refers to it, that it refers to, or that is next to it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from selectolax.lexbor import LexborNode

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
        self._back = back
        self._sent = {control.key: control for control in sent.controls}
        self._pieces = after.pieces
        names = {control.name for control in back.fillable}
        self._nodes = [one for one in self._pieces if one.name in names]
        self._by_id = {
            found: one.name for one in self._nodes if (found := one.element.attributes.get("id"))
        }
        self._described = _described(self._nodes)
        self._marked = self._marks(before)
        self._before = before
        self._messages = _messages(before, self._pieces, self._told)

    def form(self) -> Form:
        of_names: dict[str, list[str]] = {}
        of_form: list[str] = []
        for message in self._messages:
            names = self._about(message)
            for name in names:
                of_names.setdefault(name, []).append(message.text)
            if not names:
                of_form.append(message.text)
        for name in self._marked - of_names.keys():
            of_names[name] = self._old_words(name) or of_form or [UNSAID]
        if not of_names:
            of_names = self._changed_attributes()
        if not of_names and not of_form:
            of_form = _recoloured(self._before, self._pieces)
        return replace(
            self._back,
            controls=tuple(
                self._control(one, of_names.get(one.name, [])) for one in self._back.controls
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
        told = tuple(dict.fromkeys((*control.errors, *errors)))
        if told and not control.hint:
            control = replace(control, hint=self._around(control.name, {*told, control.label}))
        return replace(control, errors=told)

    def _around(self, name: str, known: set[str]) -> str:
        """Other text that belongs to a control and to no other."""
        node = next((one.element for one in self._nodes if one.name == name), None)
        found: list[str] = []
        for up in _upwards(node) if node is not None else ():
            if up.tag in ("form", "body") or not _is_one(self._inside(up)):
                break
            found = [
                one.text
                for one in self._pieces
                if one.text and any(at.mem_id == up.mem_id for at in _upwards(one.element))
            ]
        return " ".join(text for text in found if text in self._before.texts and text not in known)

    def _marks(self, before: Page) -> set[str]:
        """Controls that are marked as wrong, or are the only ones that look different now."""
        said = {
            one.name for one in self._nodes if one.element.attributes.get("aria-invalid") == "true"
        }
        old = {one.name: _looks(one.element) for one in before.pieces if one.name}
        changed = {
            one.name
            for one in self._nodes
            if old.get(one.name, _looks(one.element)) != _looks(one.element)
        }
        return said or (changed if len(changed) < len({one.name for one in self._nodes}) else set())

    def _old_words(self, name: str) -> list[str]:
        """Descriptions of a marked control that were there before."""
        ids = [one for one, names in self._described.items() if name in names]
        texts = (self._text_of(one) for one in ids)
        return [text for text in texts if text]

    def _text_of(self, element_id: str) -> str:
        return " ".join(
            one.text
            for one in self._pieces
            if one.text
            and any(up.attributes.get("id") == element_id for up in _upwards(one.element))
        )

    def _changed_attributes(self) -> dict[str, list[str]]:
        """Sentences in new attributes of controls."""
        found: dict[str, list[str]] = {}
        for control in self._back.fillable:
            known = self._sent.get(control.key)
            if known is None:
                continue
            for name, value in control.limits.items():
                if (
                    name not in NO_MESSAGES
                    and known.limits.get(name) != value
                    and SENTENCE.search(value)
                ):
                    found.setdefault(control.name, []).append(value)
        return found

    def _about(self, message: Message) -> set[str]:
        return _part(
            self._told(message.element)
            or self._within(message)
            or self._mentioned(message.text)
            or self._beside(message),
            message.text,
        )

    def _told(self, element: LexborNode) -> set[str]:
        """The control to which an element refers, or that refers to the element."""
        own = list(_upwards(element, LEVELS))
        for node in own:
            element_id = node.attributes.get("id")
            if element_id and element_id in self._described:
                return self._described[element_id]
        return self._linked(own) or self._named(own)

    def _linked(self, own: list[LexborNode]) -> set[str]:
        """By a link to the control."""
        for node in own:
            target = node.attributes.get("href") or ""
            if node.tag == "a" and target.startswith("#") and len(target) > 1:
                if target[1:] in self._by_id:
                    return {self._by_id[target[1:]]}
                inside = {
                    one.name
                    for one in self._nodes
                    if any(up.attributes.get("id") == target[1:] for up in _upwards(one.element))
                }
                if _is_one(inside):
                    return inside
        return set()

    def _named(self, own: list[LexborNode]) -> set[str]:
        """By an attribute that contains the control's name or ID."""
        names = {one.name for one in self._nodes}
        for node in own:
            if node.tag in ("form", "body"):
                break
            for attribute, value in node.attributes.items():
                if not value or attribute in ("class", "style", "href"):
                    continue
                if value in names:
                    return {value}
                if value in self._by_id:
                    return {self._by_id[value]}
                if attribute == "id":
                    for known, name in (*self._by_id.items(), *((one, one) for one in names)):
                        if re.search(
                            rf"(?:^|[-_.]){re.escape(known)}[-_.](?:\w*[-_])?err|"
                            rf"err\w*[-_.](?:\w+[-_])?{re.escape(known)}$",
                            value,
                            re.I,
                        ):
                            return {name}
        return set()

    def _within(self, message: Message) -> set[str]:
        """By being next to one question only."""
        for node in _upwards(message.element):
            names = self._inside(node)
            if names:
                return names if _is_one(names) else set()
            if node.tag in ("form", "body"):
                break
        return set()

    def _inside(self, node: LexborNode) -> set[str]:
        return {
            one.name
            for one in self._nodes
            if one.element.mem_id == node.mem_id
            or any(up.mem_id == node.mem_id for up in _upwards(one.element))
        }

    def _mentioned(self, text: str) -> set[str]:
        """By its label: the first one, and the longest of these."""
        words = text.lower()
        found: list[tuple[int, int, str]] = []
        for control in self._back.fillable:
            asked = self._sent.get(control.key, control)
            label = asked.label.lower().strip(" *:?.")
            for known in {label, part_of(control.name).lower().replace("_", " ")}:
                if len(known) > 1 and (place := re.search(rf"\b{re.escape(known)}\b", words)):
                    found.append((place.start(), -len(known), control.name))
        if not found:
            return set()
        best = min(found)
        return {name for *place, name in found if place == [*best[:2]]}

    def _beside(self, message: Message) -> set[str]:
        """The control before or after it in the order of the page."""
        place = next(
            (at for at, one in enumerate(self._nodes) if self._place(one) > message.place),
            len(self._nodes),
        )
        if place == 0 and len(self._nodes) > 1:  # above everything: about the form
            return set()
        around = self._nodes[max(0, place - 1) : place + 1]
        marked = [one for one in around if one.name in self._marked]
        if len({one.name for one in marked}) == 1:
            return {marked[0].name}
        if self._marked or len(around) < 2:
            return set()
        former, latter = around
        if _form_of(former.element) != _form_of(message.element):
            return set()
        parent = block(message.element)
        beside = former.element.parent
        flat = beside is not None and (
            beside.mem_id in (parent.mem_id, parent.parent.mem_id if parent.parent else None)
        )
        texts = any(
            one.text and one.text != message.text
            for one in self._pieces[message.place + 1 : self._place(latter)]
        )
        return {former.name} if flat and texts else {latter.name}

    def _place(self, piece: Piece) -> int:
        return next(at for at, one in enumerate(self._pieces) if one is piece)


def _messages(
    before: Page, pieces: list[Piece], told: Callable[[LexborNode], set[str]] | None = None
) -> list[Message]:
    """New lines, without what they repeat from removed lines.

    A line is several messages if its elements refer to different controls.
    """
    old, now = Counter(map(_words, _lines(before.pieces))), Counter[str]()
    fresh: list[list[tuple[int, Piece]]] = []
    for line in _lines(pieces):
        now[_words(line)] += 1
        if now[_words(line)] > old[_words(line)]:
            fresh.append(line)
    taken: Counter[str] = Counter()
    for line in _lines(before.pieces):
        if now[_words(line)] < old[_words(line)]:
            taken.update(piece.text for _, piece in line)
    found: list[Message] = []
    for line in fresh:
        left = []
        for place, piece in line:
            if taken[piece.text] > 0:
                taken[piece.text] -= 1
            else:
                left.append((place, piece))
        for _, same in groupby(left, lambda one: told(one[1].element) if told else None):
            message = list(same)
            text = _words(message)
            if LETTERS.search(text):
                found.append(Message(text, message[0][1].element, message[0][0]))
    return found


def _part(names: set[str], text: str) -> set[str]:
    """Of a date and a time in one field, the part that a message is about."""
    ends = {"date": "_0", "time": "_1"}
    kind = constraint((text,)).kind if len(names) > 1 else ""
    return {name for name in names if kind in ends and name.endswith(ends[kind])} or names


def _lines(pieces: list[Piece]) -> list[list[tuple[int, Piece]]]:
    """Texts on one line, with their places."""
    found: list[list[tuple[int, Piece]]] = []
    current: int | None = None
    for place, piece in enumerate(pieces):
        line = block(piece.element).mem_id if piece.text else None
        if line is not None:
            if line == current:
                found[-1].append((place, piece))
            else:
                found.append([(place, piece)])
        current = line
    return found


def _words(line: list[tuple[int, Piece]]) -> str:
    return " ".join(piece.text for _, piece in line)


def _recoloured(before: Page, pieces: list[Piece]) -> list[str]:
    """Texts that were there before and look different now."""
    old = Counter((one.text, _classes(one.element)) for one in before.pieces if one.text)
    return [
        one.text
        for one in pieces
        if one.text and not old[one.text, _classes(one.element)] and LETTERS.search(one.text)
    ]


def _described(controls: list[Piece]) -> dict[str, set[str]]:
    """Names of controls by the ids of the elements that describe them."""
    found: dict[str, set[str]] = {}
    for one in controls:
        for attribute in ("aria-errormessage", "aria-describedby"):
            for element_id in (one.element.attributes.get(attribute) or "").split():
                found.setdefault(element_id, set()).add(one.name)
    return found


def _is_one(names: set[str]) -> bool:
    """Whether these are the parts of one control."""
    return len({part_of(name) for name in names}) == 1


def _upwards(node: LexborNode, levels: int = 100) -> Iterator[LexborNode]:
    current: LexborNode | None = node
    while current is not None and levels:
        yield current
        current, levels = current.parent, levels - 1


def _form_of(node: LexborNode) -> int | None:
    return next((one.mem_id for one in _upwards(node) if one.tag == "form"), None)


def _looks(node: LexborNode) -> tuple[str, str]:
    above = node.parent
    return _classes(node), _classes(above) if above is not None and above.tag != "form" else ""


def _classes(node: LexborNode) -> str:
    attributes: Mapping[str, str | None] = node.attributes
    return f"{attributes.get('class') or ''} {attributes.get('style') or ''}".strip()
