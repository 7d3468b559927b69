"""A check, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass

from benchsuite.conformance.outcomes import Note, Outcome
from benchsuite.conformance.peer import Peer


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a server is asked to do. `run` returns None when all was as it should be."""

    group: str
    name: str
    section: str  #: Of RFC 6455, or another RFC by its name; empty for what no RFC says.
    run: Callable[[Peer], Note | None]
    fresh: bool = False
    """Whether it must be the first on a server: what others leave free in its heap hides growth."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of it for one server."""

    check: Check
    outcome: Outcome
    seen: str = ""
