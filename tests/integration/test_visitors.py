"""Who makes a journey, a fresh visitor or one who came before, and what a log-in makes of it."""

import pytest

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import Kind
from tests.integration.loads import a_job, load, served
from tests.integration.stubs_http import Behaviour, Request, Responder, answer, every, ok


def redirect(location: str) -> bytes:
    return answer(b"", status=302, more={"Location": location})


def log_in(request: Request) -> bytes:
    """Who is logged in already is sent away, as many pages do."""
    if "cookie" in request.headers:
        return redirect("/members/")
    if request.method == "POST":
        return answer(b"", status=302, more={"Location": "/members/", "Set-Cookie": "sid=eve"})
    return answer(b"who are you?")


def members(request: Request) -> bytes:
    return ok(request) if "sid=eve" in request.headers.get("cookie", "") else redirect("/login/")


def once() -> Behaviour:
    """Welcomes the first, and refuses the others as forms do: with status 200."""
    answers = iter([b"welcome"])
    return lambda request: answer(next(answers, b"this name is taken"))


MEMBERS = {"/login/": log_in, "/members/": members}


@pytest.mark.parametrize(
    "load_of",
    [{"users": 2}, {"model": "open", "arrival_rate": 40.0, "users": 10, "max_in_flight": 4}],
    ids=["users", "arrivals"],
)
def test_each_journey_is_that_of_a_fresh_visitor(tmp_path, load_of):
    result, responder = served(tmp_path, MEMBERS, "LogIn", cookies={}, **load_of)
    journeys = result.kinds("log-in")
    assert set(journeys) == {Kind.OK}
    assert journeys[Kind.OK] > 10
    assert responder.connections <= 1 + 4, "connections are kept, whoever uses them"


def test_users_that_keep_their_cookies_are_refused_a_second_log_in(tmp_path):
    with (
        Responder(MEMBERS) as responder,
        pytest.raises(AnswerError, match="answered correctly, the second was not"),
    ):
        load(tmp_path, a_job(responder, "LogIn", keep_cookies=True))
    assert responder.seen == {"/login/": 3, "/members/": 1}


def test_what_can_be_made_only_once_is_told_before_the_load(tmp_path):
    with (
        Responder({"/sign-up/": once()}) as responder,
        pytest.raises(AnswerError, match=r"may exist only once.*POST /sign-up/.*name is taken"),
    ):
        load(tmp_path, a_job(responder, "SignUp"))
    assert responder.seen == {"/sign-up/": 2}


@pytest.mark.parametrize(
    ("workload", "other", "kind", "words"),
    [
        ("Get", redirect("/accounts/login/?next=/"), Kind.LOG_IN, "to /accounts/login/?next=/"),
        ("Get", redirect("/welcome?a=1&next=%2F"), Kind.LOG_IN, "to /welcome?a=1&next=%2F"),
        ("Followed", redirect("/login/"), Kind.LOG_IN, "who are you?"),
        ("Get", redirect("/elsewhere/"), Kind.REDIRECTED, "to /elsewhere/"),
        ("Get", answer(b"", status=204), Kind.HTTP_STATUS, "expected status 200, and got 204"),
        ("Get", answer(b"KO"), Kind.WRONG_BODY, "b'KO'"),
        ("Form", answer(b"CSRF-Verifizierung", status=403), Kind.CSRF, "the CSRF check refused"),
        ("Form", answer(b"no", status=403), Kind.HTTP_STATUS, "status 403"),
    ],
)
def test_the_kind_of_a_failure_is_what_happened(tmp_path, workload, other, kind, words):
    result, _ = served(
        tmp_path, {"/": every(5, lambda request: other), **MEMBERS}, workload, duration_s=0.2
    )
    kinds = result.kinds(workload.lower())
    assert set(kinds) == {Kind.OK, kind}
    assert words in result.example(workload.lower(), kind)
