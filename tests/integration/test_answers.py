"""However a server cuts, frames or spoils its answer: the body is read, or what is wrong is told in
a sentence, in time and within memory; by the load, by the probe of readiness and by the prober.
"""

import gzip
import re
import threading
import time
import tracemalloc
import zlib
from contextlib import closing as closed
from dataclasses import replace
from typing import Any

import brotli
import pytest

from benchsuite.core.exceptions import AnswerError, StartError
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile, VisitorSpec, WorkloadSpec
from benchsuite.load.client.http.answer import KEPT_BYTES
from benchsuite.system.process import wait_until_ready
from benchsuite.telemetry.prober import probes
from benchsuite.telemetry.prober.answer import Probe
from benchsuite.telemetry.prober.probes import request_for
from benchsuite.telemetry.prober.program import HUNG, LOST, RIGHT, Client
from tests.integration.left_behind import eventually
from tests.integration.loads import a_job, load, refusals, served
from tests.integration.stub import stub
from tests.integration.stubs_http import RUN, Responder, after, answer, closing, trickling
from tests.needs import audited

GAP_S = 0.003
"""So that each piece arrives by itself."""
LIMIT_S = 0.6
MIB = 1024 * 1024

STATUS = b"HTTP/1.1 200 OK\r\n"
OURS = STATUS + b"X-Benchsuite-Run: " + RUN.encode() + b"\r\n"
NO_CONTENT = OURS.replace(b"200 OK", b"204 No Content") + b"\r\n"
LENGTH = b"Content-Length: 2\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"
CHUNKED = OURS + b"Transfer-Encoding: chunked\r\n\r\n"
IN_CHUNKS = CHUNKED + b"2\r\nOK\r\n0\r\n\r\n"


def pieces(*parts):
    def behave(request):
        for part in parts:
            yield part
            time.sleep(GAP_S)

    return behave


FRAMES = {
    "other bytes in chunks": [OURS + b"X: \xe4\r\n" + IN_CHUNKS.removeprefix(OURS)],
    "head, then body": [OURS + LENGTH + b"\r\n", b"OK"],
    "body byte by byte": [OURS + LENGTH + b"\r\n", b"O", b"K"],
    "cut in the status line": [OURS[:7], OURS[7:] + LENGTH + b"\r\nOK"],
    "cut in the end of the head": [OURS + LENGTH + b"\r", b"\nOK"],
    "chunked": [CHUNKED, b"1\r\nO\r\n", b"1\r\nK\r\n0\r\n\r\n"],
    "with a trailer": [CHUNKED + b"2\r\nOK\r\n0\r\nX: 1\r\n\r\n"],
    "after early hints": [HINTS + answer(b"OK")],
    "after an interim answer": [b"HTTP/1.1 100 Continue\r\n\r\n", answer(b"OK")],
    "kept in so many words": [answer(b"OK", more={"Connection": "keep-alive"})],
    "no reason": [OURS.replace(b" OK", b"") + LENGTH + b"\r\nOK"],
    "other bytes and cases": [OURS + LENGTH.lower() + b"X: \xe4\r\n\r\nOK"],
}


CODERS = {"gzip": gzip.compress, "br": brotli.compress, "deflate": zlib.compress}


def coded(codings):
    """OK in these, one after the other."""
    body = b"OK"
    for coding in codings.split(", "):
        body = CODERS[coding](body)
    return body


CODED = {codings: coded(codings) for codings in (*CODERS, "gzip, br")}


def test_every_framing_and_coding_gives_the_same_body(tmp_path):
    """All of them on each connection: none has to be closed, and nothing of one is left there."""
    sent = FRAMES | {
        codings: [answer(body, more={"Content-Encoding": codings})]
        for codings, body in CODED.items()
    }
    behaviours = {f"/{at}": pieces(*parts) for at, parts in enumerate(sent.values())}
    work = {"path": " ".join(behaviours), "iterations": 3, "duration_s": 60.0}
    result, responder = served(tmp_path, behaviours, "Each", **work)
    for name, path in zip(sent, behaviours, strict=True):
        assert result.kinds(f"GET {path}") == {Kind.OK: responder.seen[path] - 1}, name
        as_it_came = len(CODED.get(name, b"OK"))
        assert set(result.of(f"GET {path}")["body_bytes"]) == {as_it_came}, name
    assert responder.connections == 3, "the check and two users, each on one connection"


@pytest.mark.parametrize("framing", [b"Content-Length: %d\r\n", b"X: %d\r\n"])
def test_a_download_is_counted_whole_and_not_kept(tmp_path, framing):
    size = 2 * KEPT_BYTES + 12_345

    def download(request):
        yield OURS + framing % size + b"Connection: close\r\n\r\n"
        yield from [b"x" * MIB] * (size // MIB)
        yield b"x" * (size % MIB)
        if framing.startswith(b"X"):
            request.headers["connection"] = "close"

    result, _ = served(
        tmp_path, {"/page": download}, "Lenient", path="/page", users=1, duration_s=0.3
    )
    assert set(result.kinds("GET /page")) == {Kind.OK}
    assert set(result.of("GET /page")["body_bytes"]) == {size}


@pytest.mark.parametrize("think_time_s", [0.0, 0.06])
@pytest.mark.parametrize("gap_s", [0.0, GAP_S])
def test_a_second_answer_that_comes_later_is_a_failure(tmp_path, gap_s, think_time_s):
    """In a piece of its own: before the next request, or taken for the answer to that one."""

    def behave(request):
        yield answer(b"OK")
        time.sleep(gap_s)
        yield answer(b"OK")

    result, _ = served(
        tmp_path, {"/twice": behave}, "CheckedOnce", path="/twice", think_time_s=think_time_s
    )
    kinds = result.kinds("GET /twice")
    assert kinds[Kind.PROTOCOL] > 1
    assert kinds.keys() <= {Kind.OK, Kind.PROTOCOL, Kind.UNFINISHED}
    if think_time_s:
        assert abs(kinds[Kind.OK] - kinds[Kind.PROTOCOL]) <= 2, "each first one, each second"
    assert "after the end of its answer" in result.example("GET /twice", Kind.PROTOCOL)


def test_a_farewell_to_an_idle_connection_is_no_failure(tmp_path):
    """As servers say it that wait for the next request no longer."""

    def behave(request):
        yield answer(b"OK")
        time.sleep(0.02)
        yield answer(b"", status=408, headers={"Connection": "close"})
        request.headers["connection"] = "close"

    result, responder = served(
        tmp_path,
        {"/tired": behave},
        "CheckedOnce",
        path="/tired",
        duration_s=0.4,
        think_time_s=0.06,
    )
    assert result.kinds("GET /tired") == {Kind.OK: responder.seen["/tired"]}


def asking(base_url, load, headers=None, path="/page"):
    return request_for(path, base_url=base_url, token=RUN, load=load, headers=headers or {}, seed=1)


@pytest.mark.parametrize("keep_alive", [True, False])
@pytest.mark.parametrize(
    "visitor",
    [
        VisitorSpec(),
        VisitorSpec(headers=("Accept: text/html", "X-Team: one"), cookies=("a=b", "c=d")),
        VisitorSpec(host="shop.example", headers=("User-Agent: somebody",)),
    ],
)
def test_no_server_can_tell_the_prober_from_the_load(visitor, tmp_path, keep_alive):
    """Header by header, in their order: else it might favour the load."""
    with Responder() as responder:
        cookies = {"sessionid": "secret"}
        how = {"keep_alive": keep_alive, "duration_s": 0.1}
        job = a_job(responder, path="/", cookies=cookies, visitor=visitor, **how)
        load(tmp_path, job)
        theirs = [list(one.headers.items()) for one in responder.requests]
        responder.requests.clear()
        request = asking(responder.base_url, job.load, dict(visitor.sent(cookies)), path="/")
        with closed(Client(request)) as client:
            assert client.ask() == RIGHT
    (own,) = [list(one.headers.items()) for one in responder.requests]
    assert all(one == own for one in theirs)


@pytest.mark.parametrize("prompt", [False, True])
@pytest.mark.parametrize(
    ("parts", "outcomes"),
    [
        ([answer()], {RIGHT}),
        ([IN_CHUNKS], {RIGHT}),
        ([HINTS + answer()], {RIGHT}),
        ([answer(), answer(b"", status=408)], {RIGHT}),
        ([answer() * 2], {LOST}),
        ([IN_CHUNKS * 2], {LOST}),
        ([answer(), answer()], {RIGHT, LOST}),
    ],
)
def test_the_prober_takes_one_message_for_an_answer(parts, outcomes, prompt):
    answered, ended = threading.Semaphore(0), threading.Semaphore(0)

    def behave(request):
        yield parts[0]
        for part in parts[1:]:  # what comes while the connection rests
            answered.acquire()
            yield part
        ended.release()

    responder = Responder({"/page": behave})
    profile = LoadProfile(timeout_s=2.0)
    with responder, closed(Client(asking(responder.base_url, profile))) as client:
        asked = []
        for _ in range(4):
            asked.append(client.ask(prompt=prompt))
            answered.release()
            ended.acquire(timeout=1.0)
    assert set(asked) == outcomes


UP, DOWN = b"<title>Basket</title>Basket", b"<title>Down for a while</title>Basket"
PACKED = {"br": brotli.compress, "gzip": gzip.compress, "": bytes}
REHEARSED = 40  #: Requests that are answered right: more than those before the load.


def going_down(request):
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


@pytest.mark.parametrize(
    ("options", "visitor"),
    audited(MORE_ASKED.values(), MORE_ASKED["nothing"], MORE_ASKED["--expect and --header"]),
    ids=MORE_ASKED.keys(),
)
def test_whatever_more_is_asked_another_page_is_wrong(tmp_path, options, visitor):
    with Responder({"/page": going_down}) as responder:
        job = a_job(responder, "benchsuite.workloads.project.Url", path="/page", visitor=visitor)
        job = replace(job, workload=WorkloadSpec(options={"path": "/page", **options}))
        result = load(tmp_path, job)
    kinds = result.kinds("GET /page")
    assert kinds[Kind.WRONG_BODY] == responder.seen["/page"] - REHEARSED > 0
    assert "title 'Down for a while' (was 'Basket')" in result.example("GET /page", Kind.WRONG_BODY)


def test_an_expected_error_is_still_one_of_this_run(tmp_path):
    """Without `status`, an error is one whoever answers it."""
    strange = answer(b"OK", status=404, headers={})
    with Responder({"/page": lambda request: strange}) as responder:
        job = a_job(responder, "benchsuite.workloads.project.Url", path="/page")
        job = replace(job, workload=WorkloadSpec(options={"path": "/page", "status": "404"}))
        with pytest.raises(AnswerError, match="another process"):
            load(tmp_path, job)


def says(first, *, closes=True):
    def behave(request):
        yield first
        time.sleep(2 * LIMIT_S)

    return closing(first) if closes else behave


def endless(first, block):
    def behave(request):
        yield first
        until = time.monotonic() + 3 * LIMIT_S
        while time.monotonic() < until:
            yield block

    return behave


def drip(first):
    return trickling(first, every_s=0.02, count=int(2 * LIMIT_S / 0.02))


def always(*sent, **how):
    whole = b"".join(sent)
    return lambda request: whole or answer(**how)


FIELDS = (b"X: " + b"y" * 1000 + b"\r\n") * 64
LATE = "no whole answer after 0.6 s"
NO_END = "header, trailer or chunks without end"
NO_HTTP = "the answer is not HTTP"
AFTER = "after the end of its answer"
MORE = f"sent more {AFTER}"
MORE_OF = f"sent b'HTTP/1.1 {{}}.* {AFTER}"
CLOSING = answer(more={"Connection": "close"})
GZIP = {"Content-Encoding": "gzip"}
SIZE = OURS + b"Content-Length: "

FAULTS: dict[str, tuple[Any, str]] = {
    "drips its header": (drip(OURS + b"X: "), rf"{LATE} \(\d+ bytes of it had come\)"),
    "drips its body": (drip(OURS + b"\r\n"), LATE),
    "sends headers for ever": (endless(OURS, FIELDS), NO_END),
    "sends one header for ever": (endless(OURS + b"X: ", b"y" * 65_536), NO_END),
    "sends trailers for ever": (endless(CHUNKED + b"2\r\nOK\r\n0\r\n", FIELDS), NO_END),
    "sends a body for ever": (endless(OURS + b"\r\n", b"x" * MIB), LATE),
    "sends chunks for ever": (endless(CHUNKED, b"10000\r\n" + b"x" * 65_536 + b"\r\n"), LATE),
    "promises 10^14 bytes": (endless(SIZE + b"1" + b"0" * 14 + b"\r\n\r\n", b"x" * MIB), LATE),
    "promises 10^30 bytes": (says(SIZE + b"1" + b"0" * 30 + b"\r\n\r\nOK"), NO_HTTP),
    "promises -1 bytes": (says(SIZE + b"-1\r\n\r\nOK"), NO_HTTP),
    "promises two lengths": (says(SIZE + b"2\r\nContent-Length: 3\r\n\r\nOK"), NO_HTTP),
    "sends less than promised": (says(SIZE + b"5\r\n\r\nOK"), "closed in the middle of the answer"),
    "sends a chunk without a size": (says(CHUNKED + b"OK\r\n"), NO_HTTP),
    "sends a chunk of 2^80": (says(CHUNKED + b"1" + b"0" * 20 + b"\r\nOK"), NO_HTTP),
    "talks in a chunk's extension": (endless(CHUNKED + b"2;", b"x" * 65_536), NO_END),
    "speaks of no HTTP": (says(b"220 mail ESMTP\r\n\r\n"), NO_HTTP),
    "speaks HTTP/0.9": (says(b"<html>OK</html>\r\n"), NO_HTTP),
    "has no number for a status": (says(b"HTTP/1.1 fine\r\n\r\n"), NO_HTTP),
    "announces and says nothing": (says(b"HTTP/1.1 100 Continue\r\n\r\n", closes=False), LATE),
    "announces for ever": (endless(b"", HINTS * 2000), NO_END),
    "closes at once": (says(b""), "the connection was closed before the answer"),
    "closes in the header": (says(OURS), "the connection was closed in the middle"),
    "says nothing": (says(b"", closes=False), rf"{LATE} \(nothing of it had come\)"),
    "has a body after 204": (says(NO_CONTENT + b"OK"), MORE),
    "sends more than promised": (
        says(SIZE + b"2\r\n\r\nOK, and more"),
        rf"sent b', and more' {AFTER}",
    ),
    "answers twice": (always(answer() * 2), MORE_OF.format("200 Whatever")),
    "answers twice in chunks": (says(IN_CHUNKS * 2), MORE),
    "answers again with no content": (
        always(answer(), NO_CONTENT),
        MORE_OF.format("204 No Content"),
    ),
    "answers without content twice": (says(NO_CONTENT * 2), MORE),
    "announces another at its end": (always(answer(), HINTS), MORE_OF.format("103 Early Hints")),
    "ends its chunks with an empty line more": (says(IN_CHUNKS + b"\r\n"), MORE),
    "answers twice and closes": (says(CLOSING * 2), MORE_OF.format("200 Whatever")),
    "packs its chunks for the way": (
        says(IN_CHUNKS.replace(b"chunked", b"gzip, chunked")),
        "Transfer-Encoding 'gzip, chunked'",
    ),
    "packs its body as nobody can": (
        always(body=b"\x28\xb5\x2f\xfd", more={"Content-Encoding": "zstd"}),
        "the Content-Encoding 'zstd', which can't be undone",
    ),
    "calls its body gzip": (always(more=GZIP), "the body is not gzip, as it says"),
    "cuts its gzip off": (
        always(body=gzip.compress(b"OK")[:-4], more=GZIP),
        "the body does not end with its gzip",
    ),
    "redirects to itself": (
        always(body=b"", status=302, more={"Location": "/page"}),
        "redirected to /page",
    ),
    "belongs to somebody else": (
        always(headers={"X-Benchsuite-Run": "another"}),
        "another process answers",
    ),
    "belongs to nobody": (always(headers={}), "another process answers"),
}
"""What it does: how, and what the load says."""

PROBED = {
    "drips its header": "after 0.6 s its header has no end, with ",
    "sends headers for ever": "its header has no end in 256\u2009KiB",
    "sends one header for ever": "its header has no end in 256\u2009KiB",
    "speaks of no HTTP": "is no HTTP: b'220 mail",
    "speaks HTTP/0.9": "is no HTTP: b'<html>OK",
    "has no number for a status": "is no HTTP: b'HTTP/1.1 fine",
    "announces and says nothing": "after 0.6 s its header has no end, with ",
    "announces for ever": "its header has no end",
    "closes at once": "ends the connection without an answer",
    "closes in the header": "ends the connection within the header",
    "says nothing": "takes a connection and sends nothing for 0.6 s",
    "belongs to somebody else": "it answers 200 with another run's run header",
    "belongs to nobody": "it answers 200 with no run header",
}
"""What the probe says; for others it is ready, as the header with the run's token came."""


@pytest.mark.parametrize("name", FAULTS)
def test_the_probe_says_what_came(name):
    probed = PROBED.get(name, "")
    with Responder({"/page": FAULTS[name][0]}) as responder:
        probe = Probe(f"{responder.base_url}/page", RUN, timeout_s=LIMIT_S)
        tracemalloc.start()
        began = time.monotonic()
        try:
            ready = probe()
            took_s, (_, peak) = time.monotonic() - began, tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert ready is (not probed)
    assert probed in probe.heard
    assert took_s < LIMIT_S + 0.5
    assert peak < 4 * MIB


def test_the_load_refuses_each_in_a_sentence(tmp_path):
    behaviours = {f"/{at}": behave for at, (behave, _) in enumerate(FAULTS.values())}
    with Responder(behaviours) as responder:
        jobs = [a_job(responder, path=path, timeout_s=LIMIT_S) for path in behaviours]
        sentences = refusals(tmp_path, *jobs)
    for (name, (_, loaded)), sentence in zip(FAULTS.items(), sentences, strict=True):
        assert re.search(loaded, sentence), (name, sentence)
        assert "\n" not in sentence, name


def test_what_came_stands_in_the_sentence(tmp_path):
    with stub("answers_wrongly", tmp_path) as server:
        probe = Probe(f"http://127.0.0.1:{server.port}/", server.marker, timeout_s=0.5)
        with pytest.raises(StartError, match=r"did not answer within 0\.5 s: it answers 200 with"):
            wait_until_ready(server.process, probe, timeout_s=0.5, heard=lambda: probe.heard)


def test_a_page_that_takes_long_is_waited_for(monkeypatch):
    """One question after another would each give up before the answer."""
    monkeypatch.setattr("benchsuite.telemetry.prober.answer.FIRST_S", 0.1)
    with Responder({"/page": after(0.5)}) as responder:
        probe = Probe(f"{responder.base_url}/page", RUN, timeout_s=10.0)
        asked = 1
        while not probe():
            asked += 1
    assert asked == 4, "after 0.1, 0.2 and 0.4 s it asked again"


def test_the_prober_gives_up_as_the_load_does(tmp_path):
    with Responder({"/page": FAULTS["drips its header"][0]}) as responder:
        profile = LoadProfile(users=10, timeout_s=0.3)
        request = asking(responder.base_url, profile)
        with probes.prober(request, profile, folder=tmp_path) as watch:
            assert eventually(lambda: len(watch.probes()) > 1)
        probe = watch.probes()[0]
    assert probe.outcome == HUNG
    assert 0.25 < probe.waited_s < 1.0
