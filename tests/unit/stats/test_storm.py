"""Connections that come back after all were cut."""

CUT_S = 10.0
RAMP = [(user, 1.0, 1.0, 1.1) for user in range(4)]


def test_values(golden):
    golden.values()
