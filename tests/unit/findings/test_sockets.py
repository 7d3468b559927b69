"""B209, B210 and B216: messages astray, connections that ended, and those that stay away."""

from dataclasses import replace

from benchsuite.core.results import IdleMemory
from tests.socket_factories import KEPT
from tests.unit.findings.clean import words


def accounts(**changes):
    return replace(KEPT, **{"messages": 1000, **changes})


MIB = 2**20


def idle(each, low=None, high=None):
    return IdleMemory(steps=((100, 1), (200, 2)), each_bytes=each, low_bytes=low, high_bytes=high)


def leak(bytes_per_s, begin=80 * MIB):
    return [(second, begin + bytes_per_s * second) for second in range(10)]


def test_values(golden):
    golden.values(words)
