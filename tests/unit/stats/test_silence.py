"""How long connections had been silent when they were cut."""


def test_values(golden):
    golden.values()
