"""Known answers of the rank test and of the correction for several."""

from tests.golden import Golden


def test_values(golden: Golden) -> None:
    golden.values()
