"""Pages of the project: asked as the journey says, with their shape."""

import random
from itertools import count
from types import SimpleNamespace

import pytest
from django.http import HttpResponse, HttpResponseRedirect
from django.test import Client
from django.urls import path

from benchsuite.core.exceptions import AnswerError, UsageError
from benchsuite.workloads import project
from benchsuite.workloads.project import Shape, Url

seen = []
pytestmark = pytest.mark.urls(__name__)


def page(request):
    seen.append(request.path)
    down = "<title>Down for a while</title>" if "X-Down" in request.headers else ""
    return HttpResponse(f"{down}Your shopping cart")


def private(request):
    return HttpResponseRedirect("/login/?next=/private/")


def broken(request):
    return HttpResponse("sorry", status=500)


def moody(request):
    return HttpResponse("well", content_type=request.headers.get("Accept", "text/html"))


urlpatterns = [
    path("moody/", moody),
    path("shop/", page),
    path("cart/", page),
    path("private/", private),
    path("broken/", broken),
]


def test_pages_are_visited_in_order():
    seen.clear()
    Url(path="/shop/, /cart/").journey(Client())
    assert seen == ["/shop/", "/cart/"]


def test_a_wrong_answer_says_where_and_what(golden):
    golden.cases(lambda given: Url(**given).journey(Client()), refuses=AnswerError)


def test_each_page_may_have_its_own_answer():
    Url(
        path="/shop/,/private/,/broken/,/nowhere/,/shop/?a=1",
        expect="/shop/=Your\n/shop/=cart\n/shop/?a=1=shopping",
        status="/private/=302\n/broken/=500\n/nowhere/=404",
    ).journey(Client(raise_request_exception=False))
    Url(path="/nowhere/", status="404").journey(Client())


def test_what_is_checked_of_pages_is_told(golden):
    def unchecked(**given):
        url = Url(path="/shop/,/cart/", **given)
        rehearsals = url.rehearsals
        for _ in range(2):
            url.journey(Client())
        url.rehearsed()
        url.journey(Client())
        return rehearsals, url.unchecked

    golden.cases(unchecked)


def test_whatever_more_is_asked_of_a_page_must_look_as_it_did(golden):
    """What is shown instead holds the expected text and has the expected status."""

    def asked(**given):
        url = Url(path="/shop/,/cart/", **given)
        assert url.rehearsals > 1
        url.journey(Client())
        url.rehearsed()
        assert "a stale one may have counted as right" in url.unchecked
        url.journey(Client(headers={"x-down": "1"}))

    golden.cases(asked, refuses=AnswerError)


def test_a_journey_that_checks_and_counts_still_says_what_was_not_checked():
    class Counted(Url):
        def count(self, database):
            return {"completions": 1}

        def journey(self, client):
            super().journey(client)
            assert client

    assert Counted(path="/shop/").unchecked == Url(path="/shop/").unchecked != ""


def test_an_answer_that_looks_otherwise_than_in_the_rehearsal_is_wrong():
    url = Url(path="/moody/")
    url.journey(Client())
    url.rehearsed()
    words = r"/moody/: .* the 1 rehearsed ones: content type text/plain \(was text/html\)"
    with pytest.raises(AnswerError, match=words):
        url.journey(Client(headers={"accept": "text/plain"}))


def test_an_answer_that_can_not_be_meant_is_wrong_usage(golden):
    golden.cases(lambda given: Url(path="/shop/,/cart/", **given), refuses=UsageError)


OUT = '<form action="/accounts/logout/" method="post"><button>Log out</button></form>'
ROW = "<tr><td>a row of the shop's list</td></tr>\n"


def page_shape(title="Shop", body=ROW * 20, out=OUT):
    return HttpResponse(f"<html><head><title>{title}</title></head><body>{out}{body}</body></html>")


def learned(answers, visitor=""):
    shape = Shape(visitor)
    for one in answers:
        shape.see(one)
    shape.settle()
    return shape


LOG_IN = page_shape("Log in", '<form><input name="p" type="password"></form>', "")
PICTURE = HttpResponse(b"\x89PNG" * 900, "image/png")
TEXT = HttpResponse("all is well", "text/plain")


def test_what_gives_a_wrong_answer_away(golden):
    def differs(right, wrong):
        shape = learned([right] * 30)
        for _ in range(3):  # the first right answer teaches what is looked at quickly
            assert shape.differs(right) == ""
            words = shape.differs(wrong)
        return words

    golden.cases(differs)


_dice = random.Random(1)
_visits = count(1)


def test_what_may_change_in_a_right_answer(golden):
    def differing(answer):
        shape = learned(answer() for _ in range(30))
        return [words for words in (shape.differs(answer()) for _ in range(400)) if words]

    golden.cases(differing)


def test_a_way_out_is_not_searched_for_where_there_is_none(monkeypatch):
    """That takes four times as long as all other checks of a page of changing length."""
    shape = learned(HttpResponse(ROW * rows) for rows in range(5, 10))
    monkeypatch.setattr(project, "LOG_OUT", SimpleNamespace(search=pytest.fail))
    assert [shape.differs(HttpResponse(ROW * rows)) for rows in range(9, 3, -1)] == [""] * 6


OUSTED = page_shape("Logged out", "You have been logged out.", "")


def test_values(golden):
    golden.values()
