"""Examines a machine before anything is measured on it: what would make every run doubtful."""

from collections.abc import Iterator
from pathlib import Path

from benchsuite.system import fingerprint
from benchsuite.telemetry.machine import limits, noise
from benchsuite.telemetry.machine.check import Check, State
from benchsuite.telemetry.machine.noise import HostSample

__all__ = ["Check", "HostSample", "State", "examine"]


def examine(*, seconds: float = 1.0, root: Path = Path("/")) -> Iterator[Check]:
    """All checks, in the order in which one would put things right; takes a little more than
    `seconds`.
    """
    yield from noise.checks(noise.observe(seconds))
    yield from limits.checks(fingerprint.fingerprint(), root)
