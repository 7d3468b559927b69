"""However a server cuts and frames its answer, its body is read, or it is said what is wrong."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchsuite.core.samples import Kind
from tests.integration.loads import a_job, load
from tests.integration.stubs_http import RUN, Behaviour, Request, Responder, answer

GAP_S = 0.003
"""So that each piece arrives by itself."""

STATUS = b"HTTP/1.1 200 OK\r\n"
FIELDS = b"X-Benchsuite-Run: " + RUN.encode() + b"\r\n"
LENGTH = b"Content-Length: 2\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def pieces(*parts: bytes) -> Behaviour:
    def behave(request: Request) -> Iterator[bytes]:
        for part in parts:
            yield part
            time.sleep(GAP_S)

    return behave


RIGHT = {
    "head, then body": [STATUS + FIELDS + LENGTH + b"\r\n", b"OK"],
    "body byte by byte": [STATUS + FIELDS + LENGTH + b"\r\n", b"O", b"K"],
    "cut in the status line": [STATUS[:7], STATUS[7:] + FIELDS + LENGTH + b"\r\nOK"],
    "cut in the end of the head": [STATUS + FIELDS + LENGTH + b"\r", b"\nOK"],
    "chunked": [STATUS + FIELDS + CHUNKED + b"\r\n", b"1\r\nO\r\n", b"1\r\nK\r\n0\r\n\r\n"],
    "after an interim answer": [b"HTTP/1.1 100 Continue\r\n\r\n", answer(b"OK")],
    "kept in so many words": [answer(b"OK", more={"Connection": "keep-alive"})],
    "no reason": [b"HTTP/1.1 200\r\n" + FIELDS + LENGTH + b"\r\nOK"],
    "other bytes and cases": [STATUS + FIELDS + LENGTH.lower() + b"X: \xe4\r\n\r\nOK"],
}


@pytest.mark.parametrize("parts", RIGHT.values(), ids=RIGHT.keys())
def test_every_framing_gives_the_same_body(tmp_path: Path, parts: list[bytes]) -> None:
    with Responder({"/framed": pieces(*parts)}) as responder:
        job = a_job(responder, "CheckedOnce", path="/framed", duration_s=0.2)
        result = load(tmp_path, job)
        connections = responder.connections
    assert result.kinds("GET /framed") == {Kind.OK: responder.seen["/framed"]}
    assert set(result.of("GET /framed")["body_bytes"]) == {2}
    assert connections == 3, "the check and two users, each on one connection"


def test_a_body_of_many_blocks_is_read_whole(tmp_path: Path) -> None:
    body = bytes(range(256)) * 4096
    head, _, _ = answer(body).partition(b"\r\n\r\n")
    with Responder(
        {"/large": pieces(head + b"\r\n\r\n", body[:100_000], body[100_000:])}
    ) as server:
        result = load(tmp_path, a_job(server, "Lenient", path="/large", duration_s=0.2))
    assert set(result.of("GET /large")["kind"]) == {Kind.OK}
    assert set(result.of("GET /large")["body_bytes"]) == {len(body)}


WRONG = {
    "longer than it says": ([STATUS + FIELDS + LENGTH + b"\r\nOKOK"], {Kind.PROTOCOL}),
    "two lengths": (
        [STATUS + FIELDS + b"Content-Length: 2\r\nContent-Length: 4\r\n\r\nOKOK"],
        {Kind.PROTOCOL},
    ),
    "no head": ([b"OK\r\n\r\nOK"], {Kind.PROTOCOL}),
}


@pytest.mark.parametrize(("parts", "kinds"), WRONG.values(), ids=WRONG.keys())
def test_an_answer_that_breaks_its_own_frame_is_a_failure(
    tmp_path: Path, parts: list[bytes], kinds: set[Kind]
) -> None:
    with Responder({"/framed": pieces(*parts)}) as responder:
        job = a_job(responder, "CheckedOnce", path="/framed", duration_s=0.2)
        result = load(tmp_path, job)
    assert set(result.of("GET /framed")["kind"]) == kinds
