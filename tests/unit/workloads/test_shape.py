"""What pages look like: what gives a wrong one away, and what may change in a right one."""

import random
from collections.abc import Callable, Iterable
from itertools import count

import pytest
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse

from benchsuite.workloads.shape import Shape

OUT = '<form action="/accounts/logout/" method="post"><button>Log out</button></form>'
ROW = "<tr><td>a row of the shop's list</td></tr>\n"


def page(title: str = "Shop", body: str = ROW * 20, out: str = OUT) -> HttpResponse:
    return HttpResponse(f"<html><head><title>{title}</title></head><body>{out}{body}</body></html>")


def learned(answers: Iterable[HttpResponse], visitor: str = "") -> Shape:
    shape = Shape(visitor)
    for one in answers:
        shape.see(one)
    shape.settle()
    return shape


LOG_IN = page("Log in", '<form><input name="p" type="password"></form>', "")


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        (
            page(),
            LOG_IN,
            "title 'Log in' (was 'Shop'), log-in or log-out page present (was absent)",
        ),
        (page(), page("Bye", ROW * 20, ""), "title 'Bye' (was 'Shop'), way to log out absent (was"),
        (page(), page(out=""), "way to log out absent (was present)"),
        (page(out=""), page(), "way to log out present (was absent)"),
        (page(), page(body='<input type="password">' + ROW * 19), "password field present"),
        (page(), page(body=""), "length 1"),
        (page(), page(body=ROW * 200), "length 8"),
        (page(), HttpResponse(""), "title none (was 'Shop')"),
        (page(), JsonResponse({"detail": "no"}), "content type application/json (was text/html)"),
        (JsonResponse({"rows": [1]}), JsonResponse({"error": 1}), 'JSON that begins {"error"'),
        (JsonResponse([1], safe=False), JsonResponse({"error": 1}), 'JSON that begins {"error"'),
        (HttpResponse(b"\x89PNG" * 900, "image/png"), page(), "content type text/html"),
        (HttpResponse(b"\x89PNG" * 900, "image/png"), HttpResponse(b"", "image/png"), "length 0"),
        (
            HttpResponseRedirect("/done/?a=1"),
            HttpResponseRedirect("/login/"),
            "redirect to /login/",
        ),
        (page("Account of anna"), page("Account of bob"), "title 'Account of bob'"),
        (HttpResponse("all is well", "text/plain"), HttpResponse("", "text/plain"), "length 0"),
    ],
)
def test_what_gives_a_wrong_answer_away(
    right: HttpResponse, wrong: HttpResponse, words: str
) -> None:
    shape = learned([right] * 30)
    for _ in range(3):  # the first right answer teaches what is looked at quickly
        assert shape.differs(right) == ""
        assert shape.differs(wrong).startswith(words)


def test_a_page_of_another_visitor_is_known_by_the_name() -> None:
    shape = learned([page(body="Hello anna, " + ROW * 20)] * 5, visitor="anna")
    assert shape.differs(page(body="Hello anna, " + ROW * 20)) == ""
    found = shape.differs(page(body="Hello bert, " + ROW * 20))
    assert found == "name of who is logged in absent (was present)"


_dice = random.Random(1)
_visits = count(1)

VARYING: dict[str, Callable[[], HttpResponse]] = {
    "always the same": page,
    "random rows": lambda: page(body=ROW * _dice.randrange(50, 100)),
    "any number of rows": lambda: page(body=ROW * _dice.randrange(200)),
    "mostly long, rarely empty": lambda: page(body=ROW * _dice.choice([0, 300, 300, 300])),
    "token": lambda: page(body=f'<input type="hidden" value="{_dice.random()}">' + ROW * 20),
    "time": lambda: page(f"Status at 12:{next(_visits) // 40:02}"),
    "a counter": lambda: page(f"Inbox ({next(_visits)})", ROW * 20 + "9" * (next(_visits) // 99)),
    "advertisement": lambda: page(body=_dice.choice(["", ROW * 30, '<input type="password">'])),
    "random article": lambda: page(_dice.choice("ABCDEF") * 9),
    "two variants": lambda: page(out=_dice.choice(["", OUT])),
    "log of visits": lambda: page(body=ROW * (next(_visits) * 3)),
    "queue that empties": lambda: HttpResponse(
        "x" * max(0, 5000 - 9 * next(_visits)), "text/plain"
    ),
    "JSON rows": lambda: JsonResponse({"rows": [1] * _dice.randrange(500)}),
    "JSON list": lambda: JsonResponse([{"id": 1}] * _dice.randrange(9), safe=False),
    "JSON by id": lambda: JsonResponse({f"id-{next(_visits)}": 1}),
    "JSON or HTML": lambda: _dice.choice([page(), JsonResponse({})]),
    "gzip": lambda: HttpResponse(b"\x1f\x8b" + _dice.randbytes(_dice.randrange(900, 999))),
    "binary": lambda: HttpResponse(_dice.randbytes(1000), "application/octet-stream"),
    "no content": lambda: HttpResponse(status=204),
    "no type": lambda: HttpResponse("x", headers={"Content-Type": ""}),
    "redirect": lambda: HttpResponseRedirect(f"/article/{next(_visits)}/?t={_dice.random()}"),
    "random redirect": lambda: HttpResponseRedirect(_dice.choice(["/a/", "/b/", "/c/"])),
}


@pytest.mark.parametrize("name", VARYING)
def test_what_may_change_in_a_right_answer(name: str) -> None:
    shape = learned(VARYING[name]() for _ in range(30))
    assert [one for one in (shape.differs(VARYING[name]()) for _ in range(400)) if one] == []


def test_what_varied_is_not_asked_for_and_told() -> None:
    shape = learned(page(_dice.choice("AB"), ROW * _dice.randrange(500)) for _ in range(30))
    assert shape.varied == ["title", "length"]
    assert shape.checked == [
        "content type text/html",
        "log-in or log-out page absent",
        "password field absent",
        "way to log out present",
    ]
    assert shape.differs(LOG_IN).startswith("log-in or log-out page present (was absent), password")


OUSTED = page("Logged out", "You have been logged out.", "")


@pytest.mark.parametrize("wrong", [LOG_IN, OUSTED, page("Shop", "<h1>Please sign in</h1>")])
def test_a_log_in_page_is_wrong_also_where_it_was_rehearsed_now_and_then(
    wrong: HttpResponse,
) -> None:
    shape = learned([*[page()] * 20, wrong, page(), wrong, *[page()] * 8])
    assert "log-in or log-out page present (was absent)" in shape.differs(wrong)
    assert shape.differs(page()) == ""


def test_what_varied_seldom_is_told_with_the_rule() -> None:
    shape = learned([*[page("Account of anna")] * 28, *[page("Account of bert")] * 3])
    assert shape.varied == ["title ('Account of anna' in 28 of 31)"]


def test_articles_may_be_about_logging_in() -> None:
    shape = learned(page(f"Article {one}") for one in "ABCDEFGH")
    assert shape.differs(page("How to log in")) == ""


def test_a_log_in_page_that_was_rehearsed_is_told() -> None:
    assert learned([LOG_IN]).asks_for_password
    assert not learned([page()]).asks_for_password
