"""What the robot sees of a page."""

from dataclasses import dataclass, field

TYPED = frozenset(
    (
        *("text", "textarea", "search", "email", "url", "tel", "password", "number", "range"),
        *("date", "time", "datetime-local", "month", "week", "color"),
    )
)
"""Kinds of controls that one writes into."""

CHOSEN = frozenset(("select", "radio", "checkbox"))

FILLED = TYPED | CHOSEN | {"file"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An option of a select, or one radio button or checkbox of a group."""

    value: str
    label: str
    chosen: bool
    """As the page came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What goes by one name; radio buttons and checkboxes of the same name are one control."""

    kind: str
    """The type of an input (text when it is none we know), or select, textarea."""
    name: str
    value: str
    """As the page came."""
    label: str
    limits: dict[str, str]
    """The attributes as they stand: required, min, max, pattern, …"""
    hint: str = ""
    """What the page says about it beside the label; read where several choices may be taken."""
    choices: tuple[Choice, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        return "required" in self.limits or self.limits.get("aria-required") == "true"

    @property
    def many(self) -> bool:
        """Whether several choices may be taken."""
        return self.kind == "checkbox" or "multiple" in self.limits

    @property
    def words(self) -> str:
        """All that says what is meant, in lower case."""
        hints = (self.limits.get(name, "") for name in ("autocomplete", "placeholder"))
        return " ".join((self.name, self.label, *hints)).lower()

    def __str__(self) -> str:
        """As people would call it."""
        return f"{self.name} ({self.label})" if self.label else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something that hands the form in."""

    name: str
    value: str
    label: str
    limits: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    action: str
    method: str
    enctype: str
    identity: str
    """Its id, classes, role and action: what it may be for."""
    controls: tuple[Control, ...]
    buttons: tuple[Button, ...]
    errors: tuple[str, ...] = ()
    """What is wrong with the form as a whole."""

    @property
    def fillable(self) -> tuple[Control, ...]:
        return tuple(control for control in self.controls if control.kind in FILLED)

    @property
    def signature(self) -> tuple[str, ...]:
        """Equal for the same questions, whatever their answers and errors."""
        return tuple(f"{control.name}|{control.label}" for control in self.fillable)

    @property
    def wrong(self) -> bool:
        return bool(self.errors) or any(control.errors for control in self.controls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    title: str
    forms: tuple[Form, ...] = ()
    completion_code: str = ""
    """What the page of thanks says in `data-completion-code`."""
    praised: bool = False
    """Whether it says that something was done ("was added successfully")."""
    captcha: bool = False
    errors: tuple[str, ...] = field(default=())
    """Errors that belong to no form."""
