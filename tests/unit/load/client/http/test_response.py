"""An answer reads as Django's response does."""

import pytest

from benchsuite.core.exceptions import AnswerError
from benchsuite.load.client.http.answer import Response

FIELDS = [("Content-Type", "text/html"), ("Vary", "Cookie"), ("vary", "Accept")]


def test_headers_are_found_in_any_case() -> None:
    headers = Response("/", 200, b"", FIELDS).headers
    assert headers["content-type"] == headers["CONTENT-TYPE"] == "text/html"
    assert headers.get("VARY") == "Cookie, Accept"
    assert "Content-Type" in headers
    assert "Location" not in headers
    assert headers.get("Location", "none") == "none"
    with pytest.raises(KeyError):
        headers["Location"]


def test_the_body_as_text_and_as_json() -> None:
    assert (
        Response("/", 200, "grüß \N{SNOWMAN}".encode() + b"\xff", []).text
        == "grüß ☃\N{REPLACEMENT CHARACTER}"
    )
    assert Response("/", 200, b'{"a": [1]}', []).json() == {"a": [1]}


def test_a_body_that_is_no_json_is_a_wrong_answer() -> None:
    with pytest.raises(AnswerError, match="expected JSON, and got b'<html>"):
        Response("/", 200, b"<html>" + b"x" * 100, []).json()
