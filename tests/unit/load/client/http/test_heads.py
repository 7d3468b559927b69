"""Which heads are read here, which are left to the parser, and what is read in them."""

import pytest

from benchsuite.load.client.http.answer import simple_head


def text(*lines: str, status: str = "HTTP/1.1 200 OK") -> bytes:
    return "".join(f"{line}\r\n" for line in (status, *lines, "")).encode("latin-1")


def test_a_head_with_a_length_is_read() -> None:
    head = simple_head(text("Content-Length: 12", "X-A: b", "Set-Cookie: a=1", "set-cookie: b=2"))
    assert head is not None
    assert (head.status, head.length, head.closing) == (200, 12, False)
    assert list(head)[:2] == [("Content-Length", "12"), ("X-A", "b")]
    assert head.values("set-cookie") == ["a=1", "b=2"]


@pytest.mark.parametrize(("pid", "process"), [("4711", 4711 % 255 + 1), ("", 0), ("none", 0)])
def test_the_process_is_that_which_the_run_says(pid: str, process: int) -> None:
    head = simple_head(text("Content-Length: 12", f"X-Benchsuite-Process: {pid}"))
    assert head is not None
    assert head.process == process


def test_values_lose_the_space_around_them_and_keep_their_colons() -> None:
    head = simple_head(text("content-length:2", "Location: \t http://a:1/ \t", "Empty:"))
    assert head is not None
    assert list(head)[1:] == [("Location", "http://a:1/"), ("Empty", "")]


@pytest.mark.parametrize(
    ("connection", "closing"), [("close", True), ("Close", True), ("keep-alive", False)]
)
def test_the_end_of_the_connection_is_told(connection: str, closing: bool) -> None:  # noqa: FBT001
    head = simple_head(text("Content-Length: 0", f"Connection: {connection}"))
    assert head is not None
    assert head.closing is closing


def test_the_same_bytes_give_the_same_head() -> None:
    assert simple_head(text("Content-Length: 5")) is simple_head(text("Content-Length: 5"))


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(text("Content-Length: 1")[:-2], id="unfinished"),
        pytest.param(text("X: y"), id="no length"),
        pytest.param(text("Content-Length: 1", "Content-Length: 2"), id="two lengths"),
        pytest.param(text("Content-Length: 1, 1"), id="a list of lengths"),
        pytest.param(text("Content-Length: -1"), id="a negative length"),
        pytest.param(text("Content-Length : 1"), id="a space before the colon"),
        pytest.param(text("Content-Length: 1", " folded"), id="a folded line"),
        pytest.param(text("Content-Length: 1", "no colon"), id="no colon"),
        pytest.param(text("Content-Length: 1", "X: a\nY: b"), id="a bare line feed"),
        pytest.param(text("Content-Length: 1", "Transfer-Encoding: chunked"), id="chunked"),
        pytest.param(text("Content-Length: 1", "Connection: upgrade"), id="an upgrade"),
        pytest.param(text("Content-Length: 1", "Connection: close, x"), id="a list"),
        pytest.param(text("Content-Length: 1", status="HTTP/1.0 200 OK"), id="HTTP/1.0"),
        pytest.param(text("Content-Length: 1", status="HTTP/1.1 100 Continue"), id="interim"),
        pytest.param(text("Content-Length: 1", status="HTTP/1.1 304 Not Modified"), id="no body"),
        pytest.param(text("Content-Length: 0", status="HTTP/1.1 204 No Content"), id="empty"),
        pytest.param(text("Content-Length: 1", status="SSH-2.0-x"), id="no HTTP"),
    ],
)
def test_anything_else_takes_the_parser(head: bytes) -> None:
    assert simple_head(head) is None
