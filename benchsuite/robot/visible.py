"""The visible texts and controls of a page, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

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
UNSEEN_STYLE = re.compile(r"display:none|visibility:hidden|visibility:collapse")
OUT_OF_SIGHT = re.compile(
    r"(?:left|top|right|text-indent|margin-left):-\d{3,}|opacity:0(?:\.0+)?(?:;|!|$)|"
    r"(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?:;|!|$)|clip:rect\(|clip-path:inset\(|"
    r"transform:scale\(0\)"
)
RULE = re.compile(r"(?<![^{}])([^{}]+)\{([^{}]*)\}")
SELECTOR = re.compile(r"[.#][\w-]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A text, a control that is not hidden, or the end of a line."""

    element: LexborNode  #: The control, or the element that contains the text.
    text: str = ""
    name: str = ""  #: Of a control.


@dataclass(frozen=True, slots=True)
class Sight:
    """Which elements are invisible: by attributes, inline style, or the page's style sheets."""

    unseen: frozenset[str]  #: Selectors (.class, #id) that the page's style hides.
    aside: frozenset[str]  #: Selectors that it moves out of sight.

    def hides(self, node: LexborNode) -> bool:
        """Whether this element is invisible, whatever contains it."""
        attributes = node.attributes
        if "hidden" in attributes:
            return True
        style = attributes.get("style")
        if style and UNSEEN_STYLE.search(_plain(style)):
            return True
        return bool(self.unseen) and not self.unseen.isdisjoint(_selectors(attributes))

    def removes(self, node: LexborNode) -> bool:
        """Whether it exists but is out of sight, or hidden from screen readers."""
        attributes = node.attributes
        if attributes.get("aria-hidden") == "true" or "inert" in attributes:
            return True
        style = attributes.get("style")
        if style and OUT_OF_SIGHT.search(_plain(style)):
            return True
        return bool(self.aside) and not self.aside.isdisjoint(_selectors(attributes))


def sight(tree: LexborHTMLParser) -> Sight:
    return _sight("".join(sheet.text() or "" for sheet in tree.css("style")))


@lru_cache(maxsize=256)
def _sight(style_sheet: str) -> Sight:
    unseen: set[str] = set()
    aside: set[str] = set()
    for selectors, style in RULE.findall(style_sheet):
        plain = _plain(style)
        hidden = UNSEEN_STYLE.search(plain)
        if hidden or OUT_OF_SIGHT.search(plain):
            found = (one.strip() for one in selectors.split(","))
            (unseen if hidden else aside).update(filter(SELECTOR.fullmatch, found))
    return Sight(frozenset(unseen), frozenset(aside))


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
    return style.replace(" ", "").lower()


def _selectors(attributes: dict[str, str | None]) -> set[str]:
    found = {f".{one}" for one in (attributes.get("class") or "").split()}
    if attributes.get("id"):
        found.add(f"#{attributes['id']}")
    return found
