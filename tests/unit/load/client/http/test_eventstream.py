"""Server-sent events as the HTML standard has them read, however the stream is cut."""

import pytest

from benchsuite.load.client.http import streams
from benchsuite.load.client.http.streams import Event, Parser, TooLong

STREAM = (
    b"\xef\xbb\xbf: a comment\n\n"
    b"id: 1\ndata: one\n\n"
    b"event: add\r\nid:2\r\ndata:two\r\ndata:  lines\r\n\r\n"
    b"data: no id\r\rretry: 100\n\n"
    b"id: 3\n\n"
    b"data\ndata: \xc3\xa4\n\n"
    b"data: never ends\n"
)
EVENTS = [
    Event("1", "message", "one"),
    Event("2", "add", "two\n lines"),
    Event(None, "message", "no id"),
    Event("3", "message", "\nä"),
]


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
def test_events_are_the_same_wherever_the_stream_is_cut(piece: int) -> None:
    parser = Parser()
    pieces = (STREAM[at : at + piece] for at in range(0, len(STREAM), piece))
    assert [event for one in pieces for event in parser.feed(one)] == EVENTS


def test_an_id_with_a_nul_is_none() -> None:
    assert list(Parser().feed(b"id: a\0b\ndata: x\n\n")) == [Event(None, "message", "x")]


def test_an_event_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "KEPT_BYTES", 100)
    parser = Parser()
    for _ in range(10):
        assert list(parser.feed(b"data: " + b"x" * 50 + b"\n\n"))
    with pytest.raises(TooLong, match="100 bytes"):
        list(parser.feed(b"data: " + b"x" * 100))
