"""What is sent is what Django reads."""

PAIRS = [("name", "Zoë & co"), ("tag", "a"), ("tag", "b"), ("text", "one\ntwo")]


def test_values(golden):
    golden.values()
