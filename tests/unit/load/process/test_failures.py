"""Exceptions of other HTTP clients, by the kind of failure they stand for."""

from tests.golden import Golden


class CatchResponseError(Exception):
    """As Locust names the failure that a with-block declares."""


def test_values(golden: Golden) -> None:
    golden.values()
