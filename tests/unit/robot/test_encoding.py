"""What is sent is what Django reads."""

from io import BytesIO

from django.test import RequestFactory

from benchsuite.robot.client import MULTIPART, body, query
from benchsuite.robot.forms import Upload
from benchsuite.robot.parsing import page_charset as charset

PAIRS = [("name", "Zoë & co"), ("tag", "a"), ("tag", "b"), ("text", "one\ntwo")]


def test_a_form_without_files_is_urlencoded() -> None:
    content, content_type = body([*PAIRS, ("file", Upload("a.txt", b"x", "text/plain"))], "")
    request = RequestFactory().post("/", content, content_type)
    assert request.POST["name"] == "Zoë & co"
    assert request.POST.getlist("tag") == ["a", "b"]
    assert request.POST["text"] == "one\r\ntwo"
    assert request.POST["file"] == "a.txt"


def test_what_a_charset_lacks_goes_as_numbers() -> None:
    content, content_type = body([("a", "Größe €")], "", "iso8859-15")
    assert (content, content_type) == (b"a=Gr%F6%DFe+%A4", "application/x-www-form-urlencoded")
    assert body([("a", "ł")], "", "cp1252")[0] == b"a=%26%23322%3B"


def test_a_page_is_read_in_the_charset_it_declares() -> None:
    assert charset(b"<p>", "text/html; charset=ISO-8859-1") == "cp1252"
    assert charset(b'<meta http-equiv=x content="text/html; charset=windows-1251">', "") == "cp1251"
    assert charset(b'<meta charset="latin1">', "text/html; charset=utf-8") == "utf-8"
    assert charset("\ufeff<p>".encode(), "text/html; charset=latin1") == "utf-8"
    assert charset(b"<p>", "text/html; charset=unheard-of") == "utf-8"


def test_files_go_in_parts() -> None:
    whole = bytes(range(256)) + b"\r\n--benchsuite-robot-0--\r\n"
    content, content_type = body(
        [*PAIRS, ('od"d', Upload("ä.bin", whole, "application/x-odd"))], MULTIPART
    )
    request = RequestFactory().post("/", content, content_type)
    assert request.POST["name"] == "Zoë & co"
    assert request.POST.getlist("tag") == ["a", "b"]
    (found,) = request.FILES.values()
    assert (found.name, found.content_type) == ("ä.bin", "application/x-odd")
    assert BytesIO(found.read()).getvalue() == whole


def test_a_query_holds_the_same_pairs() -> None:
    assert query(PAIRS[:3]) == "name=Zo%C3%AB+%26+co&tag=a&tag=b"
