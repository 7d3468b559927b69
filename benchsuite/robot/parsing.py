"""From the bytes of a page to the robot's view of it: its forms, and what people see of it.

Uses Lexbor's parser in selectolax: it parses like browsers, and was the fastest one tested
(docs/surveys.md).
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from benchsuite.robot.forms import TYPED, Button, Control, Form, Option, Page, Piece

UTF8 = "utf-8"
MARKS = ((codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
DECLARED = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)
MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk"}
"""Charsets that browsers use instead, because they are meant."""

CONTROLS = "input, select, textarea, button"
SHOWN = frozenset(("input", "select", "textarea"))
SILENT = frozenset(
    ("script", "style", "template", "noscript", "head", "datalist", "option", "-comment")
)
"""Elements whose text is not shown, beside those that are controls."""

INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "code", "em", "font", "i", "kbd", "label", "mark", "q", "s"),
        *("small", "span", "strong", "sub", "sup", "u", "var"),
    )
)
KINDS = TYPED | {"hidden", "checkbox", "radio", "file", "button", "reset", "submit", "image"}
GROUPS = "fieldset, [role=group], [role=radiogroup]"
DISABLED = "[disabled], fieldset[disabled] :not(fieldset[disabled] > legend:first-of-type *)"
CAPTCHAS = (
    ".g-recaptcha, .h-captcha, .cf-turnstile, [name*=captcha i], [id*=captcha i], "
    "[class*=captcha i], iframe[src*=captcha i], script[src*=captcha i], script[src*=turnstile i]"
)
IDENTITY = ("id", "class", "role", "action")
TEMPLATE = re.compile(r"__\w+__|\{\{|\$\{|\{%|NEW_RECORD|<%")
"""Names that scripts complete: rows that don't exist yet."""

REFUSED = ("off", "nope", "false", "new-password")  #: Values of traps that nothing may fill.
UNSEEN = "[hidden], [popover], dialog:not([open])"
ASIDE = "[aria-hidden=true], [inert]"
OUT_OF_SIGHT = re.compile(
    r"(?:left|top|right|bottom|text-indent|margin-(?:left|top)):-(?:\d{3,}|\d{2,}(?:r?em|v[wh]|%))|"
    r"(?:^|;)(?:opacity|font-size):0(?:\.0+)?(?:px|r?em|%)?(?:;|!|$)|"
    r"(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?:;|!|$)|clip:rect\(|"
    r"clip-path:(?:inset\(|circle\(0)|transform:(?:scale[xy]?\(0[,)]|translate[xy]?\(-\d{3,})"
)
STATE = re.compile(r"(?:^|;)(display|visibility):([a-z-]+)(!important)?")
NEVER = frozenset(("none", "hidden", "collapse"))  #: Values of `STATE` that show nothing.
COMMENT = re.compile(r"/\*.*?\*/", re.S)
COMMA = re.compile(r",(?![^(\[]*[)\]])")
NOT_NOW = re.compile(r":not\(\s*:(?:hover|active|focus(?:-visible|-within)?)\s*\)")
NAME = re.compile(r"[.#]([\w-]+)")
WIDTH_PX = 1280  #: Of the screen that media queries ask about.
WIDTH = re.compile(r"\((min|max)-width:([\d.]+)(px|r?em)\)")
OWN = (1000,)  #: The specificity of an element's own style.


@dataclass(frozen=True, slots=True)
class Declared:
    """What a style says of being seen."""

    states: tuple[tuple[str, bool, bool], ...]  #: Property, whether it hides, whether important.
    aside: bool  #: Whether it moves elements out of sight.


@dataclass(frozen=True, slots=True)
class Rule:
    selector: str
    names: tuple[bytes, ...]  #: The classes and ids without which nothing can match it.
    weight: tuple[int, ...]  #: Specificity, then its place.
    declared: Declared


def read(
    content: bytes, content_type: str = "", linked: Callable[[str], str] = lambda href: ""
) -> Page:
    """The forms of a page; `linked` gets the text of a style sheet that it links to."""
    charset = page_charset(content, content_type)
    if charset != UTF8:
        content = content.decode(charset, "replace").encode()
    tree = LexborHTMLParser(content)
    reader = _Reader(tree, content, linked)
    code = tree.css_first("[data-completion-code]")
    return Page(
        title=_text(tree.css_first("h1") or tree.css_first("title")),
        forms=tuple(reader.forms()),
        completion_code=_attribute(code, "data-completion-code") or _text(code),
        captcha=tree.css_first(CAPTCHAS) is not None,
        language=_attribute(tree.css_first("html"), "lang")[:2].lower(),
        charset=charset,
        base=_attribute(tree.css_first("base[href]"), "href"),
        refresh=_attribute(tree.css_first("meta[http-equiv=refresh i][content]"), "content"),
        tree=tree,
        look=lambda: reader.pieces,
    )


def page_charset(content: bytes, content_type: str) -> str:
    """A page's charset: from its byte order mark, header or meta element, or UTF-8."""
    for mark, name in MARKS:
        if content.startswith(mark):
            return name
    if named := IN_HEADER.search(content_type):
        return known_charset(named[1]) or UTF8
    declared = DECLARED.search(content, 0, 2048)
    name = known_charset(declared[1].decode("ascii", "replace")) if declared else ""
    return UTF8 if not name or name.startswith("utf-16") else name


def known_charset(name: str) -> str:
    """Python's name of a charset; empty if unknown."""
    try:
        known = codecs.lookup(name.strip()).name
        "".encode(known)  # some codecs convert bytes to bytes
    except (LookupError, ValueError):
        return ""
    return MEANT.get(known, known)


class _Reader:
    def __init__(
        self, tree: LexborHTMLParser, content: bytes, linked: Callable[[str], str]
    ) -> None:
        self._tree = tree
        unseen, aside = _hidden(tree, content, linked)
        self._unseen, self._aside = unseen.keys(), aside.keys()
        self._in_unseen = _inside(unseen.values())
        within = [node for node in aside.values() if node.tag != "body"]
        self._in_aside = _inside(node for node in within if node.css_first("form") is None)
        self._disabled = {node.mem_id for node in tree.css(DISABLED)}
        self._ids = {node.attributes["id"]: node for node in tree.css("[id]")}
        self._for: dict[str, str] = {}  #: Texts of labels by the ids of their controls.
        self._around: dict[int, str] = {}  #: And by the controls that they contain.
        for label in tree.css("label"):
            text = _text(label)
            if "for" in label.attributes:
                self._for[_attribute(label, "for")] = text
            self._around |= dict.fromkeys(_inside([label]), text)
        self._groups: dict[int, tuple[str, str]] = {}  #: Name and hint of a control's group.
        for group in tree.css(GROUPS):
            legend = group.css_first("legend") if group.tag == "fieldset" else None
            named = _attribute(group, "aria-label") or self._said(group, "aria-labelledby")
            described = _text(legend) or named, self._said(group, "aria-describedby")
            self._groups |= dict.fromkeys(_inside([group]), described)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        body = self._tree.body
        return tuple(self._pieces(body)) if body is not None else ()

    def forms(self) -> Iterator[Form]:
        """Each with the controls in it, and those elsewhere that refer to it."""
        forms = self._tree.css("form")
        owners = {part.mem_id: form.mem_id for form in forms for part in form.css(CONTROLS)}
        by_id = {form.attributes.get("id"): form.mem_id for form in forms}
        parts: dict[int | None, list[LexborNode]] = {}
        for part in self._tree.css(CONTROLS):
            if part.mem_id not in self._disabled:
                named = part.attributes.get("form")
                owner = owners.get(part.mem_id) if named is None else by_id.get(named)
                parts.setdefault(owner, []).append(part)
        for form in forms:
            yield self._form(form, parts.get(form.mem_id, []))

    def _form(self, form: LexborNode, parts: list[LexborNode]) -> Form:
        attributes = _attributes(form)
        gone = form.mem_id in self._unseen | self._in_unseen or form.css_matches(
            "[inert], [inert] *"
        )
        controls: dict[str, Control] = {}
        buttons: dict[bool, list[Button]] = {True: [], False: []}  #: By whether they are seen.
        for part in parts:
            limits = _attributes(part)
            kind = _kind(part, limits)
            if kind in ("submit", "image"):
                seen = not gone and not self._out_of_sight(part)
                value = limits.get("value", "")
                label = _text(part) or value or limits.get("alt", "")
                name = limits.get("name", "")
                buttons[seen].append(Button(name=name, value=value, label=label, limits=limits))
            elif limits.get("name") and kind not in ("button", "reset"):
                self._add(controls, part, kind, limits, gone=gone)
        return Form(
            action=attributes.get("action", ""),
            method=attributes.get("method", "get").lower(),
            enctype=attributes.get("enctype", "").lower(),
            charset=attributes.get("accept-charset", ""),
            identity=" ".join(attributes.get(name, "") for name in IDENTITY),
            controls=tuple(controls.values()),
            buttons=tuple(buttons[True] or ([] if gone else buttons[False])),
        )

    def _add(
        self,
        controls: dict[str, Control],
        part: LexborNode,
        kind: str,
        limits: dict[str, str],
        *,
        gone: bool,
    ) -> None:
        """Adds a control, or a choice to an existing one."""
        name, value = limits["name"], limits.get("value", "")
        own_label = self._for.get(limits.get("id", "")) or limits.get("aria-label", "")
        around = self._around.get(part.mem_id, "")
        grouped = kind in ("radio", "checkbox")
        choices = _options(part) if part.tag == "select" else ()
        if part.tag == "textarea":
            value = part.text() or ""
        if grouped:
            value = limits.get("value", "on")
            label = own_label or around
            choices = (Option(value=value, label=label, chosen="checked" in limits),)
        if kind != "hidden" and (gone or self._is_unseen(part, kind, limits)):
            if kind == "file" or (grouped and "checked" not in limits):
                return
            chosen = [one.value for one in choices if one.chosen]
            if kind == "select":
                value = next(iter(chosen or [one.value for one in choices]), "")
            kind = "hidden"
        key = f"{name} (hidden)" if kind == "hidden" else name
        known = controls.get(key)
        if known is not None and grouped and known.kind == kind:
            limits = {**known.limits, **limits} if kind == "radio" else known.limits
            controls[key] = replace(known, choices=(*known.choices, *choices), limits=limits)
            return
        if known is not None:  # all controls of the same name are sent
            key = f"{key} {len(controls)}"
        if kind == "hidden":
            controls[key] = Control(kind=kind, name=name, key=key, value=value, limits=limits)
            return
        group, hint = self._groups.get(part.mem_id, ("", ""))
        named = own_label or self._said(part, "aria-labelledby") or around
        suggested = self._ids.get(limits.get("list", ""))
        controls[key] = Control(
            kind=kind,
            name=name,
            key=key,
            value=value,
            label=(group or choices[0].label) if grouped else named or self._before(part),
            hint=" ".join(filter(None, (self._said(part, "aria-describedby"), hint))),
            limits=limits,
            choices=choices or (_options(suggested) if suggested is not None else ()),
        )

    def _said(self, node: LexborNode, attribute: str) -> str:
        """The text of the elements that an attribute names."""
        ids = dict.fromkeys(_attribute(node, attribute).split())
        return " ".join(filter(None, (_text(self._ids.get(one)) for one in ids)))

    def _before(self, part: LexborNode) -> str:
        """The nearest text before a control that belongs to no other control of its form."""
        place = next((at for at, one in enumerate(self.pieces) if one.element == part), 0)
        form = next((up for up in upwards(part) if up.tag == "form"), None)
        line: list[Piece] = []
        for piece in self.pieces[:place][::-1]:
            if piece.name or (line and block(piece.element) != block(line[0].element)):
                break
            if piece.text and form is not None and within(piece.element, form):
                line.insert(0, piece)
        return " ".join(piece.text for piece in line)

    def _is_unseen(self, part: LexborNode, kind: str, limits: dict[str, str]) -> bool:
        """Whether it is invisible to people: a trap for robots, a template, or not yet shown.

        Native checkboxes and file inputs are often hidden behind their visible label.
        """
        if TEMPLATE.search(limits["name"]):
            return True
        skipped = limits.get("tabindex") == "-1" and limits.get("autocomplete") in REFUSED
        if skipped and kind in ("text", "email", "url", "textarea") and "required" not in limits:
            return True
        drawn = kind in ("radio", "checkbox", "file")
        labelled = drawn and (limits.get("id", "") in self._for or part.mem_id in self._around)
        return self._out_of_sight(part, drawn=drawn, labelled=labelled)

    def _out_of_sight(
        self, part: LexborNode, *, drawn: bool = False, labelled: bool = False
    ) -> bool:
        """Whether it or what contains it inside the form is hidden."""
        place = part.mem_id
        hidden = place in self._in_unseen or (place in self._unseen and not labelled)
        return hidden or (not drawn and (place in self._aside or place in self._in_aside))

    def _pieces(self, node: LexborNode) -> Iterator[Piece]:
        child = node.child
        while child is not None:
            tag = child.tag
            if tag == "-text":
                if text := " ".join((child.text_content or "").split()):
                    yield Piece(node, text)
            elif tag in ("br", "hr"):
                yield Piece(child)
            elif tag in SHOWN:
                attributes = child.attributes
                if attributes.get("name") and attributes.get("type") != "hidden":
                    yield Piece(child, name=attributes["name"] or "")
            elif tag not in SILENT and child.mem_id not in self._unseen:
                yield from self._pieces(child)
            child = child.next


def _hidden(
    tree: LexborHTMLParser, content: bytes, linked: Callable[[str], str]
) -> tuple[dict[int, LexborNode], dict[int, LexborNode]]:
    """The elements that attributes and styles hide, and those that they move out of sight."""
    aside = {node.mem_id: node for node in tree.css(ASIDE)}
    strongest: dict[tuple[str, int], tuple[tuple[int, ...], LexborNode | None]] = {}
    for matching, weight, declared in _styled(tree, content, linked):
        for node in matching:
            if declared.aside:
                aside[node.mem_id] = node
            for name, hides, important in declared.states:
                strength, place = (int(important), *weight), (name, node.mem_id)
                if place not in strongest or strength > strongest[place][0]:
                    strongest[place] = strength, node if hides else None
    unseen = {place: node for (_, place), (_, node) in strongest.items() if node is not None}
    return unseen | {node.mem_id: node for node in tree.css(UNSEEN)}, aside


def _styled(
    tree: LexborHTMLParser, content: bytes, linked: Callable[[str], str]
) -> Iterator[tuple[list[LexborNode], tuple[int, ...], Declared]]:
    """Elements with what is declared of them, by style sheets and by their own style."""
    for node in tree.css("[style]"):
        yield [node], OWN, _declared(_attribute(node, "style"))
    sheets = []
    for node in tree.css("style, link[rel~=stylesheet i][href]"):
        text = node.text() if node.tag == "style" else linked(_attribute(node, "href"))
        media = node.attributes.get("media")
        sheets.append(f"@media {media} {{{text}}}" if media else text or "")
    for rule in _rules("\n".join(sheets)):
        if all(name in content for name in rule.names):
            try:
                yield tree.css(rule.selector), rule.weight, rule.declared
            except SelectolaxError:  # such as ::before, which is no element
                continue


@lru_cache(maxsize=1024)
def _declared(style: str) -> Declared:
    plain = _plain(style)
    states = STATE.findall(plain)
    return Declared(
        tuple((name, value in NEVER, bool(most)) for name, value, most in states),
        OUT_OF_SIGHT.search(plain) is not None,
    )


@lru_cache(maxsize=256)
def _rules(style_sheet: str) -> tuple[Rule, ...]:
    """The rules that show or hide; none if nothing hides."""
    rules: list[Rule] = []
    for selectors, style in _blocks(COMMENT.sub("", style_sheet)):
        declared = _declared(style)
        if not declared.states and not declared.aside:
            continue
        for selector in COMMA.split(NOT_NOW.sub("", selectors)):
            bare = re.sub(r":not\([^)]*\)", "", selector)
            names = tuple(name.encode() for name in NAME.findall(bare)) if ":" not in bare else ()
            whole = re.sub(r"^:", "*:", selector.strip())  # Lexbor finds nothing for `:is(p) b`
            rules.append(Rule(whole, names, (*_specificity(selector), len(rules)), declared))
    states = (hides for rule in rules for _, hides, _ in rule.declared.states)
    return tuple(rules) if any(states) or any(rule.declared.aside for rule in rules) else ()


def _blocks(style_sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of the rules that apply to a screen."""
    place = 0
    while (opened := style_sheet.find("{", place)) >= 0:
        before = style_sheet[place:opened].rpartition(";")[2].strip()
        depth, place = 1, opened + 1
        for brace in re.compile(r"[{}]").finditer(style_sheet, place):
            depth += 1 if brace[0] == "{" else -1
            place = brace.end()
            if not depth:
                break
        inside = style_sheet[opened + 1 : place - 1]
        name, _, condition = before.partition(" ")
        if not before.startswith("@"):
            yield before, inside
        elif name in ("@supports", "@layer") or (name == "@media" and _on_screen(condition)):
            yield from _blocks(inside)


def _on_screen(media: str) -> bool:
    """Whether a media query is true for a wide screen; not if it asks for what isn't known."""
    for query in _plain(media).split(","):
        kind = WIDTH.sub("", query.removeprefix("only")).replace("and", "")
        fits = all(
            (float(size) * (1 if unit == "px" else 16) <= WIDTH_PX) is (end == "min")
            for end, size, unit in WIDTH.findall(query)
        )
        if fits and kind in ("", "all", "screen", "notprint"):
            return True
    return False


def _specificity(selector: str) -> tuple[int, int, int]:
    return (
        len(re.findall(r"#[\w-]", selector)),
        len(re.findall(r"\.[\w-]|\[|(?<!:):(?!:|not\b|is\b|has\b|where\b)\w", selector)),
        len(re.findall(r"(?:^|[\s>+~(])[a-z]", selector)),
    )


def _options(part: LexborNode) -> tuple[Option, ...]:
    return tuple(
        Option(
            value=option.attributes.get("value", _text(option)) or "",
            label=_text(option),
            chosen="selected" in option.attributes,
        )
        for option in part.css("option:not([disabled], optgroup[disabled] *)")
    )


def _kind(part: LexborNode, limits: dict[str, str]) -> str:
    usual = {"input": "text", "button": "submit"}.get(part.tag or "")
    if usual is None:
        return str(part.tag)
    kind = limits.get("type", usual).lower() or usual
    return kind if kind in (KINDS if part.tag == "input" else ("button", "reset")) else usual


def block(node: LexborNode) -> LexborNode:
    """The element that makes a text a line of its own."""
    while node.tag in INLINE and node.parent is not None:
        node = node.parent
    return node


def upwards(node: LexborNode | None) -> Iterator[LexborNode]:
    """An element and all that contain it."""
    while node is not None:
        yield node
        node = node.parent


def within(node: LexborNode, container: LexborNode) -> bool:
    return any(up == container for up in upwards(node))


def _inside(nodes: Iterable[LexborNode]) -> set[int]:
    """The forms and controls inside of elements."""
    wanted = f"form, {CONTROLS}"
    return {part.mem_id for node in nodes for part in node.css(wanted) if part != node}


def _attributes(node: LexborNode) -> dict[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


def _attribute(node: LexborNode | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node is not None else ""


def _text(node: LexborNode | None) -> str:
    return " ".join((node.text() or "").split()) if node is not None else ""


def _plain(style: str) -> str:
    return "".join(style.split()).lower()
