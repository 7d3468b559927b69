"""Each refusal says what was asked, what came back and what to do."""

import pytest

from benchsuite.core.samples import Kind
from benchsuite.load.client.refusal import Failure, sentence


def failure(**fields: object) -> Failure:
    return Failure(**{"message": "m", "method": "GET", "path": "/shop/", **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "GET /shop/ answered 404: nothing is there; look at the path"),
        (403, "GET /shop/ answered 403: the page wants a signed-in user"),
        (400, "ALLOWED_HOSTS"),
        (500, "GET /shop/ answered 500: something fails in the server."),
        (405, "GET /shop/ answered 405: the page does not take this request."),
    ],
)
def test_statuses(status: int, words: str) -> None:
    assert words in sentence(failure(kind=Kind.HTTP_STATUS, status=status), host="h:1")


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("/accounts/login/?next=/shop/", "a signed-in user"),
        ("https://127.0.0.1/shop/", "SECURE_SSL_REDIRECT = False"),
        ("/shop/new/", "ask for that path"),
    ],
)
def test_redirects(location: str, words: str) -> None:
    told = sentence(failure(kind=Kind.WRONG_BODY, status=302, location=location), host="h:1")
    assert told.startswith(f"GET /shop/ redirected to {location} (status 302): ")
    assert words in told


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("as eve (created: no permissions)", "--login=USER:superuser or :staff"),
        ("as eve (found in the data: superuser)", "something other than rights"),
        ("with --cookie sid=…", "a session of yours is not in the throw-away database"),
    ],
)
def test_advice_for_who_is_refused_looks_at_what_was_given(given: str, words: str) -> None:
    for answer in (
        failure(kind=Kind.HTTP_STATUS, status=403),
        failure(kind=Kind.WRONG_BODY, status=302, location="/accounts/login/?next=/shop/"),
    ):
        told = sentence(answer, host="h:1", given=given)
        assert f"asked {given}" in told
        assert words in told
        assert "name one with" not in told
    socket = failure(kind=Kind.HTTP_STATUS, status=403, method="WebSocket")
    assert f"refuses it, as who asks {given}" in sentence(socket, host="h:1", given=given)
    assert "nobody is signed in" in sentence(socket, host="h:1")


def test_a_wrong_body_shows_how_it_begins_once() -> None:
    wrong = failure(
        kind=Kind.WRONG_BODY, status=200, message="no price in the page", body=b"x" * 100
    )
    told = sentence(wrong, host="h:1")
    assert told == (
        "GET /shop/ answered 200, but the journey says: no price in the page; its body begins with "
        f"{b'x' * 60!r}."
    )
    shown = failure(kind=Kind.WRONG_BODY, status=200, message="got b'KO'", body=b"KO")
    assert sentence(shown, host="h:1").count("b'KO'") == 1


def test_another_process() -> None:
    other = failure(kind=Kind.WRONG_RESPONDER, status=200)
    assert "another process answers on 127.0.0.1:8000" in sentence(other, host="127.0.0.1:8000")


@pytest.mark.parametrize(
    ("kind", "words"),
    [(Kind.READ_TIMEOUT, "more time with --timeout"), (Kind.RESET, "the server's log may say why")],
)
def test_no_answer(kind: Kind, words: str) -> None:
    told = sentence(failure(kind=kind, message="it broke"), host="127.0.0.1:8000")
    assert told.startswith("GET /shop/ on 127.0.0.1:8000 failed: it broke; ")
    assert words in told
