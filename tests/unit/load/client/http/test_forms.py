"""Bodies as a Django view reads them."""

import io
from typing import Any

import pytest
from django.http import QueryDict

from benchsuite.load.client.http.request import FORM, encode_body, encode_query


def test_a_form_is_urlencoded() -> None:
    body = encode_body({"name": "Zoë & co", "tag": ["a", "b"], "n": 1}, FORM)
    read = QueryDict(body, encoding="utf-8")
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
def test_other_bodies(data: Any, content_type: str, body: bytes) -> None:
    assert encode_body(data, content_type) == body


@pytest.mark.parametrize(
    ("data", "content_type", "words"),
    [
        ({"a": None}, FORM, "'a' is None"),
        ({"file": io.BytesIO(b"x")}, FORM, "'file' is a file"),
        ({"a": 1}, "text/xml", "pass str or bytes"),
    ],
)
def test_what_cannot_be_sent_is_an_error(data: Any, content_type: str, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        encode_body(data, content_type)


def test_a_query_has_its_question_mark() -> None:
    assert encode_query({"q": "a b", "p": [1, 2]}) == "?q=a+b&p=1&p=2"
    assert encode_query({}) == encode_query(None) == ""
