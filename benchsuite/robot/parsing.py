"""From the bytes of a page to the robot's view of it.

Uses Lexbor's parser in selectolax: it parses like browsers, and was the fastest one tested
(docs/surveys.md).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchsuite.robot import encoding
from benchsuite.robot.forms import TYPED, Button, Control, Form, Option, Page
from benchsuite.robot.visible import Sight, sight

CONTROLS = "input, select, textarea, button"
TAGS = frozenset(CONTROLS.split(", "))
BUTTONS = frozenset(("submit", "image"))
CAPTCHAS = (
    ".g-recaptcha, .h-captcha, .cf-turnstile, [name*=captcha i], [id*=captcha i], "
    "[class*=captcha i], iframe[src*=captcha i], script[src*=captcha i], script[src*=turnstile i]"
)
IDENTITY = ("id", "class", "role", "action")
UNSEEN = (
    *(b" hidden", b"\nhidden", b"display:none", b"display: none", b"visibility", b"aria-hidden"),
    *(b"style=", b" inert", b"<dialog", b" popover"),
)
TEMPLATE = re.compile(r"__\w+__|\{\{|\$\{|\{%|NEW_RECORD|<%")
"""Names that scripts complete: rows that don't exist yet."""

REFUSED = ("off", "nope", "false", "new-password")  #: Values of traps that nothing may fill.

REFRESH = re.compile(r"\s*([\d.]+)\s*(?:[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']*))?", re.I)


def read(
    content: bytes, content_type: str = "", linked: Callable[[str], str] = lambda href: ""
) -> Page:
    """The forms of a page; `linked` gets the text of a style sheet that it links to."""
    charset = encoding.charset(content, content_type)
    if charset != encoding.UTF8:
        content = content.decode(charset, "replace").encode()
    tree = LexborHTMLParser(content)
    lower = content.lower()
    root = tree.css_first("html")
    base = tree.css_first("base[href]") if b"<base" in lower else None
    seen: Sight | None = NOTHING_HIDDEN
    if b"<style" in lower or b"stylesheet" in lower:
        seen = sight(tree, content, linked)
    if seen == NOTHING_HIDDEN and not any(mark in lower for mark in UNSEEN):
        seen = None
    reader = _Reader(
        tree,
        _ids(tree) if b"aria-" in lower else {},
        disabled=b"disabled" in lower,
        sight=seen,
    )
    code = tree.css_first("[data-completion-code]") if b"data-completion-code" in lower else None
    return Page(
        title=_text(tree.css_first("h1") or tree.css_first("title")),
        forms=tuple(reader.form(node) for node in tree.css("form")),
        completion_code=_code(code),
        captcha=(b"captcha" in lower or b"turnstile" in lower)
        and tree.css_first(CAPTCHAS) is not None,
        language=((root.attributes.get("lang") if root else "") or "")[:2].lower(),
        charset=charset,
        base=(base.attributes.get("href") or "") if base is not None else "",
        refresh=_refresh(tree) if b"refresh" in lower else None,
        tree=tree,
        sight=seen or NOTHING_HIDDEN,
    )


NOTHING_HIDDEN = Sight()


def refresh(text: str) -> tuple[float, str] | None:
    """Seconds and address of a refresh, as the meta element and the header write it."""
    found = REFRESH.match(text)
    try:
        return (float(found[1]), (found[2] or "").strip()) if found else None
    except ValueError:
        return None


def _refresh(tree: LexborHTMLParser) -> tuple[float, str] | None:
    node = tree.css_first("meta[http-equiv=refresh i][content]")
    return refresh(node.attributes.get("content") or "") if node is not None else None


def _ids(tree: LexborHTMLParser) -> dict[str, LexborNode]:
    return {node.attributes.get("id") or "": node for node in tree.css("[id]")}


def _code(node: LexborNode | None) -> str:
    if node is None:
        return ""
    return node.attributes.get("data-completion-code") or _text(node)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one page; skips searches for what it can't contain."""

    tree: LexborHTMLParser
    ids: dict[str, LexborNode]  #: Elements by id, if any is referenced.
    disabled: bool
    sight: Sight | None  #: None if nothing is hidden.

    def form(self, node: LexborNode) -> Form:
        attributes = _attributes(node)
        form_id = attributes.get("id", "")
        labels = _labels(self.tree if form_id else node)
        gone = self.sight is not None and any(
            self.sight.hides(up) or "inert" in up.attributes for up in _upwards(node)
        )
        controls: dict[str, Control] = {}
        buttons: list[Button] = []
        hidden_buttons: list[Button] = []
        for part in _parts(node, self.tree, form_id):
            limits = _attributes(part)
            if self.disabled and ("disabled" in limits or _in_disabled(part)):
                continue
            kind = _kind(part, limits)
            if kind in BUTTONS:
                seen = not gone and not self._out_of_sight(part)
                (buttons if seen else hidden_buttons).append(_button(part, limits))
            elif limits.get("name") and kind not in ("button", "reset"):
                if kind != "hidden" and (gone or self._unseen(part, kind, limits, labels)):
                    if kind in ("checkbox", "radio", "file"):
                        if "checked" not in limits or kind == "file":
                            continue
                        limits.setdefault("value", "on")
                    elif kind == "select":
                        limits["value"] = _untouched(part)
                    kind = "hidden"
                self._add(controls, part, kind, limits, labels)
        return Form(
            action=attributes.get("action", ""),
            method=attributes.get("method", "get").lower(),
            enctype=attributes.get("enctype", "").lower(),
            charset=attributes.get("accept-charset", ""),
            identity=" ".join(attributes.get(name, "") for name in IDENTITY),
            controls=tuple(controls.values()),
            buttons=tuple(buttons or ([] if gone else hidden_buttons)),
        )

    def _add(
        self,
        controls: dict[str, Control],
        part: LexborNode,
        kind: str,
        limits: dict[str, str],
        labels: dict[str, str],
    ) -> None:
        """Adds a control, or a choice to an existing one."""
        name = limits["name"]
        key = f"{name} (hidden)" if kind == "hidden" else name
        known = controls.get(key)
        grouped = kind in ("radio", "checkbox")
        if known is not None and grouped and known.kind == kind:
            choice = self._choice(part, limits, labels)
            both = {**known.limits, **limits} if kind == "radio" else known.limits
            controls[key] = replace(known, choices=(*known.choices, choice), limits=both)
            return
        if known is not None:  # all controls of the same name are sent
            key = f"{key} {len(controls)}"
        if kind == "hidden":
            controls[key] = Control(
                kind=kind,
                name=name,
                key=key,
                value=(part.text() or "") if part.tag == "textarea" else limits.get("value", ""),
                label="",
                limits=limits,
            )
            return
        choices: tuple[Option, ...] = ()
        if grouped:
            choices = (self._choice(part, limits, labels),)
            label = _legend(part) or self._group(part) or choices[0].label
        else:
            label = self._label(part, limits, labels)
        if part.tag == "select":
            choices = _options(part)
        elif "list" in limits:  # suggestions
            lists = self.tree.css("datalist")
            known_as = {one.attributes.get("id"): one for one in lists}
            choices = _options(known_as[limits["list"]]) if limits["list"] in known_as else ()
        controls[key] = Control(
            kind=kind,
            name=name,
            key=key,
            value=(part.text() or "") if kind == "textarea" else limits.get("value", ""),
            label=label,
            hint=self._hint(part) if self.ids else "",
            limits=limits,
            choices=choices,
        )

    def _choice(self, part: LexborNode, limits: dict[str, str], labels: dict[str, str]) -> Option:
        label = labels.get(limits.get("id", ""), "") or limits.get("aria-label", "")
        return Option(
            value=limits.get("value", "on"),
            label=label or _around(part),
            chosen="checked" in limits,
        )

    def _label(self, part: LexborNode, limits: dict[str, str], labels: dict[str, str]) -> str:
        """Its own label, or the text before it."""
        return (
            labels.get(limits.get("id", ""), "")
            or limits.get("aria-label", "")
            or self._text_of(limits.get("aria-labelledby", ""))
            or _around(part)
            or self._before(part)
        )

    def _before(self, part: LexborNode) -> str:
        """The nearest text before a control that belongs to no other control."""
        node: LexborNode | None = part
        while node is not None and node.tag not in ("form", "body"):
            former = node.prev
            while former is not None:
                if former.tag == "-text":
                    text = " ".join((former.text_content or "").split())
                elif former.tag == "-comment" or (self.sight and self.sight.hides(former)):
                    text = ""
                elif former.tag in TAGS or former.css_first(CONTROLS) is not None:
                    return ""
                else:
                    text = _text(former)
                if text:
                    return text
                former = former.prev
            node = node.parent
        return ""

    def _group(self, part: LexborNode) -> str:
        """The name of a group without a fieldset."""
        node = part.parent
        while node is not None and node.tag != "form" and self.ids:
            if node.attributes.get("role") in ("group", "radiogroup"):
                return node.attributes.get("aria-label") or self._text_of(
                    node.attributes.get("aria-labelledby") or ""
                )
            node = node.parent
        return ""

    def _text_of(self, ids: str) -> str:
        found = (_text(self.ids[one]) for one in dict.fromkeys(ids.split()) if one in self.ids)
        return " ".join(text for text in found if text)

    def _unseen(
        self, part: LexborNode, kind: str, limits: dict[str, str], labels: dict[str, str]
    ) -> bool:
        """Whether it is invisible to people: a trap for robots, a template, or not yet shown.

        Native checkboxes and file inputs are often hidden behind their visible label.
        """
        if TEMPLATE.search(limits["name"]):
            return True
        skipped = limits.get("tabindex") == "-1" and limits.get("autocomplete") in REFUSED
        if skipped and kind in ("text", "email", "url", "textarea") and "required" not in limits:
            return True
        drawn = kind in ("radio", "checkbox", "file")
        labelled = drawn and (limits.get("id", "") in labels or bool(_around(part)))
        return self._out_of_sight(part, drawn=drawn, labelled=labelled)

    def _out_of_sight(
        self, part: LexborNode, *, drawn: bool = False, labelled: bool = False
    ) -> bool:
        """Whether it or what contains it inside the form is hidden."""
        if self.sight is None:
            return False
        for node in _upwards(part):
            if node.tag in ("form", "body"):
                break
            own = node.mem_id == part.mem_id
            if not (own and labelled) and self.sight.hides(node):
                return True
            if not drawn and self.sight.removes(node):
                return True
        return False

    def _hint(self, part: LexborNode) -> str:
        """The description of a control or its group."""
        fieldset = _ancestor(part, "fieldset")
        described = [part.attributes.get("aria-describedby")]
        if fieldset is not None:
            described.append(fieldset.attributes.get("aria-describedby"))
        return self._text_of(" ".join(one for one in described if one))


def _untouched(part: LexborNode) -> str:
    """What an unchanged select sends."""
    options = _options(part)
    chosen = [one.value for one in options if one.chosen]
    return next(iter(chosen or [one.value for one in options]), "")


def _button(part: LexborNode, limits: dict[str, str]) -> Button:
    return Button(
        name=limits.get("name", ""),
        value=limits.get("value", ""),
        label=_text(part) or limits.get("value", "") or limits.get("alt", ""),
        limits=limits,
    )


def _options(part: LexborNode) -> tuple[Option, ...]:
    return tuple(
        Option(
            value=option.attributes.get("value", _text(option)) or "",
            label=_text(option),
            chosen="selected" in option.attributes,
        )
        for option in part.css("option")
        if "disabled" not in option.attributes and not _in_disabled(option, "optgroup")
    )


def _parts(node: LexborNode, tree: LexborHTMLParser, form_id: str) -> Iterator[LexborNode]:
    """The controls in a form, and those elsewhere that refer to it."""
    for part in node.css(CONTROLS):
        if part.attributes.get("form", form_id) == form_id:
            yield part
    if form_id:
        for part in tree.css(f'[form="{form_id}"]'):
            if part.tag in TAGS and not _inside(part, node):
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
    """The text of the label that contains a control."""
    parent = part.parent
    for _ in range(2):
        if parent is None:
            break
        if parent.tag == "label":
            return _text(parent)
        parent = parent.parent
    return ""


def _legend(part: LexborNode) -> str:
    """The legend of a group of choices."""
    fieldset = _ancestor(part, "fieldset")
    legend = fieldset.css_first("legend") if fieldset is not None else None
    return _text(legend)


def _in_disabled(part: LexborNode, tag: str = "fieldset") -> bool:
    """Whether an element around it is disabled; the first legend of a fieldset stays enabled."""
    inner, node = part, part.parent
    while node is not None and node.tag != "form":
        if node.tag == tag and "disabled" in node.attributes:
            legend = next((one for one in node.iter() if one.tag == "legend"), None)
            if legend is None or legend.mem_id != inner.mem_id:
                return True
        inner, node = node, node.parent
    return False


def _ancestor(part: LexborNode, tag: str) -> LexborNode | None:
    node = part.parent
    while node is not None and node.tag != "form":
        if node.tag == tag:
            return node
        node = node.parent
    return None


def _inside(part: LexborNode, form: LexborNode) -> bool:
    return any(node.mem_id == form.mem_id for node in _upwards(part))


def _upwards(node: LexborNode | None) -> Iterator[LexborNode]:
    """An element and all that contain it."""
    while node is not None:
        yield node
        node = node.parent


def _attributes(node: LexborNode) -> dict[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


def _text(node: LexborNode | None) -> str:
    return " ".join((node.text() or "").split()) if node is not None else ""
