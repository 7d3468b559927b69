"""What a part used of the CPUs over a window."""


def test_values(golden):
    golden.values()
