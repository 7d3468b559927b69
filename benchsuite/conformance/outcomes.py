"""A check, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchsuite.conformance.peer import Peer


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


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a server is asked to do. `run` returns None when all was as it should be."""

    group: str
    name: str
    section: str  #: Of RFC 6455, or another RFC by its name; empty for what no RFC says.
    run: Callable[["Peer"], Note | None]
    fresh: bool = False
    """Whether it must be the first on a server: what others leave free in its heap hides growth."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's result for one server."""

    check: Check
    outcome: Outcome
    seen: str = ""
