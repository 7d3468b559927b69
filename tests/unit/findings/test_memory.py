"""B215, B217 and B303: memory that is kept, that grows, and that can't be told."""

import pytest

from benchsuite.core.results import IdleMemory, Level
from tests.unit.findings.clean import found

MIB = 2**20


def idle(each: float | None, low: float | None = None, high: float | None = None) -> IdleMemory:
    return IdleMemory(steps=((100, 1), (200, 2)), each_bytes=each, low_bytes=low, high_bytes=high)


def test_what_closed_connections_leave_behind() -> None:
    finding = found(closed=idle(4_300.0, 4_000.0, 4_600.0))["B215"]
    assert finding.level is Level.WEAK
    assert "closed connections left 4.20 KiB behind" in finding.message.replace("\u2009", " ")
    assert not found(closed=idle(1_200.0, 1_000.0, 1_400.0))
    assert not found(closed=idle(None))


def leak(bytes_per_s: int, begin: int = 80 * MIB) -> list[tuple[float, int]]:
    return [(second, begin + bytes_per_s * second) for second in range(10)]


def test_memory_that_grows_in_a_short_window() -> None:
    finding = found(memory=leak(2_000_000))["B217"]
    assert finding.level is Level.WEAK
    words = finding.message.replace("\u2009", " ")
    assert "grew by 1.91 MiB a second (at least 1.58 MiB) from 80.0 MiB" in words


@pytest.mark.parametrize("memory", [[], leak(0), leak(300_000), leak(2_000_000, 600 * MIB)])
def test_memory_that_hardly_grows_weighs_nothing(memory: list[tuple[float, int]]) -> None:
    assert not found(memory=memory)


@pytest.mark.parametrize(
    ("memory", "level", "words"),
    [
        (idle(28_000.0, 25_000.0, 31_000.0), Level.WEAK, "10.7 % to either side"),
        (idle(28_000.0, 8_000.0, 48_000.0), Level.INVALID, "71.4 % to either side"),
        (idle(None), Level.INVALID, "at 2 numbers of connections; a slope needs at least 3."),
        (idle(0.0, -10.0, 10.0), Level.INVALID, "to either side"),
    ],
)
def test_memory_that_cant_be_told(memory: IdleMemory, level: Level, words: str) -> None:
    (finding,) = found(idle=memory).values()
    assert finding.code == "B303 unsure-slope"
    assert finding.level is level
    assert words in finding.message.replace("\u2009", " ")
