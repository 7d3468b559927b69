"""The command line of a proxy, and URLs by way of it."""


def test_values(golden):
    golden.values()
