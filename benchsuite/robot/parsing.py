"""From the bytes of a page to what the robot sees of it.

Lexbor's parser by way of selectolax: it reads what browsers read, and was the fastest tried
(docs/surveys.md).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchsuite.robot.blame import Blame
from benchsuite.robot.forms import TYPED, Button, Choice, Control, Form, Page

CONTROLS = "input, select, textarea, button"
BUTTONS = frozenset(("submit", "image"))
CAPTCHAS = (
    ".g-recaptcha, .h-captcha, .cf-turnstile, [name*=captcha i], [id*=captcha i], "
    "[class*=captcha i], iframe[src*=captcha i], script[src*=captcha i], script[src*=turnstile i]"
)
IDENTITY = ("id", "class", "role", "action")
UNSEEN = re.compile(rb"\shidden[\s>=]|display:\s*none|visibility:\s*hidden")
PRAISE = ".messagelist .success, .alert-success, .messages .success, [role=status].success"


def read(content: bytes) -> Page:
    """The forms of a page, with what it says about mistakes."""
    tree = LexborHTMLParser(content)
    title = tree.css_first("h1") or tree.css_first("title")
    lower = content.lower()
    blame = Blame(tree) if b"error" in lower or b"invalid" in lower else None
    reader = _Reader(
        tree, blame, disabled=b"disabled" in lower, unseen=UNSEEN.search(lower) is not None
    )
    code = tree.css_first("[data-completion-code]") if b"data-completion-code" in lower else None
    return Page(
        title=_text(title),
        forms=tuple(reader.form(node) for node in tree.css("form")),
        completion_code=_code(code),
        praised=b"success" in lower and tree.css_first(PRAISE) is not None,
        captcha=(b"captcha" in lower or b"turnstile" in lower)
        and tree.css_first(CAPTCHAS) is not None,
        errors=tuple(blame.homeless) if blame else (),
    )


def _code(node: LexborNode | None) -> str:
    if node is None:
        return ""
    return node.attributes.get("data-completion-code") or _text(node)


@dataclass(frozen=True, slots=True)
class _Reader:
    """One page; what it can't hold is not looked for in every control."""

    tree: LexborHTMLParser
    blame: Blame | None
    disabled: bool
    unseen: bool

    def form(self, node: LexborNode) -> Form:
        attributes = _attributes(node)
        form_id = attributes.get("id", "")
        labels = _labels(self.tree if form_id else node)
        controls: dict[tuple[str, str], Control] = {}
        buttons: list[Button] = []
        for part in _parts(node, self.tree, form_id):
            limits = _attributes(part)
            if self.disabled and ("disabled" in limits or _in_disabled(part)):
                continue
            kind = _kind(part, limits)
            if kind in BUTTONS:
                buttons.append(_button(part, limits))
            elif limits.get("name") and kind not in ("button", "reset"):
                if kind != "hidden" and self.unseen and _unseen(part):
                    kind = "hidden"
                self._add(controls, part, kind, limits, labels)
        blame = self.blame
        found = controls.values()
        return Form(
            action=attributes.get("action", ""),
            method=attributes.get("method", "get").lower(),
            enctype=attributes.get("enctype", "").lower(),
            identity=" ".join(attributes.get(name, "") for name in IDENTITY),
            controls=tuple(
                replace(one, errors=errors)
                if blame is not None and (errors := blame.of(one.name))
                else one
                for one in found
            ),
            buttons=tuple(buttons),
            errors=blame.of_form(node) if blame is not None else (),
        )

    def _add(
        self,
        controls: dict[tuple[str, str], Control],
        part: LexborNode,
        kind: str,
        limits: dict[str, str],
        labels: dict[str, str],
    ) -> None:
        """Another control, or another choice of one that is known."""
        name = limits["name"]
        known = controls.get((kind, name))
        grouped = kind in ("radio", "checkbox")
        label = labels.get(limits.get("id", ""), "") or limits.get("aria-label", "")
        label = label or _around(part)
        if grouped:
            choice = Choice(
                value=limits.get("value", "on"), label=label, chosen="checked" in limits
            )
            if known is not None:
                both = {**known.limits, **limits} if kind == "radio" else known.limits
                controls[kind, name] = replace(known, choices=(*known.choices, choice), limits=both)
                return
            controls[kind, name] = Control(
                kind=kind,
                name=name,
                value=choice.value,
                label=_legend(part) or label,
                hint=self._hint(part) if kind == "checkbox" else "",
                limits=limits,
                choices=(choice,),
            )
            return
        place = kind if known is None else f"{kind} {len(controls)}"  # same names are all sent
        controls[place, name] = Control(
            kind=kind,
            name=name,
            value=(part.text() or "") if kind == "textarea" else limits.get("value", ""),
            label=label,
            hint=self._hint(part) if "multiple" in limits else "",
            limits=limits,
            choices=_options(part) if part.tag == "select" else (),
        )

    def _hint(self, part: LexborNode) -> str:
        """What describes a control or its group."""
        fieldset = _ancestor(part, "fieldset")
        described = [part.attributes.get("aria-describedby")]
        if fieldset is not None:
            described.append(fieldset.attributes.get("aria-describedby"))
        ids = " ".join(one for one in described if one).split()
        texts = (_text(self.tree.css_first(f'[id="{one}"]')) for one in dict.fromkeys(ids))
        return " ".join(text for text in texts if text)


def _button(part: LexborNode, limits: dict[str, str]) -> Button:
    return Button(
        name=limits.get("name", ""),
        value=limits.get("value", ""),
        label=_text(part) or limits.get("value", "") or limits.get("alt", ""),
        limits=limits,
    )


def _options(part: LexborNode) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            value=option.attributes.get("value", _text(option)) or "",
            label=_text(option),
            chosen="selected" in option.attributes,
        )
        for option in part.css("option")
        if "disabled" not in option.attributes and not _in_disabled(option, "optgroup")
    )


def _parts(node: LexborNode, tree: LexborHTMLParser, form_id: str) -> Iterator[LexborNode]:
    """The controls in a form, and those elsewhere that say they belong to it."""
    for part in node.css(CONTROLS):
        if part.attributes.get("form", form_id) == form_id:
            yield part
    if form_id:
        for part in tree.css(f'[form="{form_id}"]'):
            if str(part.tag) in CONTROLS and not _inside(part, node):
                yield part


def _kind(part: LexborNode, limits: dict[str, str]) -> str:
    if part.tag == "input":
        kind = limits.get("type", "text").lower() or "text"
        known = kind in TYPED or kind in BUTTONS
        return kind if known or kind in OTHER_KINDS else "text"
    if part.tag == "button":
        kind = limits.get("type", "submit").lower()
        return kind if kind in ("button", "reset") else "submit"
    return str(part.tag)


OTHER_KINDS = frozenset(["hidden", "checkbox", "radio", "file", "button", "reset"])


def _labels(node: LexborNode | LexborHTMLParser) -> dict[str, str]:
    return {label.attributes.get("for") or "": _text(label) for label in node.css("label[for]")}


def _around(part: LexborNode) -> str:
    """The text of the label that a control stands in."""
    parent = part.parent
    for _ in range(2):
        if parent is None:
            break
        if parent.tag == "label":
            return _text(parent)
        parent = parent.parent
    return ""


def _legend(part: LexborNode) -> str:
    """What a group of choices is about."""
    fieldset = _ancestor(part, "fieldset")
    legend = fieldset.css_first("legend") if fieldset is not None else None
    return _text(legend)


def _in_disabled(part: LexborNode, tag: str = "fieldset") -> bool:
    above = _ancestor(part, tag)
    return above is not None and "disabled" in above.attributes


def _unseen(part: LexborNode) -> bool:
    """Whether a person would not see it: what is in there is a trap for robots, and stays empty."""
    node: LexborNode | None = part
    while node is not None and node.tag != "form":
        attributes = node.attributes
        style = (attributes.get("style") or "").replace(" ", "")
        if "hidden" in attributes or "display:none" in style or "visibility:hidden" in style:
            return True
        node = node.parent
    return False


def _ancestor(part: LexborNode, tag: str) -> LexborNode | None:
    node = part.parent
    while node is not None and node.tag != "form":
        if node.tag == tag:
            return node
        node = node.parent
    return None


def _inside(part: LexborNode, form: LexborNode) -> bool:
    node = part.parent
    while node is not None:
        if node.mem_id == form.mem_id:
            return True
        node = node.parent
    return False


def _attributes(node: LexborNode) -> dict[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


def _text(node: LexborNode | None) -> str:
    return " ".join((node.text() or "").split()) if node is not None else ""
