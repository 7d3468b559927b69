"""From the bytes of a page to the robot's view of it, by Lexbor, which parses like browsers."""

import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from operator import itemgetter

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from benchsuite.robot.forms import SENDING, TYPED, Control, Form, Option, Page, Piece

NAMED = r"charset\s*=\s*[\"']?\s*{}([\w.:-]+)"
IN_HEADER = re.compile(NAMED.format(""), re.I)
DECLARED = re.compile(rf"<meta[^>]{{1,200}}?{NAMED.format('(?!utf-?16)')}", re.I)
MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk"}
SILENT = frozenset(("script", "style", "template", "noscript", "datalist", "option"))  #: Not shown.
INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "code", "em", "font", "i", "kbd", "label", "mark", "q", "s")
) | {"small", "span", "strong", "sub", "sup", "u", "var"}
KINDS = TYPED | {"hidden", "checkbox", "radio", "file", "button", "reset", "submit", "image"}
IN_TABLES = frozenset(("table", "thead", "tbody", "tfoot", "tr"))
LABELS = "label[for]:not([for=''])"
GROUPS = "fieldset, [role=group], [role=radiogroup]"
DISABLED = "[disabled], fieldset[disabled] :not(fieldset[disabled] > legend:first-of-type *)"
CAPTCHAS = (
    ".g-recaptcha, .h-captcha, .cf-turnstile, [name*=captcha i], [id*=captcha i], "
    "[class*=captcha i], iframe[src*=captcha i], script[src*=captcha i], script[src*=turnstile i]"
)
GROUPED = ("radio", "checkbox")
OPTIONS = "option:not([disabled], optgroup[disabled] *)"
Linked = Callable[[str, str], str]  #: Gets the text of a style sheet, by link and base of a page.
TEMPLATE = re.compile(r"\b__\w+__\b|\{\{|\$\{|\{%|NEW_RECORD|<%")  #: Of rows that don't exist yet.
REFUSED = ("off", "nope", "false", "new-password")  #: Values of traps that nothing may fill.
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
INSIDE = r"[^{}]*+"
for _ in range(3):  # as deep as anybody nests
    INSIDE = rf"(?:[^{{}}]++|\{{{INSIDE}\}})*+"
RULE = re.compile(rf"(?<![^{{}};])([^{{}};]+)\{{({INSIDE})\}}")
AROUND_RULES = re.compile(r"@(?:media|supports|layer)[^{};@]*\{")
ELSEWHERE = re.compile(
    r"@(?:(?!media|supports|layer)[\w-]+|media(?=[^{};@]*(?:max-(?:device-)?width|prefers-|speech|"
    rf"(?<!not )print)))[^{{}};@]*\{{{INSIDE}\}}"
)  #: Blocks that are not for the screen of a desk, and what is no rule.
UNSEEN, ASIDE = "unseen", "aside"
States = tuple[tuple[bool, str, bool], ...]  #: Important; property, or "aside"; hides.


def read(content: bytes, content_type: str = "", linked: Linked = lambda href, base: "") -> Page:
    # from the byte order mark, header or meta element; else UTF-8
    marked = ["utf-8"] if content.startswith(codecs.BOM_UTF8) else []
    named = IN_HEADER.findall(content_type) or DECLARED.findall(content[:2048].decode("latin-1"))
    charset = next(filter(None, (*marked, *map(known_charset, named))), "utf-8")
    if charset != "utf-8":
        content = content.decode(charset, "replace").encode(errors="replace")
    tree = LexborHTMLParser(content)
    base = _attribute(tree.css_first("base[href]"), "href")
    reader = _Reader(tree, content, linked, base)
    code, lower = tree.css_first("[data-completion-code]"), content.lower()
    return Page(
        title=_text(tree.css_first("h1") or tree.css_first("title")),
        forms=tuple(reader.forms()),
        completion_code=_attribute(code, "data-completion-code") or _text(code),
        captcha=(b"captcha" in lower or b"turnstile" in lower)
        and tree.css_first(CAPTCHAS) is not None,
        language=_attribute(tree.css_first("html"), "lang")[:2].lower(),
        charset=charset,
        base=base,
        refresh=_attribute(tree.css_first("meta[http-equiv=refresh i][content]"), "content"),
        css=tree.css,
        pieces=lambda: reader.pieces,
    )


def known_charset(name: str) -> str:
    """Python's name of a charset; empty if unknown."""
    try:
        known = codecs.lookup(name.strip()).name
        "".encode(known, "xmlcharrefreplace")  # some convert bytes to bytes, or are strict
    except (LookupError, ValueError):
        return ""
    return MEANT.get(known, known)


class _Reader:
    def __init__(self, tree: LexborHTMLParser, content: bytes, linked: Linked, base: str) -> None:
        self._tree = tree
        self._hidden = _hidden(tree, content, linked, base)
        lower = content.lower()  # a search for what it can't contain is skipped
        identified = tree.css("[id]") if b"aria-" in lower or b"list" in lower else []
        self._ids = {node.attributes["id"]: node for node in identified}
        self._for = {_attribute(label, "for"): _text(label) for label in tree.css(LABELS)}
        self._labels = {node.mem_id: node for node in tree.css("label:not([for])")}
        self._groups = {node.mem_id: node for node in tree.css(GROUPS)}
        self._owners = {_inside(form).mem_id: form.mem_id for form in tree.css("form")}
        self._up: dict[int, list[int]] = {}  #: Of each control, and of the elements around it.

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self._pieces(self._tree.body)) if self._tree.body is not None else ()

    def forms(self) -> Iterator[Form]:
        """Each with the controls in it, and those elsewhere that refer to it."""
        forms = self._tree.css("form")
        by_id = {form.attributes.get("id"): form.mem_id for form in forms}
        parts: dict[int | None, list[LexborNode]] = {}
        for part in self._tree.css(f":is(input, select, textarea, button):not({DISABLED})"):
            ups = self._up[part.mem_id] = [up.mem_id for up in upwards(part)]
            named, own = part.attributes.get("form"), filter(None, map(self._owners.get, ups))
            owner = next(own, None) if named is None else by_id.get(named)
            parts.setdefault(owner, []).append(part)
        for form in forms:
            yield self._form(form, parts.get(form.mem_id, []))

    def _form(self, form: LexborNode, parts: list[LexborNode]) -> Form:
        of = _attributes(form)
        gone = any(self._hidden.get(up.mem_id) is UNSEEN for up in upwards(form))
        controls: dict[str, Control] = {}
        buttons: dict[bool, list[Control]] = {True: [], False: []}  #: By whether they are hidden.
        for part in parts:
            limits = _attributes(part)
            kind, name, value = _kind(part, limits), limits.get("name", ""), limits.get("value", "")
            hidden = gone or kind == "hidden" or self._is_hidden(part, kind, limits)
            if kind in SENDING:
                label = _text(part) or value or limits.get("alt", "")
                place = str(sum(map(len, buttons.values())))
                buttons[hidden].append(Control(kind, name, place, value, limits, label))
            elif name and kind not in ("button", "reset"):
                control = self._control(part, kind, limits)
                if not hidden:
                    _add(controls, control)
                elif kind != "file":  # what it sends that nobody sees
                    for sent in control.state:
                        _add(controls, Control("hidden", name, f"{name} (hidden)", sent, limits))
        return Form(
            of.get("action", ""),
            of.get("method", "").lower() or "get",
            of.get("enctype", "").lower(),
            of.get("accept-charset", ""),
            identity=" ".join(of.get(name, "") for name in ("id", "class", "role", "action")),
            controls=tuple(controls.values()),
            buttons=tuple(buttons[False] or ([] if gone else buttons[True])),
        )

    def _control(self, part: LexborNode, kind: str, limits: dict[str, str]) -> Control:
        name, value = limits["name"], limits.get("value", "")
        label = (
            self._for.get(limits.get("id", ""))
            or limits.get("aria-label")
            or self._referred(part, "aria-labelledby")
            or _text(self._above(part, self._labels)).removesuffix(_text(part)).rstrip()
        )
        suggested = part if kind == "select" else self._ids.get(limits.get("list", ""))
        offered = suggested.css(OPTIONS) if suggested is not None else []
        texts = [(node.attributes, _text(node)) for node in offered]
        choices = tuple(
            Option(of.get("value", text) or "", text, "selected" in of) for of, text in texts
        )
        group = self._above(part, self._groups)
        if kind in GROUPED:
            value = limits.get("value", "on")
            choices = (Option(value, label, "checked" in limits),)
            legend = group.css_first("legend") if group is not None else None
            named = _text(legend) or _attribute(group, "aria-label")
            label = named or self._referred(group, "aria-labelledby") or label
        elif kind == "textarea":
            value = part.text() or ""
        if not label and kind not in (*GROUPED, "hidden"):
            label = self._before.get(part.mem_id, "")
        hint = " ".join(self._referred(node, "aria-describedby") for node in (part, group)).strip()
        return Control(kind, name, name, value, limits, label, hint, choices)

    def _above(self, part: LexborNode, among: dict[int, LexborNode]) -> LexborNode | None:
        """The nearest of these elements around it."""
        return next((among[up] for up in self._up[part.mem_id] if up in among), None)

    def _referred(self, node: LexborNode | None, attribute: str) -> str:
        ids = dict.fromkeys(_attribute(node, attribute).split())
        return " ".join(filter(None, (_text(self._ids.get(one)) for one in ids)))

    @cached_property
    def _before(self) -> dict[int, str]:
        """The nearest text before each control that belongs to no other control of its form."""
        before: dict[int, str] = {}
        lines: dict[int, list[Piece]] = {}  #: The last one in each form.
        for piece in (piece for piece in self.pieces if piece.text or piece.name):
            form = next(filter(self._owners.get, (up.mem_id for up in upwards(piece.element))), 0)
            line, here = lines.get(form, []), block(piece.element).mem_id
            if piece.name and form:
                before[piece.element.mem_id] = " ".join(one.text for one in line)
            fresh = bool(piece.name) or not line or here != block(line[0].element).mem_id
            lines[form] = [piece] if fresh else [*line, piece]
        return before

    def _is_hidden(self, part: LexborNode, kind: str, limits: dict[str, str]) -> bool:
        """Whether it is a trap, a template, or not yet shown; boxes hide behind their labels."""
        drawn = kind in ("radio", "checkbox", "file")
        labelled = drawn and (limits.get("id", "") in self._for or self._above(part, self._labels))
        trap = limits.get("tabindex") == "-1" and limits.get("autocomplete") in REFUSED
        own, *above = map(self._hidden.get, self._up[part.mem_id])
        moved = above if kind == "select" else [own, *above]  # a script may draw its own list
        return (
            TEMPLATE.search(limits.get("name", "")) is not None
            or (trap and kind in ("text", "email", "url", "textarea") and "required" not in limits)
            or UNSEEN in above
            or (own is UNSEEN and not labelled)
            or (ASIDE in moved and not drawn)
        )

    def _pieces(self, node: LexborNode) -> Iterator[Piece]:
        for child in node.iter(include_text=True):
            tag = child.tag
            if tag == "-text":
                if text := " ".join((child.text_content or "").split()):
                    yield Piece(node, text)
            elif tag in ("br", "hr"):
                yield Piece(child)
            elif tag in ("input", "select", "textarea"):
                name = _attribute(child, "name")
                if name and _attribute(child, "type") != "hidden":
                    yield Piece(child, name=name)
            elif tag not in SILENT and self._hidden.get(child.mem_id) is not UNSEEN:
                yield from self._pieces(child)


def _add(controls: dict[str, Control], control: Control) -> None:
    known = controls.get(control.key)
    if known is not None and control.kind in GROUPED and known.kind == control.kind:
        limits = known.limits | control.limits if control.kind == "radio" else known.limits
        control = replace(known, choices=(*known.choices, *control.choices), limits=limits)
    elif known is not None:
        control = replace(control, key=f"{control.key} {len(controls)}")
    controls[control.key] = control


def _hidden(tree: LexborHTMLParser, content: bytes, linked: Linked, base: str) -> dict[int, str]:
    """Elements that attributes and styles hide: those that are not seen, and those moved aside. The
    last rule holds, of important ones if there are any, and an element's own style over all.
    """
    styled: list[tuple[list[LexborNode], States]] = []
    sheets = []
    for node in tree.css("style, link[rel~=stylesheet i][href]"):
        text = node.text() if node.tag == "style" else linked(_attribute(node, "href"), base)
        media = node.attributes.get("media")
        sheets.append(f"@media {media} {{{text}}}" if media else text or "")
    for selector, names, states in _rules("\n".join(sheets)):
        if all(name in content for name in names):
            with suppress(SelectolaxError):  # such as ::before, which is no element
                styled.append((tree.css(selector), states))
    styled += [([node], _states(_attribute(node, "style"))) for node in tree.css("[style]")]
    unseen = tree.css("[hidden], [popover], [inert], dialog:not([open])")
    styled.append((unseen, ((True, "display", True),)))
    styled.append((tree.css("[aria-hidden=true]"), ((True, ASIDE, True),)))
    apart = [(*state, nodes) for nodes, states in styled for state in states]
    hidden: dict[tuple[str, int], bool] = {}
    for _, name, hides, nodes in sorted(apart, key=itemgetter(0)):  # important ones last
        for node in nodes:
            # what moves everything aside shows it later
            whole = name == ASIDE and (node.tag == "body" or node.css_first("form"))
            hidden[name, node.mem_id] = hides and not whole
    in_order = sorted(hidden.items())  # what is moved aside first
    return {place: ASIDE if name == ASIDE else UNSEEN for (name, place), hides in in_order if hides}


@lru_cache(maxsize=1024)
def _states(style: str) -> States:
    plain = "".join(style.split()).lower()
    states = [(bool(most), name, value in NEVER) for name, value, most in STATE.findall(plain)]
    return (*states, *[(False, ASIDE, True)] * bool(OUT_OF_SIGHT.search(plain)))


@lru_cache(maxsize=256)
def _rules(style_sheet: str) -> list[tuple[str, list[bytes], States]]:
    """Selectors, with the classes and ids that they need, and states; none if nothing hides."""
    rules: list[tuple[str, list[bytes], States]] = []
    here = AROUND_RULES.sub("", ELSEWHERE.sub("", COMMENT.sub("", style_sheet)))
    for selectors, style in RULE.findall(here):
        states = _states(style)
        for selector in COMMA.split(NOT_NOW.sub("", selectors)) if states else ():
            bare = re.sub(r":not\([^)]*\)", "", selector)
            names = [name.encode() for name in NAME.findall(bare)] if ":" not in bare else []
            whole = re.sub(r"^:", "*:", selector.strip())  # Lexbor finds nothing for `:is(p) b`
            rules.append((whole, names, states))
    return rules if any(hides for *_, states in rules for *_, hides in states) else []


def _kind(part: LexborNode, limits: dict[str, str]) -> str:
    tag, kind = part.tag or "", limits.get("type", "").lower()
    kinds = {"input": KINDS, "button": {"button", "reset"}}.get(tag, ())
    return kind if kind in kinds else {"input": "text", "button": "submit"}.get(tag, tag)


def block(node: LexborNode) -> LexborNode:
    """The element that makes a text a line of its own."""
    return next((up for up in upwards(node) if up.tag not in INLINE), node)


def upwards(node: LexborNode | None) -> Iterator[LexborNode]:
    while node is not None:
        yield node
        node = node.parent


def _inside(form: LexborNode) -> LexborNode:
    """What its controls are in: of one that begins between rows, the table or the row."""
    around = form.parent
    return around if around and form.child is None and around.tag in IN_TABLES else form


def _attributes(node: LexborNode) -> dict[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


def _attribute(node: LexborNode | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node is not None else ""


def _text(node: LexborNode | None) -> str:
    return " ".join((node.text() or "").split()) if node is not None else ""
