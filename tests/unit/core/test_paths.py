"""How a path is asked for, and what is none."""

from tests.golden import Golden


def test_values(golden: Golden) -> None:
    golden.values()
