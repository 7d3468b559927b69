"""What kind of failure an answer is."""

from types import SimpleNamespace
from typing import Any

import pytest

from benchsuite.core.exceptions import AnswerError, StatusError
from benchsuite.core.samples import Kind
from benchsuite.load.client.failures import (
    kind_of_rejected,
    kind_of_responder,
    kind_of_status,
    leads_to_log_in,
)


@pytest.mark.parametrize(
    "location",
    [
        *("/login", "/accounts/login/?next=/", "/Log-In/", "/log_in/", "/users/sign_in"),
        *("/signin/", "https://id.example/realms/x/login?a=1", "/willkommen/?next=%2Fshop%2F"),
        *("/willkommen/?lang=de&next=/shop/", "/LoginForm.jsp", "/userlogin", "/wp-login.php"),
    ],
)
def test_log_in_pages_are_known_by_their_address(location: str) -> None:
    assert leads_to_log_in(location)


@pytest.mark.parametrize(
    "location",
    [
        *("/", "/shop/next/", "/?contextnext=1", "//login.example/a/"),
        *("/catalog-index/", "/blog-info/", "/blogindex/", "/design-inspiration/", "/signing/"),
    ],
)
def test_other_addresses_are_not(location: str) -> None:
    assert not leads_to_log_in(location)


def came(status: int, location: str = "", **more: Any) -> Any:
    headers = {"Location": location} if location else {}
    return SimpleNamespace(status_code=status, headers=headers, **more)


@pytest.mark.parametrize(
    ("answer", "error", "kind"),
    [
        (came(302, "/login/"), AssertionError(), Kind.LOG_IN),
        (came(302, "/shop/"), StatusError("302"), Kind.REDIRECTED),
        (came(304), StatusError("304"), Kind.HTTP_STATUS),
        (came(200), StatusError("200"), Kind.HTTP_STATUS),
        (came(200), AnswerError("no price"), Kind.WRONG_BODY),
        (came(200, redirect_chain=[("/login/", 302)]), AnswerError("no price"), Kind.LOG_IN),
        (came(200, redirect_chain=[("/shop/", 301)]), AnswerError("no price"), Kind.WRONG_BODY),
        (came(200, history=[came(302, "/login/")]), AnswerError("no price"), Kind.LOG_IN),
        (None, AnswerError("no such message"), Kind.WRONG_BODY),
    ],
)
def test_what_a_journey_calls_wrong(answer: Any, error: Exception, kind: Kind) -> None:
    assert kind_of_rejected(answer, error) is kind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (403, b"<p>CSRF verification failed. Request aborted.</p>", Kind.CSRF),
        (403, b"Forbidden", Kind.HTTP_STATUS),
        (500, b"CSRF", Kind.HTTP_STATUS),
    ],
)
def test_refusals(status: int, body: bytes, kind: Kind) -> None:
    found, words = kind_of_status(status, body)
    assert found is kind
    assert f"status {status}" in words


def test_each_kind_has_words_of_its_own() -> None:
    assert len({kind.words for kind in Kind}) == len(Kind)
    assert Kind.LOG_IN.words == "redirected to log-in"


@pytest.mark.parametrize(
    ("wanted", "found", "may_lack"),
    [("token", "token", False), ("token", None, True), ("", "another", False)],
)
def test_the_runs_own_server_answers(wanted: str, found: str | None, may_lack: object) -> None:
    assert kind_of_responder(wanted, found, may_lack=bool(may_lack)) is None


@pytest.mark.parametrize("found", ["another", None])
def test_another_server_answers(found: str | None) -> None:
    judged = kind_of_responder("token", found, may_lack=found is not None)
    assert judged is not None
    assert judged[0] is Kind.WRONG_RESPONDER
