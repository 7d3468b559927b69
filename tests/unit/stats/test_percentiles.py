"""When a sample is large enough for a percentile."""


def test_values(golden):
    golden.values()
