"""Each refusal says what was asked, what came back and what to do."""

from dataclasses import replace
from typing import Any

import pytest

from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.client.failures import Failure
from benchsuite.load.client.failures import refusal_sentence as sentence_for
from benchsuite.load.client.target import Target
from benchsuite.load.job import Job


def failure(**fields: object) -> Failure:
    return Failure(**{"message": "m", "method": "GET", "path": "/shop/", **fields})  # type: ignore[arg-type]


def sentence(failure: Failure, **fields: Any) -> str:
    job = Job(
        base_url="http://127.0.0.1:8000",
        run_header="",
        workload_class="",
        workload=WorkloadSpec(),
        load=LoadProfile(),
        spool="",
    )
    return sentence_for(failure, replace(Target.of(job), **fields))


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
    assert words in sentence(failure(kind=Kind.HTTP_STATUS, status=status))


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("/accounts/login/?next=/shop/", "a signed-in user"),
        ("https://127.0.0.1/shop/", "SECURE_SSL_REDIRECT = False"),
        ("/shop/new/", "ask for that path"),
    ],
)
def test_redirects(location: str, words: str) -> None:
    told = sentence(failure(kind=Kind.WRONG_BODY, status=302, location=location))
    assert told.startswith(f"GET /shop/ redirected to {location} (status 302): ")
    assert words in told


@pytest.mark.parametrize(
    ("given", "session", "words"),
    [
        ("as eve (created: no permissions)", (True, False), "--login=USER:superuser or :staff"),
        ("as eve (found in the data: superuser)", (True, True), "something other than rights"),
        (
            "with --cookie sid=…",
            (False, False),
            "a session of yours is not in the throw-away database",
        ),
    ],
)
def test_advice_for_who_is_refused_looks_at_what_was_given(
    given: str, session: tuple[bool, bool], words: str
) -> None:
    logged_in, superuser = session
    for answer in (
        failure(kind=Kind.HTTP_STATUS, status=403),
        failure(kind=Kind.WRONG_BODY, status=302, location="/accounts/login/?next=/shop/"),
    ):
        told = sentence(answer, given=given, logged_in=logged_in, superuser=superuser)
        assert f"asked {given}" in told
        assert words in told
        assert "name one with" not in told
    socket = failure(kind=Kind.HTTP_STATUS, status=403, method="WebSocket")
    assert f"refuses it, as who asks {given}" in sentence(socket, given=given)
    assert "nobody is signed in" in sentence(socket)


def test_a_wrong_body_shows_how_it_begins_once() -> None:
    wrong = failure(
        kind=Kind.WRONG_BODY, status=200, message="no price in the page", body=b"x" * 100
    )
    told = sentence(wrong)
    assert told == (
        "GET /shop/ answered 200, but the journey says: no price in the page; its body begins with "
        f"{b'x' * 60!r}."
    )
    shown = failure(kind=Kind.WRONG_BODY, status=200, message="got b'KO'", body=b"KO")
    assert sentence(shown).count("b'KO'") == 1


def test_another_process() -> None:
    other = failure(kind=Kind.WRONG_RESPONDER, status=200)
    assert "another process answers on 127.0.0.1:8000" in sentence(other)


@pytest.mark.parametrize(
    ("kind", "words"),
    [(Kind.READ_TIMEOUT, "more time with --timeout"), (Kind.RESET, "the server's log may say why")],
)
def test_no_answer(kind: Kind, words: str) -> None:
    told = sentence(failure(kind=kind, message="it broke"))
    assert told.startswith("GET /shop/ on 127.0.0.1:8000 failed: it broke; ")
    assert words in told
