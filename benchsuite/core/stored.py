"""The types of what is stored as JSON and read as it is. Names that are not among them may stand
beside them.
"""

from collections.abc import Mapping
from typing import Any, TypedDict

Times = Mapping[str, float | None]
"""count, mean_s, min_s, max_s and percentiles (p95_s), as far as samples suffice."""


class Machine(TypedDict, total=False):
    """What is asked of an environment; the rest of its facts is shown and compared."""

    hostname: str
    cpu_logical: int | None
    cpu_usable: int | None
    memory_total_bytes: int | None


class Software(TypedDict):
    """Facts of a Python, and each of its distributions → version."""

    python: Mapping[str, Any]
    packages: Mapping[str, str]


class ServerFacts(TypedDict, total=False):
    """What is said of a server; empty where nothing is known."""

    interface: str
    serves_project: bool
    threads_word: str | None
    async_twin: str | None
    at_once: int | None
    connections: int | None


class Shape(TypedDict):
    """One query of a page, with the place in the code that makes it."""

    query: str
    place: str
    times: float  #: For each request.
    query_s: float


class Page(TypedDict):
    """Means of a request of one page."""

    page: str
    requests: int
    request_s: float
    queries: float
    query_s: float
    connecting_s: float
    shapes: list[Shape]


class Timed(TypedDict):
    """What a diagnostic start has timed."""

    pages: list[Page]
    paused_s: float
    longest_pause_s: float
    cpu_s: float


class FlameGraph(TypedDict):
    """Stacks as `benchsuite.stats.stacks` packs them."""

    samples: int
    rate_hz: float
    least: int
    project: list[str]  #: Of the calls those that are measured.
    stacks: str


class Profiled(TypedDict):
    """What a profiler saw beside a diagnostic start."""

    flame: FlameGraph
