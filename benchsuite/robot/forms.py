"""The robot's view of a page, and the values that it sends."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from selectolax.lexbor import LexborNode

MEASURED = frozenset(("text", "textarea", "search", "email", "url", "tel", "password"))
SCALED = frozenset(("number", "range", "date", "time", "datetime-local", "month", "week"))
TYPED = MEASURED | SCALED | {"color"}  #: Kinds of controls for typing: texts, what is counted.
CHOSEN = frozenset(("select", "radio", "checkbox"))
SENDING = frozenset(("submit", "image"))  #: Kinds of buttons.
WORDED = ("autocomplete", "placeholder"), ("value", "title", "aria-label")  #: Of controls; buttons.


@dataclass(frozen=True, slots=True)
class Upload:
    name: str = ""  #: Empty if no file is chosen.
    content: bytes = b""
    content_type: str = "application/octet-stream"

    def __str__(self) -> str:
        return f"{self.name} ({len(self.content)} bytes)"


Value = str | Upload
Values = tuple[Value, ...]  #: The answer to one control; empty if nothing is sent.
Pairs = Sequence[tuple[str, Value]]


@dataclass(frozen=True, slots=True)
class Option:
    """Of a select, or one radio button or checkbox of a group."""

    value: str
    label: str
    chosen: bool  #: In the page as received.


@dataclass(frozen=True)
class Control:
    """All controls of one name: radio buttons and checkboxes of the same name are one control."""

    kind: str  #: The type of an input (text if unknown) or button, or select, textarea.
    name: str
    key: str  #: Its name, or a unique one if several share it; of a button its place among all.
    value: str  #: In the page as received.
    limits: dict[str, str]  #: The attributes as written: required, min, max, pattern, …
    label: str = ""
    hint: str = ""  #: Its description besides the label.
    choices: tuple[Option, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        return "required" in self.limits or self.limits.get("aria-required") == "true"

    @property
    def many(self) -> bool:
        """Whether several choices may be taken."""
        return self.kind == "checkbox" or "multiple" in self.limits

    @property
    def state(self) -> tuple[str, ...]:
        """What would be sent unchanged."""
        if self.kind not in CHOSEN:
            return (self.value,)
        chosen = tuple(choice.value for choice in self.choices if choice.chosen)
        if self.many or (self.kind == "radio" and not chosen):
            return chosen
        return chosen[-1:] or tuple(choice.value for choice in self.choices[:1])

    @property
    def fixed(self) -> bool:
        """Whether nobody can change it; what is chosen or drawn can be changed all the same."""
        return "readonly" in self.limits and self.kind not in (*CHOSEN, "file", "range", "color")

    @cached_property
    def words(self) -> str:
        """All words that describe it, in lower case."""
        hints = (self.limits.get(name, "") for name in WORDED[self.kind in SENDING])
        return " ".join((self.name, self.label, *hints)).lower().replace("_", " ")

    @property
    def pressed(self) -> list[tuple[str, Value]]:
        """What it sends as the button that sends the form."""
        if self.kind == "image":
            before = f"{self.name}." if self.name else ""
            return [(f"{before}x", "1"), (f"{before}y", "1")]
        return [(self.name, self.value)] if self.name else []

    def __str__(self) -> str:
        return f"{self.name} ({self.label})" if self.label else self.name


@dataclass(frozen=True)
class Form:
    action: str
    method: str
    enctype: str
    charset: str  #: Its accept-charset; empty for the page's.
    identity: str  #: Its id, classes, role and action, which hint at its purpose.
    controls: tuple[Control, ...]
    buttons: tuple[Control, ...]
    errors: tuple[str, ...] = ()  #: What is wrong with the form as a whole.

    @cached_property
    def fillable(self) -> tuple[Control, ...]:
        return tuple(control for control in self.controls if control.kind != "hidden")

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(control.key for control in self.fillable)

    @cached_property
    def furniture(self) -> tuple[str, frozenset[str]]:
        """Equal for a form that is on every page."""
        return self.identity, frozenset(control.name for control in self.controls)


@dataclass(frozen=True, slots=True)
class Piece:
    """A text, a control that is not hidden, or the end of a line."""

    element: LexborNode  #: The control, or the element that contains the text.
    text: str = ""
    name: str = ""  #: Of a control.


@dataclass(frozen=True, kw_only=True)
class Page:
    title: str
    forms: tuple[Form, ...]
    completion_code: str  #: `data-completion-code` of the thank-you page.
    captcha: bool
    markup: bool = True  #: Whether it is HTML.
    language: str
    charset: str
    base: str  #: Base of its relative URLs, if declared.
    refresh: str  #: Seconds until it redirects by itself, and where to.
    css: Callable[[str], list[LexborNode]] = field(repr=False, compare=False)  #: By selector.
    pieces: Callable[[], tuple[Piece, ...]] = field(repr=False, compare=False)  #: Those shown.

    @cached_property
    def texts(self) -> list[str]:
        return [piece.text for piece in self.pieces() if piece.text]
