"""What the robot's own client makes of answers that drip, end early or never end."""

import pytest

from benchsuite.core.exceptions import AnswerError
from benchsuite.robot import walk
from benchsuite.robot.walk import BlockingClient
from tests.integration.stubs_http import Behaviour, Responder, answer, closing, trickling
from tests.needs import needs

pytestmark = needs("selectolax")

HEAD = b"HTTP/1.1 200 OK\r\n"
LONG = HEAD + b"Content-Length: 100\r\n\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BROKEN: dict[str, tuple[Behaviour, str]] = {
    "drips": (trickling(LONG, every_s=0.1, count=99), "no answer within 0.5 s"),
    "ends early": (closing(LONG + b"x"), "the answer broke off"),
    "ends in a chunk": (closing(CHUNKED + b"5\r\nab"), "the answer broke off"),
    "ends between chunks": (closing(CHUNKED + b"2\r\nab\r\n"), "the answer broke off"),
    "is long": (closing(answer(b"x" * 2000)), "the page is longer than"),
}


@pytest.mark.parametrize(("behave", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_not_whole_is_no_page(monkeypatch, behave, words):
    monkeypatch.setattr(walk, "MAX_BYTES", 1000)
    with Responder({"/": behave}) as responder, pytest.raises(AnswerError, match=words):
        BlockingClient(responder.base_url, timeout_s=0.5).get("/")


def test_what_is_whole_is():
    whole = closing(CHUNKED + b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
    unsaid = closing(HEAD + b"\r\nabc")
    pages = {"/": closing(answer(b"abc")), "/chunks": whole, "/unsaid": unsaid}
    with Responder(pages) as responder:
        asking = BlockingClient(responder.base_url, timeout_s=0.5)
        assert {asking.get(path).content for path in pages} == {b"abc"}
