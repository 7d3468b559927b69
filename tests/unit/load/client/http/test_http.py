"""Heads, bodies, cookies and streams as a client reads them, and forms as it sends them."""

import gzip
import zlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import brotli
import pytest

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import Kind
from benchsuite.load.client.http import answer, client, connection, streams
from benchsuite.load.client.http.answer import Head, NotDecoded, codings_of, decoded
from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.http.streams import Parser
from benchsuite.load.client.link import ConnectionFailed
from benchsuite.load.client.target import Gate, Recorder
from tests.unit.load.parent.test_driver import JOB


def text(*lines, status="HTTP/1.1 200 OK"):
    return "".join(f"{line}\r\n" for line in (status, *lines, "")).encode("latin-1")


TEXT = b"Fifty words, fifty words. " * 50

WHOLE = {
    "gzip": gzip.compress(TEXT, mtime=0),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT, mtime=0)),
    "br, identity, gzip": gzip.compress(brotli.compress(TEXT), mtime=0),
}


@pytest.mark.parametrize(("header", "content"), WHOLE.items())
def test_it_is_undone(header, content):
    assert decoded(content, codings_of([header]), whole=True) == TEXT
    assert decoded(b"", codings_of([header]), whole=True) == b"", "nothing has no coding"


@pytest.mark.parametrize(("header", "content"), WHOLE.items())
def test_what_is_cut_off_or_goes_on_is_no_body(header, content):
    codings = codings_of(header.split(", "))
    for length in (1, len(content) // 2, len(content) - 1):
        with pytest.raises(NotDecoded):
            decoded(content[:length], codings, whole=True)
    with pytest.raises(NotDecoded):
        decoded(content + b"OK", codings, whole=True)
    with pytest.raises(NotDecoded):
        decoded(b"OK, and " + content, codings, whole=True)


def test_a_gzip_of_several_members_is_one_body():
    members = gzip.compress(TEXT[:99]), gzip.compress(b""), gzip.compress(TEXT[99:])
    assert decoded(b"".join(members), ["gzip"], whole=True) == TEXT
    for wrong in (b"".join(members)[:-1], b"".join(members) + b"\x1f", members[0] + b"\x1f\x8bOK"):
        with pytest.raises(NotDecoded):
            decoded(wrong, ["gzip"], whole=True)


@pytest.mark.parametrize("header", ["gzip", "deflate", "br"])
def test_a_small_body_that_becomes_huge_is_not_kept_whole(monkeypatch, header):
    monkeypatch.setattr(answer, "KEPT_BYTES", 1000)
    huge = b"x" * 10_000_000
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[header](huge)
    plain = decoded(packed, [header], whole=True)
    assert 1000 <= len(plain) < 100_000
    assert huge.startswith(decoded(packed[: len(packed) // 2], [header], whole=False))


STREAM = (
    b": a comment\n\n"
    b"id: 1\ndata: one\n\n"
    b"event: add\r\nid:2\r\ndata:two\r\ndata:  lines\r\n\r\n"
    b"data: no id\r\rretry: 100\n\n"
    b"id: 3\n\n"
    b"data\ndata: \xc3\xa4\n\n"
    b"data: never ends\n"
)


def test_an_event_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(streams, "KEPT_BYTES", 100)
    parser = Parser()
    for _ in range(10):
        assert list(parser.feed(b"data: " + b"x" * 50 + b"\n\n"))
    with pytest.raises(ConnectionFailed, match="100 bytes"):
        list(parser.feed(b"data: " + b"x" * 100))


def a_user(monkeypatch, *heads):
    """A client whose connection answers with these."""
    coming = iter(heads)
    connection = SimpleNamespace(exchange=lambda *_: (next(coming), b""), arrived=0.0)
    monkeypatch.setattr(client, "Connection", lambda target: connection)
    target = SimpleNamespace(base_url="http://shop", job=replace(JOB, run_header=""))
    return HttpClient(target, Recorder(), Gate(), user=0)


def test_a_wanted_status_is_wanted_where_redirects_end(monkeypatch):
    user = a_user(monkeypatch, Head(301, [("Location", "/gone/")]), Head(404), Head(404))
    answer = user.get("/old/", follow=True, status=404)
    assert (answer.status_code, answer.redirect_chain) == (404, [("/gone/", 301)])
    assert user.failed is None
    user.get("/gone/")
    assert user.failed.status == 404, "the next request wants another"


def test_what_is_only_looked_at_may_be_missing(monkeypatch):
    user = a_user(monkeypatch, Head(404), Head(404))
    added: list[tuple[int, Kind]] = []
    monkeypatch.setattr(user.recorder, "add", lambda *sample: added.append(sample))
    assert user.look("/static/site.css").status_code == 404
    user.reject(AnswerError("no form"), "no form")
    assert (user.failed, [kind for _, kind, *_ in added]) == (None, [Kind.OK])
    user.get("/gone/")
    assert user.failed.status == 404, "what is asked for may not"


def test_a_cookie_goes_back_with_the_bytes_that_came():
    answer = connection._Answer("GET")
    head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=ж\r\n\r\n"
    connection.Connection._feed(cast(Any, None), answer, head.encode())
    cookies = client.Cookies({})
    cookies.take([answer["set-cookie"]])
    assert cookies.header_line.encode("latin-1") == "Cookie: a=ж\r\n".encode()


def test_a_redirect_to_what_is_no_address_is_told(monkeypatch):
    moved = Head(302, [("Location", "http://[name]/")])
    user = a_user(monkeypatch, moved, moved)
    with pytest.raises(AnswerError, match="redirected to another host"):
        user.get("/old/", follow=True)
    user.get("/old/")
    user.reject(AssertionError(), "no page")
    assert user.failed.kind is Kind.REDIRECTED


@pytest.mark.parametrize("there", ["http://SHOP/new/", "http://shop:80/new/", "//Shop:80/new/"])
def test_a_host_is_the_same_in_other_letters_and_with_its_usual_port(monkeypatch, there):
    user = a_user(monkeypatch, Head(302, [("Location", there)]), Head(200))
    assert user.get("/old/", follow=True).path == "/new/"


def test_a_query_takes_the_place_of_the_paths_own(monkeypatch):
    user = a_user(monkeypatch, *[Head(200)] * 4)
    assert user.get("/list/?page=2", {"q": "a b"}).path == "/list/?q=a+b", "as in Django's client"
    assert user.get("/list/", {"q": "c"}).path == "/list/?q=c"
    for empty in ({}, {"q": []}):
        assert user.get("/list/?page=2", empty).path == "/list/?page=2"


FIELDS = [("Content-Type", "text/html"), ("Vary", "Cookie"), ("vary", "Accept")]


def test_values(golden):
    golden.values(raises=(KeyError, NotDecoded, TypeError))
