"""Known answers of the rank test and of the correction for several."""


def test_values(golden):
    golden.values()
