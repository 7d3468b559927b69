"""What is sent is what Django reads."""

from tests.golden import Golden

PAIRS = [("name", "Zoë & co"), ("tag", "a"), ("tag", "b"), ("text", "one\ntwo")]


def test_values(golden: Golden) -> None:
    golden.values()
