"""What a comparison, a study or a tuning answers, as data; `report.writers` writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchsuite.core.units import MISSING


@dataclass(frozen=True, slots=True)
class Shown:
    """One entry of a table."""

    text: str
    note: str = ""  #: In smaller letters, such as how far starts lie apart.
    reason: str = ""  #: Why there is nothing.
    runs: Sequence[tuple[str, str, str]] = ()
    """What a page shows instead: verdicts with the ids of their runs ("" if gone) and a note."""
    url: str = ""  #: Where the text leads.

    @property
    def whole(self) -> str:
        return f"{self.text} ({self.note})" if self.note else self.text

    @classmethod
    def missing(cls, reason: str) -> "Shown":
        return cls(MISSING, reason=reason)


@dataclass(frozen=True, slots=True)
class Table:
    headings: Sequence[str]
    rows: Sequence[Sequence[Shown | str]]
    title: str = ""
    note: str = ""  #: How to read it.
    figures: Sequence[str] = ()  #: Headings of columns of numbers.
    spare: Sequence[str] = ()  #: Headings that a narrow terminal leaves out, the first one first.
    chosen: int | None = None  #: The row of what is recommended.
    is_folded: bool = False  #: Whether a page shows its title first, and the rest on a click.

    @property
    def entries(self) -> list[list[tuple[Shown, bool]]]:
        """Row by row, each with whether it is a number."""
        numbers = [heading in self.figures for heading in self.headings]
        every = ([Shown(one) if isinstance(one, str) else one for one in row] for row in self.rows)
        return [list(zip(row, numbers, strict=True)) for row in every]

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Each heading, and whether numbers stand below it."""
        return [(one, one in self.figures) for one in self.headings]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Evidence below an answer."""

    title: str
    sentences: Sequence[str] = ()
    points: Sequence[str] = ()
    tables: Sequence[Table] = ()
    copies: Mapping[str, str] = field(default_factory=dict)  #: Title → text to be copied.
    facts: Mapping[str, object] = field(default_factory=dict)
    brief: Sequence[str | Table] = ()  #: What a terminal says of it.

    @property
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-").replace(",", "")


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure; `text` is empty where there is none, or "—" with a reason."""

    title: str
    text: str
    note: str = ""  #: What stands after it in smaller letters.
    reason: str = ""

    @property
    def headline(self) -> str:
        """Handshakes, but p95."""
        return self.title[:1].upper() + self.title[1:] if self.title[1:2].isalpha() else self.title

    @property
    def whole(self) -> str:
        return f"{self.text} {self.note}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The sentence that answers, why, and what is to be known and done."""

    title: str
    question: str = ""
    premises: Sequence[str] = ()  #: What must be known before any figure.
    headline: str
    verdict: str = ""  #: One word before the headline, where the answer is one of a run.
    tiles: Sequence[Tile] = ()  #: At most four figures.
    reasons: Sequence[str] = ()
    table: Table | None = None
    cautions: Sequence[str] = ()
    next_steps: Sequence[str] = ()
    command: str = ""  #: What does that, to be copied.
    sections: Sequence[Section] = ()
