"""The robot's view of a page."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from benchsuite.robot.visible import Piece, Sight, pieces

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

TYPED = frozenset(
    (
        *("text", "textarea", "search", "email", "url", "tel", "password", "number", "range"),
        *("date", "time", "datetime-local", "month", "week", "color"),
    )
)
"""Kinds of controls for typing."""

CHOSEN = frozenset(("select", "radio", "checkbox"))

FILLED = TYPED | CHOSEN | {"file"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a select, or one radio button or checkbox of a group."""

    value: str
    label: str
    chosen: bool  #: In the page as received.


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """All controls of one name: radio buttons and checkboxes of the same name are one control."""

    kind: str  #: The type of an input (text if unknown), or select, textarea.
    name: str
    value: str  #: In the page as received.
    label: str
    limits: dict[str, str]  #: The attributes as written: required, min, max, pattern, …
    key: str = ""  #: Its name, or a unique one if several controls share it.
    hint: str = ""  #: Its description besides the label.
    choices: tuple[Option, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        return "required" in self.limits or self.limits.get("aria-required") == "true"

    @property
    def marked(self) -> bool:
        """Whether the page marks it as wrong."""
        return self.limits.get("aria-invalid") == "true"

    @property
    def state(self) -> tuple[str, ...]:
        """What would be sent unchanged."""
        if self.kind not in CHOSEN:
            return (self.value,)
        chosen = tuple(choice.value for choice in self.choices if choice.chosen)
        if not chosen and self.kind == "select" and not self.many:
            return tuple(choice.value for choice in self.choices[:1])
        return chosen

    @property
    def many(self) -> bool:
        """Whether several choices may be taken."""
        return self.kind == "checkbox" or "multiple" in self.limits

    @property
    def words(self) -> str:
        """All words that describe it, in lower case."""
        hints = (self.limits.get(name, "") for name in ("autocomplete", "placeholder"))
        return " ".join((self.name, self.label, *hints)).lower()

    def __str__(self) -> str:
        """Its name for messages."""
        return f"{self.name} ({self.label})" if self.label else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something that submits the form."""

    name: str
    value: str
    label: str
    limits: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    action: str
    method: str
    enctype: str
    charset: str = ""  #: Its accept-charset; empty for the page's.
    identity: str  #: Its id, classes, role and action, which hint at its purpose.
    controls: tuple[Control, ...]
    buttons: tuple[Button, ...]
    errors: tuple[str, ...] = ()  #: What is wrong with the form as a whole.

    @property
    def fillable(self) -> tuple[Control, ...]:
        return tuple(control for control in self.controls if control.kind in FILLED)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(control.key for control in self.fillable)

    @property
    def furniture(self) -> tuple[str, frozenset[str]]:
        """Equal for a form that is on every page."""
        return self.identity, frozenset(control.name for control in self.controls)

    @property
    def wrong(self) -> bool:
        return bool(self.errors) or any(control.errors for control in self.controls)


@dataclass(frozen=True, kw_only=True)
class Page:
    title: str
    forms: tuple[Form, ...] = ()
    completion_code: str = ""  #: `data-completion-code` of the thank-you page.
    captcha: bool = False
    markup: bool = True  #: Whether it is HTML.
    language: str = ""
    charset: str = "utf-8"
    base: str = ""  #: Base of its relative URLs, if declared.
    refresh: tuple[float, str] | None = None  #: Seconds until it redirects by itself, and where to.
    tree: "LexborHTMLParser | None" = field(default=None, repr=False, compare=False)
    sight: Sight = field(default=Sight(), repr=False, compare=False)

    @cached_property
    def headings(self) -> tuple[str, ...]:
        found = self.tree.css("h1, h2, title") if self.tree is not None else []
        return tuple(text for one in found if (text := " ".join((one.text() or "").split())))

    @cached_property
    def pieces(self) -> list[Piece]:
        """All visible parts in order."""
        return pieces(self.tree, self.sight) if self.tree is not None else []

    @property
    def texts(self) -> list[str]:
        return [piece.text for piece in self.pieces if piece.text]
