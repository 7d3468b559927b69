"""The machine's clocks, held together so that a test can put others in their place."""

import time
from collections.abc import Callable
from dataclasses import dataclass

TRIES = 5


def _since_boot() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Each gives seconds."""

    monotonic: Callable[[], float] = time.monotonic
    """Never set, and stands still while the machine is suspended."""
    wall: Callable[[], float] = time.time  #: May be set at any moment.
    since_boot: Callable[[], float] = _since_boot
    """Never set, and goes on while the machine is suspended."""

    def apart(self, other: Callable[[], float]) -> float:
        """How far another clock is before the monotonic one: of a few tries the one that was least
        interrupted, mostly exact to a microsecond.
        """
        tries = []
        for _ in range(TRIES):
            before = self.monotonic()
            there = other()
            after = self.monotonic()
            tries.append((after - before, there - (before + after) / 2))
        return min(tries)[1]
