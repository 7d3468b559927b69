"""Which subscribers are slow, and which only unlucky."""

from tests.unit.stats.test_fanout import samples


def deliveries(*rows: tuple[int, float]) -> object:
    """(user, seconds), three of each."""
    return samples(*((user, 1.0, 1.0, 1.0 + took) for user, took in rows for _ in range(3)))


def test_values(golden):
    golden.values()
