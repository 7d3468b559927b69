"""The url workload: paths in order, and clear words about what came instead."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.test import Client
from django.urls import path

from benchsuite.core.exceptions import AnswerError, UsageError
from benchsuite.core.specs import DatabaseSpec
from benchsuite.workloads.url import Url

seen: list[str] = []


def page(request: HttpRequest) -> HttpResponse:
    seen.append(request.path)
    down = "<title>Down for a while</title>" if "X-Down" in request.headers else ""
    return HttpResponse(f"{down}Your shopping cart")


def private(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect("/login/?next=/private/")


def broken(request: HttpRequest) -> HttpResponse:
    return HttpResponse("sorry", status=500)


def moody(request: HttpRequest) -> HttpResponse:
    return HttpResponse("well", content_type=request.headers.get("Accept", "text/html"))


urlpatterns = [
    path("moody/", moody),
    path("shop/", page),
    path("cart/", page),
    path("private/", private),
    path("broken/", broken),
]
pytestmark = pytest.mark.urls(__name__)


def test_pages_are_visited_in_order() -> None:
    seen.clear()
    Url(path="/shop/, /cart/").journey(Client())
    assert seen == ["/shop/", "/cart/"]


def test_the_server_is_ready_when_the_first_page_answers() -> None:
    assert Url(path="/cart/,/shop/").ready_path == "/cart/"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"path": "/private/"}, r"/private/: .*302 \(to /login/\?next=/private/\)"),
        ({"path": "/shop/,/broken/"}, "/broken/: .*500"),
        ({"path": "/nowhere/"}, "/nowhere/: .*404"),
        ({"path": "/shop/", "expect": "Thank you"}, "/shop/: expected 'Thank you'"),
        ({"path": "/shop/,/cart/", "expect": "cart\n/cart/=Total"}, "/cart/: expected 'Total'"),
        ({"path": "/shop/,/private/", "status": "/private/=301"}, "/private/: expected status 301"),
        ({"path": "/shop/,/cart/", "status": "/cart/=404"}, "/cart/: expected status 404, .* 200"),
    ],
)
def test_a_wrong_answer_says_where_and_what(given: dict[str, str], words: str) -> None:
    with pytest.raises(AnswerError, match=words):
        Url(**given).journey(Client())


def test_the_expected_text_is_looked_for() -> None:
    Url(path="/shop/", expect="shopping cart").journey(Client())


def test_each_page_may_have_its_own_answer() -> None:
    Url(
        path="/shop/,/private/,/broken/,/nowhere/,/shop/?a=1",
        expect="/shop/=Your\n/shop/=cart\n/shop/?a=1=shopping",
        status="/private/=302\n/broken/=500\n/nowhere/=404",
    ).journey(Client(raise_request_exception=False))
    Url(path="/nowhere/", status="404").journey(Client())


@pytest.mark.parametrize(
    ("given", "rehearsals", "words"),
    [
        (
            {},
            30,
            "/shop/ was compared with 2 rehearsed answers: content type text/html, title none,",
        ),
        (
            {"expect": "/shop/=cart"},
            30,
            "/shop/ was compared with 2 rehearsed answers: the expected text, content type",
        ),
        ({"shape": False}, 1, "Of /shop/ and /cart/, nothing but the status was checked. Another"),
        (
            {"shape": False, "expect": "/cart/=cart"},
            1,
            "Of /shop/, nothing but the status was checked. "
            "Of /cart/, nothing but the status and the text was checked. Another user's page",
        ),
    ],
)
def test_what_is_checked_of_pages_is_told(
    given: dict[str, str], rehearsals: int, words: str
) -> None:
    url = Url(path="/shop/,/cart/", **given)
    assert url.rehearsals == rehearsals
    for _ in range(2):
        url.journey(Client())
    url.rehearsed()
    url.journey(Client())
    assert url.unchecked.startswith(words)


ASKED = {
    "nothing": {},
    "--expect": {"expect": "cart"},
    "--expect of the page": {"expect": "/shop/=cart"},
    "--expect twice": {"expect": "shopping\ncart"},
    "--expect of another page": {"expect": "/cart/=cart"},
    "--status": {"status": "200"},
    "--status of the page": {"status": "/shop/=200"},
    "--status of another page": {"status": "/cart/=200"},
    "--expect and --status": {"expect": "cart", "status": "200"},
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED.keys())
def test_whatever_more_is_asked_of_a_page_must_look_as_it_did(asked: dict[str, str]) -> None:
    """What is shown instead holds the expected text and has the expected status."""
    url = Url(path="/shop/,/cart/", **asked)
    assert url.rehearsals > 1
    url.journey(Client())
    url.rehearsed()
    assert "a stale one may have counted as right" in url.unchecked
    with pytest.raises(
        AnswerError, match=r"/shop/: the answer differs .* title 'Down for a while'"
    ):
        url.journey(Client(headers={"x-down": "1"}))


def test_a_journey_that_checks_and_counts_still_says_what_was_not_checked() -> None:
    class Counted(Url):
        def count(self, database: DatabaseSpec) -> dict[str, int]:
            return {"completions": 1}

        def journey(self, client: Any) -> None:
            super().journey(client)
            assert client

    assert Counted(path="/shop/").unchecked == Url(path="/shop/").unchecked != ""


def test_an_answer_that_looks_otherwise_than_in_the_rehearsal_is_wrong() -> None:
    url = Url(path="/moody/")
    url.journey(Client())
    url.rehearsed()
    words = r"/moody/: .* the 1 rehearsed ones: content type text/plain \(was text/html\)"
    with pytest.raises(AnswerError, match=words):
        url.journey(Client(headers={"accept": "text/plain"}))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"expect": "/card/=Total"}, "for a page that is not among --path=/shop/,/cart/"),
        ({"status": "/card/=301"}, "for a page that is not among --path"),
        ({"status": "/cart/=moved"}, "--status=moved is not a valid status"),
        ({"status": "99"}, "--status=99 is not a valid status"),
    ],
)
def test_an_answer_that_can_not_be_meant_is_wrong_usage(given: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Url(path="/shop/,/cart/", **given)


@pytest.mark.parametrize("given", ["", "shop/", "http://host/shop/", "//host/shop/", "/shop/,"])
def test_a_path_that_is_none_is_wrong_usage(given: str) -> None:
    with pytest.raises(UsageError, match=r"path|page"):
        Url(path=given)
