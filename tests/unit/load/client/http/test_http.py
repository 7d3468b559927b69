"""Heads, bodies, cookies and streams as a client reads them, and forms as it sends them."""

import gzip
import zlib

import brotli
import pytest

from benchsuite.load.client.http import answer, streams
from benchsuite.load.client.http.answer import (
    NotDecoded,
    codings_of,
    decoded,
    simple_head,
)
from benchsuite.load.client.http.client import Cookies
from benchsuite.load.client.http.streams import Event, Parser, TooLong


def text(*lines: str, status: str = "HTTP/1.1 200 OK") -> bytes:
    return "".join(f"{line}\r\n" for line in (status, *lines, "")).encode("latin-1")


def test_a_head_with_a_length_is_read():
    head = simple_head(text("Content-Length: 12", "X-A: b", "Set-Cookie: a=1", "set-cookie: b=2"))
    assert head is not None
    assert (head.status, head.length, head.closing) == (200, 12, False)
    assert list(head)[:2] == [("Content-Length", "12"), ("X-A", "b")]
    assert head.values("set-cookie") == ["a=1", "b=2"]


@pytest.mark.parametrize(("pid", "process"), [("4711", 4711 % 255 + 1), ("", 0), ("none", 0)])
def test_the_process_is_that_which_the_run_says(pid, process):
    head = simple_head(text("Content-Length: 12", f"X-Benchsuite-Process: {pid}"))
    assert head is not None
    assert head.process == process


def test_values_lose_the_space_around_them_and_keep_their_colons():
    head = simple_head(text("content-length:2", "Location: \t http://a:1/ \t", "Empty:"))
    assert head is not None
    assert list(head)[1:] == [("Location", "http://a:1/"), ("Empty", "")]


@pytest.mark.parametrize(
    ("connection", "closing"), [("close", True), ("Close", True), ("keep-alive", False)]
)
def test_the_end_of_the_connection_is_told(connection, closing):
    head = simple_head(text("Content-Length: 0", f"Connection: {connection}"))
    assert head is not None
    assert head.closing is closing


TEXT = b"Fifty words, fifty words. " * 50
RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)
UNFRAMED = RAW.compress(TEXT) + RAW.flush()

WHOLE = {
    "gzip": gzip.compress(TEXT, mtime=0),
    "x-gzip": gzip.compress(TEXT[:50], mtime=0) + gzip.compress(TEXT[50:], mtime=0),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT, mtime=0)),
    "br, identity, gzip": gzip.compress(brotli.compress(TEXT), mtime=0),
}


@pytest.mark.parametrize(("header", "content"), [*WHOLE.items(), ("Deflate", UNFRAMED)])
def test_it_is_undone(header, content):
    assert decoded(content, codings_of([header]), whole=True) == TEXT
    assert decoded(b"", codings_of([header]), whole=True) == b"", "nothing has no coding"


@pytest.mark.parametrize(("header", "content"), [*WHOLE.items(), ("deflate", UNFRAMED)])
def test_what_is_cut_off_or_goes_on_is_no_body(header, content):
    codings = codings_of(header.split(", "))
    for length in (1, len(content) // 2, len(content) - 1):
        with pytest.raises(NotDecoded):
            decoded(content[:length], codings, whole=True)
    with pytest.raises(NotDecoded):
        decoded(content + b"OK", codings, whole=True)
    with pytest.raises(NotDecoded):
        decoded(b"OK, and " + content, codings, whole=True)


@pytest.mark.parametrize("header", ["gzip", "deflate", "br"])
def test_a_small_body_that_becomes_huge_is_not_kept_whole(monkeypatch, header):
    monkeypatch.setattr(answer, "KEPT_BYTES", 1000)
    huge = b"x" * 10_000_000
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[header](huge)
    plain = decoded(packed, [header], whole=True)
    assert 1000 <= len(plain) < 100_000
    assert huge.startswith(decoded(packed[: len(packed) // 2], [header], whole=False))


def test_the_first_cookies_are_sent():
    assert Cookies({"sessionid": "a", "b": "c"}).header_line == "Cookie: sessionid=a; b=c\r\n"


def test_a_set_cookie_replaces_the_value():
    cookies = Cookies({"csrftoken": "old"})
    cookies.take(["csrftoken=new; Path=/; Max-Age=31449600; SameSite=Lax", 'q="a b"'])
    assert cookies["csrftoken"] == "new"
    assert cookies.header_line == 'Cookie: csrftoken=new; q="a b"\r\n'


@pytest.mark.parametrize(
    "attributes",
    [
        "Max-Age=0",
        "max-age=-1; expires=Fri, 01 Jan 2100 00:00:00 GMT",
        "expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/",
    ],
)
def test_a_cookie_that_expires_is_forgotten(attributes):
    cookies = Cookies({"sessionid": "a"})
    cookies.take([f'sessionid=""; {attributes}'])
    assert "sessionid" not in cookies
    assert cookies.header_line == ""


def test_a_fresh_visitor_has_what_was_there_at_first():
    given = {"sessionid": "a", "lang": "de"}
    cookies = Cookies(given)
    cookies.take(["sessionid=b", "lang=; Max-Age=0", "cart=7"])
    cookies.forget()
    assert cookies.header_line == "Cookie: sessionid=a; lang=de\r\n"
    cookies.take(["sessionid=c"])
    assert given == {"sessionid": "a", "lang": "de"}
    cookies.forget()
    assert cookies["sessionid"] == "a"


STREAM = (
    b"\xef\xbb\xbf: a comment\n\n"
    b"id: 1\ndata: one\n\n"
    b"event: add\r\nid:2\r\ndata:two\r\ndata:  lines\r\n\r\n"
    b"data: no id\r\rretry: 100\n\n"
    b"id: 3\n\n"
    b"data\ndata: \xc3\xa4\n\n"
    b"data: never ends\n"
)


def test_an_id_with_a_nul_is_none():
    assert list(Parser().feed(b"id: a\0b\ndata: x\n\n")) == [Event(None, "message", "x")]


def test_an_event_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(streams, "KEPT_BYTES", 100)
    parser = Parser()
    for _ in range(10):
        assert list(parser.feed(b"data: " + b"x" * 50 + b"\n\n"))
    with pytest.raises(TooLong, match="100 bytes"):
        list(parser.feed(b"data: " + b"x" * 100))


FIELDS = [("Content-Type", "text/html"), ("Vary", "Cookie"), ("vary", "Accept")]


def test_values(golden):
    golden.values(raises=(KeyError, NotDecoded, TypeError))
