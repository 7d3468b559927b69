"""What a monitor that has seen nothing says of itself."""


def test_values(golden):
    golden.values()
