"""Exceptions of other HTTP clients, by the kind of failure they stand for."""


class CatchResponseError(Exception):
    """As Locust names the failure that a with-block declares."""


def test_values(golden):
    golden.values()
