"""A value in a table, as pages and Markdown have it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """One entry of a table."""

    text: str
    note: str = ""  #: In smaller letters: how far starts lie apart, and which failed.
    reason: str = ""  #: Why there is nothing.

    @property
    def whole(self) -> str:
        return f"{self.text} ({self.note})" if self.note else self.text
