"""Which message is the answer, and which was answered: nothing by chance."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.load.client.websocket.exchanges import Exchange, Exchanges, Matching, predicate


@pytest.mark.parametrize(
    ("matching", "content", "meant"),
    [
        ("42", "say 42!", True),
        ("42", b"say 42!", True),
        (b"\xff", b"\x00\xff", True),
        ("42", "say 24!", False),
        (7, '{"id": 7, "result": null}', True),
        (7, '{"id": "7"}', False),
        (7, '{"id": 77}', False),
        (1, '{"id": true}', False),
        (7, "7", False),
        (7, "no JSON", False),
        (7, b"\xff\xfe\xfd", False),
        (7, "[" * 100_000, False),
        ({"id": 7, "room": "a"}, '{"room": "a", "id": 7, "more": 1}', True),
        ({"id": 7, "room": "a"}, '{"id": 7}', False),
        ({"message": {"id": 7}}, '{"message": {"id": 7, "text": "x"}}', True),
        ({"message": {"id": 7}}, '{"message": [7]}', False),
        (lambda content: content.startswith("pong"), "pong 1", True),
        (lambda content: None, "pong 1", False),
    ],
)
def test_an_answer_is_what_the_journey_says(
    matching: Matching,
    content: str | bytes,
    meant: bool,  # noqa: FBT001
) -> None:
    assert predicate(matching)(content) is meant


@pytest.mark.parametrize("matching", ["", b"", {}, [], 1.5])
def test_what_says_nothing_is_refused(matching: Matching) -> None:
    with pytest.raises(UsageError, match="matching says which message is the answer"):
        predicate(matching)


def exchanges(*contents: str) -> tuple[Exchanges, list[Exchange]]:
    waiting = Exchanges()
    sent = [
        Exchange((0, number, number), content, len(content), number)
        for number, content in enumerate(contents)
    ]
    for one in sent:
        waiting.add(one)
    return waiting, sent


def test_an_answer_belongs_to_what_says_the_same_whatever_comes_first() -> None:
    waiting, (first, second) = exchanges('{"id": 1}', '{"id": 2}')
    assert waiting.answered_by(2) is second
    assert waiting.answered_by({"id": 1}) is first
    assert waiting.answered_by("1}") is first


def test_one_that_waits_alone_is_answered_in_whatever_words() -> None:
    waiting, (only,) = exchanges("hello")
    assert waiting.answered_by("goodbye") is only
    assert waiting.answered_by(lambda said: True) is only


@pytest.mark.parametrize("matching", [lambda said: True, "hello", "other", 3])
def test_nothing_is_paired_by_chance(matching: Matching) -> None:
    waiting, (_, second, _) = exchanges("hello", "hello", "3")
    with pytest.raises(UsageError, match="say which, with to="):
        waiting.answered_by(matching)
    assert waiting.answered_by(matching, second) is second


def test_a_message_has_one_answer() -> None:
    waiting, (only,) = exchanges("hello")
    waiting.remove(only)
    assert waiting.answered_by("hello") is None
    with pytest.raises(UsageError, match="has its answer already"):
        waiting.answered_by("hello", only)
