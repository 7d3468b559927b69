"""The contract of a telemetry device, and the machine's clocks, which a test can replace."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

from benchsuite.system.procfs import Stat

Figures = dict[str, Any]
"""Fields of `benchsuite.core.results.Reading`; what is missing was not read. Devices may each add
some to `counts`, by names of their own.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The living processes of one part at one moment; read once, for all devices."""

    at: float  #: `time.monotonic()`
    stats: tuple[Stat, ...]
    reaped_s: float = 0.0  #: CPU time of the part's orphans that ended (`ProcessTree.reaped_s`).
    costly: bool = True  #: Whether the budget allows figures that cost milliseconds now.


class Device:
    """Reads one kind of figure about one part, in the sampler's thread; each method is optional. A
    process that vanishes meanwhile is no error; a figure that can't be known is None. The docstring
    says what a sample costs, measured; else it reads what the sampler has read anyway.
    """

    parts: ClassVar[tuple[str, ...]] = ()  #: "target", "load" …; empty for all.

    def start(self) -> None:
        """Raise UnavailableError when this machine can't tell: the device is then left out."""

    def sample(self, snapshot: Snapshot) -> Figures:
        return {}

    def stop(self) -> None:
        """Give back what `start` took."""


class ServiceProbe(Protocol):
    """Asks a service for what only it knows; lives in the sampler's thread."""

    def sample(self) -> Mapping[str, int]: ...

    def close(self) -> None: ...


TRIES = 5
_since_boot = partial(time.clock_gettime, time.CLOCK_BOOTTIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Each gives seconds."""

    monotonic: Callable[[], float] = time.monotonic  #: Not set; stands in a suspension.
    wall: Callable[[], float] = time.time  #: May be set at any moment.
    since_boot: Callable[[], float] = _since_boot  #: Not set, and goes on in a suspension.

    def apart(self, other: Callable[[], float]) -> float:
        """How far another clock is ahead, by the least interrupted try: mostly exact to 1 µs."""
        tries = []
        for _ in range(TRIES):
            before = self.monotonic()
            there = other()
            after = self.monotonic()
            tries.append((after - before, there - (before + after) / 2))
        return min(tries)[1]
