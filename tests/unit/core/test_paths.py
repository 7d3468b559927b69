"""How a path is asked for, and what is none."""


def test_values(golden):
    golden.values()
