"""Heads, bodies, cookies and streams as a client reads them, and forms as it sends them."""

import gzip
import io
import zlib

import brotli
import pytest
from django.http import QueryDict

from benchsuite.core.exceptions import AnswerError
from benchsuite.load.client.http import answer, streams
from benchsuite.load.client.http.answer import (
    NotDecoded,
    Response,
    codings_of,
    decoded,
    simple_head,
)
from benchsuite.load.client.http.request import FORM, Cookies, encode_body, encode_query
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


def test_the_same_bytes_give_the_same_head():
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
def test_anything_else_takes_the_parser(head):
    assert simple_head(head) is None


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


def test_what_nobody_here_can_undo_is_named():
    with pytest.raises(NotDecoded, match="'zstd', which can't be undone here; known are gzip"):
        decoded(gzip.compress(TEXT), codings_of(["zstd, gzip"]), whole=True)


@pytest.mark.parametrize("header", ["gzip", "deflate", "br"])
def test_a_small_body_that_becomes_huge_is_not_kept_whole(monkeypatch, header):
    monkeypatch.setattr(answer, "KEPT_BYTES", 1000)
    huge = b"x" * 10_000_000
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[header](huge)
    plain = decoded(packed, [header], whole=True)
    assert 1000 <= len(plain) < 100_000
    assert huge.startswith(decoded(packed[: len(packed) // 2], [header], whole=False))


def test_no_cookies_need_no_header():
    assert Cookies({}).header_line == ""


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


@pytest.mark.parametrize(
    "attributes",
    [
        "Max-Age=60; expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "Max-Age=soon",
        "expires=whenever",
        "Expires=Fri, 01 Jan 2100 00:00:00 GMT",
        "HttpOnly; Secure",
    ],
)
def test_other_cookies_stay(attributes):
    cookies = Cookies({})
    cookies.take([f"a=1; {attributes}"])
    assert cookies["a"] == "1"


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


def test_what_is_no_cookie_is_left_out():
    cookies = Cookies({})
    cookies.take(["nonsense", "=value", ""])
    assert cookies.header_line == ""


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
def test_events_are_the_same_wherever_the_stream_is_cut(piece):
    parser = Parser()
    pieces = (STREAM[at : at + piece] for at in range(0, len(STREAM), piece))
    assert [event for one in pieces for event in parser.feed(one)] == EVENTS


def test_an_id_with_a_nul_is_none():
    assert list(Parser().feed(b"id: a\0b\ndata: x\n\n")) == [Event(None, "message", "x")]


def test_an_event_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(streams, "KEPT_BYTES", 100)
    parser = Parser()
    for _ in range(10):
        assert list(parser.feed(b"data: " + b"x" * 50 + b"\n\n"))
    with pytest.raises(TooLong, match="100 bytes"):
        list(parser.feed(b"data: " + b"x" * 100))


def test_a_form_is_urlencoded():
    answer = encode_body({"name": "Zoë & co", "tag": ["a", "b"], "n": 1}, FORM)
    read = QueryDict(answer, encoding="utf-8")
    assert read.dict() == {"name": "Zoë & co", "tag": "b", "n": "1"}
    assert read.getlist("tag") == ["a", "b"]


@pytest.mark.parametrize(
    ("data", "content_type", "body"),
    [
        ({"a": [1, None]}, "application/json", b'{"a": [1, null]}'),
        ([1], "application/vnd.api+json; charset=utf-8", b"[1]"),
        ('{"a":1}', "application/json", b'{"a":1}'),
        (b"\x00\xff", "application/octet-stream", b"\x00\xff"),
        ("grüß", "text/plain", "grüß".encode()),
        (None, FORM, b""),
        ({}, FORM, b""),
    ],
)
def test_other_bodies(data, content_type, body):
    assert encode_body(data, content_type) == body


@pytest.mark.parametrize(
    ("data", "content_type", "words"),
    [
        ({"a": None}, FORM, "'a' is None"),
        ({"file": io.BytesIO(b"x")}, FORM, "'file' is a file"),
        ({"a": 1}, "text/xml", "pass str or bytes"),
    ],
)
def test_what_cannot_be_sent_is_an_error(data, content_type, words):
    with pytest.raises(TypeError, match=words):
        encode_body(data, content_type)


def test_a_query_has_its_question_mark():
    assert encode_query({"q": "a b", "p": [1, 2]}) == "?q=a+b&p=1&p=2"
    assert encode_query({}) == encode_query(None) == ""


FIELDS = [("Content-Type", "text/html"), ("Vary", "Cookie"), ("vary", "Accept")]


def test_headers_are_found_in_any_case():
    headers = Response("/", 200, b"", FIELDS).headers
    assert headers["content-type"] == headers["CONTENT-TYPE"] == "text/html"
    assert headers.get("VARY") == "Cookie, Accept"
    assert "Content-Type" in headers
    assert "Location" not in headers
    assert headers.get("Location", "none") == "none"
    with pytest.raises(KeyError):
        headers["Location"]


def test_the_body_as_text_and_as_json():
    assert (
        Response("/", 200, "grüß \N{SNOWMAN}".encode() + b"\xff", []).text
        == "grüß ☃\N{REPLACEMENT CHARACTER}"
    )
    assert Response("/", 200, b'{"a": [1]}', []).json() == {"a": [1]}


def test_a_body_that_is_no_json_is_a_wrong_answer():
    with pytest.raises(AnswerError, match="expected JSON, and got b'<html>"):
        Response("/", 200, b"<html>" + b"x" * 100, []).json()
