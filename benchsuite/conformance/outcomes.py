"""How servers behave in a check."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a server behaved in one check."""

    OK = "ok"
    INFORMATIONAL = "informational"
    """Allowed or harmless, and not what the RFC recommends; or a fact that it leaves open."""
    FAILED = "failed"  #: Against a MUST of the RFC, or no answer in time.


class Deviation(Exception):
    """The server did what it must not; the message says what was seen."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a check saw beyond "as it should be"."""

    seen: str
    outcome: Outcome = Outcome.INFORMATIONAL
