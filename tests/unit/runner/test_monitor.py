"""What a monitor that has seen nothing says of itself."""

from tests.golden import Golden


def test_values(golden: Golden) -> None:
    golden.values()
