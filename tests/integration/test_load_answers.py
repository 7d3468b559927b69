"""However a server cuts and frames its answer, its body is read, or it is said what is wrong."""

import gzip
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import brotli
import pytest

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile, VisitorSpec, WorkloadSpec
from benchsuite.telemetry.prober.client import LOST, Client
from benchsuite.telemetry.prober.client import RIGHT as RIGHT_ANSWER
from benchsuite.telemetry.prober.probes import request_for
from tests.integration.loads import a_job, load
from tests.integration.stubs_http import RUN, Behaviour, Request, Responder, answer
from tests.integration.stubs_http import closing as closing_after

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
    "with a trailer": [STATUS + FIELDS + CHUNKED + b"\r\n2\r\nOK\r\n0\r\nX: 1\r\n\r\n"],
    "after early hints": [b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + answer(b"OK")],
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


@pytest.mark.parametrize("codings", [["gzip"], ["br"], ["deflate"], ["gzip", "br"]], ids=", ".join)
def test_a_coded_body_is_given_as_it_was_written(tmp_path: Path, codings: list[str]) -> None:
    coded = b"OK"
    for coding in codings:
        coded = {"gzip": gzip.compress, "br": brotli.compress, "deflate": zlib.compress}[coding](
            coded
        )
    sent = answer(coded, more={"Content-Encoding": ", ".join(codings)})
    with Responder({"/coded": lambda request: sent}) as responder:
        result = load(tmp_path, a_job(responder, "CheckedOnce", path="/coded", duration_s=0.2))
    assert result.kinds("GET /coded") == {Kind.OK: responder.seen["/coded"]}
    assert set(result.of("GET /coded")["body_bytes"]) == {len(coded)}, "as they came"


@pytest.mark.parametrize("think_time_s", [0.0, 0.06])
@pytest.mark.parametrize("gap_s", [0.0, GAP_S])
def test_a_second_answer_that_comes_later_is_a_failure(
    tmp_path: Path, gap_s: float, think_time_s: float
) -> None:
    """In a piece of its own: before the next request, or taken for the answer to that one."""

    def behave(request: Request) -> Iterator[bytes]:
        yield answer(b"OK")
        time.sleep(gap_s)
        yield answer(b"OK")

    with Responder({"/twice": behave}) as responder:
        job = a_job(
            responder, "CheckedOnce", path="/twice", duration_s=0.5, think_time_s=think_time_s
        )
        result = load(tmp_path, job)
    kinds = result.kinds("GET /twice")
    assert kinds[Kind.PROTOCOL] > 1
    assert kinds.keys() <= {Kind.OK, Kind.PROTOCOL, Kind.UNFINISHED}
    if think_time_s:
        assert abs(kinds[Kind.OK] - kinds[Kind.PROTOCOL]) <= 2, "each first one, each second"
    assert "after the end of its answer" in result.example("GET /twice", Kind.PROTOCOL)


def test_a_farewell_to_an_idle_connection_is_no_failure(tmp_path: Path) -> None:
    """As servers say it that wait for the next request no longer."""

    def behave(request: Request) -> Iterator[bytes]:
        yield answer(b"OK")
        time.sleep(0.02)
        yield answer(b"", status=408, headers={"Connection": "close"})
        request.headers["connection"] = "close"

    with Responder({"/tired": behave}) as responder:
        job = a_job(responder, "CheckedOnce", path="/tired", duration_s=0.4, think_time_s=0.06)
        result = load(tmp_path, job)
    assert result.kinds("GET /tired") == {Kind.OK: responder.seen["/tired"]}


ONCE = answer(b"OK")
IN_CHUNKS = STATUS + FIELDS + CHUNKED + b"\r\n2\r\nOK\r\n0\r\n\r\n"


def probing(base_url: str) -> dict[str, object]:
    profile = LoadProfile(timeout_s=2.0)
    return request_for("/page", base_url=base_url, token=RUN, load=profile, headers={}, seed=1)


@pytest.mark.parametrize("keep_alive", [True, False])
@pytest.mark.parametrize(
    "visitor",
    [
        VisitorSpec(),
        VisitorSpec(headers=("Accept: text/html", "X-Team: one"), cookies=("a=b", "c=d")),
        VisitorSpec(host="shop.example", headers=("User-Agent: somebody",)),
    ],
)
def test_no_server_can_tell_the_prober_from_the_load(
    visitor: VisitorSpec, tmp_path: Path, *, keep_alive: bool
) -> None:
    """Header by header, in their order: else it might favour the load."""
    with Responder() as responder:
        cookies = {"sessionid": "secret"}
        job = a_job(responder, path="/", cookies=cookies, visitor=visitor, keep_alive=keep_alive)
        load(tmp_path, job)
        theirs = [list(one.headers.items()) for one in responder.requests]
        responder.requests.clear()
        request = request_for(
            "/",
            base_url=responder.base_url,
            token=RUN,
            load=job.load,
            headers=visitor.sent(cookies),
            seed=1,
        )
        with closing(Client(request)) as client:
            assert client.ask() == RIGHT_ANSWER
    (own,) = [list(one.headers.items()) for one in responder.requests]
    assert all(one == own for one in theirs)


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize(
    ("parts", "outcomes"),
    [
        ([ONCE], {RIGHT_ANSWER}),
        ([IN_CHUNKS], {RIGHT_ANSWER}),
        ([b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + ONCE], {RIGHT_ANSWER}),
        ([ONCE, answer(b"", status=408)], {RIGHT_ANSWER}),
        ([ONCE * 2], {LOST}),
        ([IN_CHUNKS * 2], {LOST}),
        ([ONCE, ONCE], {RIGHT_ANSWER, LOST}),
    ],
)
def test_the_prober_takes_one_message_for_an_answer(
    parts: list[bytes], outcomes: set[str], *, prompt: bool
) -> None:
    responder = Responder({"/page": pieces(*parts)})
    with responder, closing(Client(probing(responder.base_url))) as client:
        asked = []
        for _ in range(4):
            asked.append(client.ask(prompt=prompt))
            time.sleep(0.03)
    assert set(asked) == outcomes


def test_an_answer_that_ends_early_is_lost_to_the_prober() -> None:
    responder = Responder({"/page": closing_after(answer(b"OK")[:-1])})
    with responder, closing(Client(probing(responder.base_url))) as client:
        assert client.ask() == LOST


UP, DOWN = b"<title>Basket</title>Basket", b"<title>Down for a while</title>Basket"
PACKED = {"br": brotli.compress, "gzip": gzip.compress, "": bytes}
REHEARSED = 40  #: Requests that are answered right: more than those before the load.


def going_down(request: Request) -> bytes:
    """Another page after a while, which has a word of the first; packed as it was asked for."""
    coding = request.headers.get("accept-encoding", "")
    page = PACKED[coding](UP if request.number <= REHEARSED else DOWN)
    more = {"Content-Type": "text/html", **({"Content-Encoding": coding} if coding else {})}
    return answer(page, status=int(request.headers.get("x-status", 200)), more=more)


MORE_ASKED: dict[str, tuple[dict[str, str], VisitorSpec]] = {
    "nothing": ({}, VisitorSpec()),
    "--expect": ({"expect": "Basket"}, VisitorSpec()),
    "--status": ({"status": "404"}, VisitorSpec(headers=("X-Status: 404",))),
    "--header": ({}, VisitorSpec(headers=("Accept-Encoding: gzip",))),
    "--expect and --header": ({"expect": "Basket"}, VisitorSpec(headers=("Accept-Encoding: br",))),
    "--cookie": ({}, VisitorSpec(cookies=("a=1",))),
    "--login": ({}, VisitorSpec(login="ann")),
}


@pytest.mark.parametrize(("options", "visitor"), MORE_ASKED.values(), ids=MORE_ASKED.keys())
def test_whatever_more_is_asked_another_page_is_wrong(
    tmp_path: Path, options: dict[str, str], visitor: VisitorSpec
) -> None:
    with Responder({"/page": going_down}) as responder:
        job = a_job(responder, "benchsuite.workloads.url.Url", path="/page", visitor=visitor)
        job = replace(job, workload=WorkloadSpec(options={"path": "/page", **options}))
        result = load(tmp_path, job)
    kinds = result.kinds("GET /page")
    assert kinds[Kind.WRONG_BODY] == responder.seen["/page"] - REHEARSED > 0
    assert "title 'Down for a while' (was 'Basket')" in result.example("GET /page", Kind.WRONG_BODY)


def test_an_expected_error_is_still_one_of_this_run(tmp_path: Path) -> None:
    """Without `status`, an error is one whoever answers it."""
    strange = answer(b"OK", status=404, headers={})
    with Responder({"/page": lambda request: strange}) as responder:
        job = a_job(responder, "benchsuite.workloads.url.Url", path="/page")
        job = replace(job, workload=WorkloadSpec(options={"path": "/page", "status": "404"}))
        with pytest.raises(AnswerError, match="another process"):
            load(tmp_path, job)
