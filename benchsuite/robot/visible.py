"""The visible texts and controls of a page, in order."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

SILENT = frozenset(
    ("script", "style", "template", "noscript", "head", "select", "datalist", "textarea", "option")
)
"""Elements whose text is not shown."""

CONTROLS = frozenset(("input", "select", "textarea"))
INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "code", "em", "font", "i", "kbd", "label", "mark", "q", "s"),
        *("small", "span", "strong", "sub", "sup", "u", "var"),
    )
)
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


@dataclass(frozen=True, slots=True)
class Piece:
    """A text, a control that is not hidden, or the end of a line."""

    element: LexborNode  #: The control, or the element that contains the text.
    text: str = ""
    name: str = ""  #: Of a control.


@dataclass(frozen=True, slots=True)
class Sight:
    """Which elements are invisible: by attributes, inline style, or the page's style sheets."""

    unseen: frozenset[int] = frozenset()  #: Elements that style sheets hide.
    aside: frozenset[int] = frozenset()  #: Elements that they move out of sight.

    def hides(self, node: LexborNode) -> bool:
        """Whether this element is invisible, whatever contains it."""
        attributes = node.attributes
        if "hidden" in attributes or "popover" in attributes:
            return True
        if node.tag == "dialog" and "open" not in attributes:
            return True
        own = STATE.findall(_plain(attributes.get("style") or ""))
        if any(value in NEVER for _, value, _ in own):
            return True
        return not own and node.mem_id in self.unseen

    def removes(self, node: LexborNode) -> bool:
        """Whether it exists but is out of sight, or hidden from screen readers."""
        attributes = node.attributes
        if attributes.get("aria-hidden") == "true" or "inert" in attributes:
            return True
        style = attributes.get("style")
        if style and OUT_OF_SIGHT.search(_plain(style)):
            return True
        return node.mem_id in self.aside


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a style sheet that says whether elements are seen."""

    selector: str
    names: tuple[bytes, ...]  #: The classes and ids without which nothing can match it.
    weight: tuple[int, ...]  #: Specificity, then its place.
    states: tuple[tuple[str, bool, bool], ...]  #: Property, whether it hides, whether important.
    aside: bool


def sight(tree: LexborHTMLParser, content: bytes, linked: Callable[[str], str]) -> Sight:
    """What style sheets hide on a page of that content; `linked` gets one that it links to."""
    aside: set[int] = set()
    strongest: dict[tuple[str, int], tuple[tuple[int, ...], bool]] = {}
    for rule in _rules(_styles(tree, linked)):
        if not all(name in content for name in rule.names):
            continue
        try:
            matching = tree.css(rule.selector)
        except SelectolaxError:  # such as ::before, which is no element
            continue
        for node in matching:
            if rule.aside:
                aside.add(node.mem_id)
            for name, hides, important in rule.states:
                strength = (int(important), *rule.weight)
                if strength > strongest.get((name, node.mem_id), ((), False))[0]:
                    strongest[name, node.mem_id] = strength, hides
    unseen = (place for (_, place), (_, hides) in strongest.items() if hides)
    return Sight(frozenset(unseen), frozenset(aside))


def _styles(tree: LexborHTMLParser, linked: Callable[[str], str]) -> str:
    """All style sheets of a page in order, each for its media."""
    found = []
    for node in tree.css("style, link[rel~=stylesheet i][href]"):
        own = node.tag == "style"
        text = node.text() if own else linked(node.attributes.get("href") or "")
        media = node.attributes.get("media")
        found.append(f"@media {media} {{{text}}}" if media else text or "")
    return "\n".join(found)


@lru_cache(maxsize=256)
def _rules(style_sheet: str) -> tuple[Rule, ...]:
    """The rules that show or hide; none if nothing hides."""
    found: list[Rule] = []
    for selectors, style in _blocks(COMMENT.sub("", style_sheet)):
        plain = _plain(style)
        states = tuple(
            (name, value in NEVER, bool(most)) for name, value, most in STATE.findall(plain)
        )
        aside = OUT_OF_SIGHT.search(plain) is not None
        if not states and not aside:
            continue
        for selector in COMMA.split(NOT_NOW.sub("", selectors)):
            bare = re.sub(r":not\([^)]*\)", "", selector)
            names = tuple(name.encode() for name in NAME.findall(bare)) if ":" not in bare else ()
            weight = (*_specificity(selector), len(found))
            whole = re.sub(r"^:", "*:", selector.strip())  # Lexbor finds nothing for `:is(p) b`
            found.append(Rule(whole, names, weight, states, aside))
    hiding = any(rule.aside or any(hides for _, hides, _ in rule.states) for rule in found)
    return tuple(found) if hiding else ()


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
        if not before.startswith("@"):
            yield before, inside
        elif _applies(before):
            yield from _blocks(inside)


def _applies(at_rule: str) -> bool:
    name, _, condition = at_rule.partition(" ")
    return name in ("@supports", "@layer") or (name == "@media" and _on_screen(condition))


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


def pieces(tree: LexborHTMLParser, seen: Sight) -> list[Piece]:
    body = tree.body
    return list(_pieces(body, seen)) if body is not None else []


def _pieces(node: LexborNode, seen: Sight) -> Iterator[Piece]:
    child = node.child
    while child is not None:
        tag = child.tag
        if tag == "-text":
            text = " ".join((child.text_content or "").split())
            if text:
                yield Piece(node, text)
        elif tag in ("br", "hr"):
            yield Piece(child)
        elif tag in CONTROLS:
            attributes = child.attributes
            name = attributes.get("name")
            if name and attributes.get("type") != "hidden":
                yield Piece(child, name=name)
        elif tag not in SILENT and tag != "-comment" and not seen.hides(child):
            yield from _pieces(child, seen)
        child = child.next


def block(node: LexborNode) -> LexborNode:
    """The element that makes a text a line of its own."""
    while node.tag in INLINE and node.parent is not None:
        node = node.parent
    return node


def _plain(style: str) -> str:
    return "".join(style.split()).lower()
