"""Cookies go back as they came, until the server forgets them."""

import pytest

from benchsuite.load.client.http.request import Cookies


def test_no_cookies_need_no_header() -> None:
    assert Cookies({}).header_line == ""


def test_the_first_cookies_are_sent() -> None:
    assert Cookies({"sessionid": "a", "b": "c"}).header_line == "Cookie: sessionid=a; b=c\r\n"


def test_a_set_cookie_replaces_the_value() -> None:
    cookies = Cookies({"csrftoken": "old"})
    cookies.take(["csrftoken=new; Path=/; Max-Age=31449600; SameSite=Lax", 'q="a b"'])
    assert cookies["csrftoken"] == "new"
    assert cookies.header_line == 'Cookie: csrftoken=new; q="a b"\r\n'


@pytest.mark.parametrize(
    "attributes",
    [
        "Max-Age=0",
        "max-age=-1; expires=Fri, 01 Jan 2100 00:00:00 GMT",
        "expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/",
    ],
)
def test_a_cookie_that_expires_is_forgotten(attributes: str) -> None:
    cookies = Cookies({"sessionid": "a"})
    cookies.take([f'sessionid=""; {attributes}'])
    assert "sessionid" not in cookies
    assert cookies.header_line == ""


@pytest.mark.parametrize(
    "attributes",
    [
        "Max-Age=60; expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "Max-Age=soon",
        "expires=whenever",
        "Expires=Fri, 01 Jan 2100 00:00:00 GMT",
        "HttpOnly; Secure",
    ],
)
def test_other_cookies_stay(attributes: str) -> None:
    cookies = Cookies({})
    cookies.take([f"a=1; {attributes}"])
    assert cookies["a"] == "1"


def test_a_fresh_visitor_has_what_was_there_at_first() -> None:
    given = {"sessionid": "a", "lang": "de"}
    cookies = Cookies(given)
    cookies.take(["sessionid=b", "lang=; Max-Age=0", "cart=7"])
    cookies.forget()
    assert cookies.header_line == "Cookie: sessionid=a; lang=de\r\n"
    cookies.take(["sessionid=c"])
    assert given == {"sessionid": "a", "lang": "de"}
    cookies.forget()
    assert cookies["sessionid"] == "a"


def test_what_is_no_cookie_is_left_out() -> None:
    cookies = Cookies({})
    cookies.take(["nonsense", "=value", ""])
    assert cookies.header_line == ""
