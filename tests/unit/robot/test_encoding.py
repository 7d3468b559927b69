"""What is sent is what Django reads."""

from io import BytesIO

from django.test import RequestFactory

from benchsuite.robot.encoding import MULTIPART, Upload, body, query

PAIRS = [("name", "Zoë & co"), ("tag", "a"), ("tag", "b"), ("text", "one\ntwo")]


def test_a_form_without_files_is_urlencoded() -> None:
    content, content_type = body([*PAIRS, ("file", Upload("a.txt", b"x", "text/plain"))], "")
    request = RequestFactory().post("/", content, content_type)
    assert request.POST["name"] == "Zoë & co"
    assert request.POST.getlist("tag") == ["a", "b"]
    assert request.POST["text"] == "one\r\ntwo"
    assert request.POST["file"] == "a.txt"


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
