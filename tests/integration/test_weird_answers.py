"""Servers that answer with something else: each ends in a sentence, in time and within memory."""

import gzip
import os
import resource
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchsuite.core.exceptions import AnswerError, StartError
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.load.client.http.body import KEPT_BYTES
from benchsuite.load.parent.driver import load_worker
from benchsuite.system.process import wait_until_ready
from benchsuite.telemetry.prober import probes
from benchsuite.telemetry.prober.asking import Probe
from benchsuite.telemetry.prober.client import HUNG
from tests.integration.left_behind import eventually
from tests.integration.loads import a_job, load
from tests.integration.stub import stub
from tests.integration.stubs_http import (
    RUN,
    Behaviour,
    Request,
    Responder,
    after,
    answer,
    closing,
    trickling,
)

LIMIT_S = 0.6
STATUS = b"HTTP/1.1 200 OK\r\n"
OURS = STATUS + b"X-Benchsuite-Run: " + RUN.encode() + b"\r\n"
MIB = 1024 * 1024
MEMORY_BYTES = 256 * MIB


def saying(first: bytes, *, closes: bool = True) -> Behaviour:
    def behave(request: Request) -> Iterator[bytes]:
        yield first
        time.sleep(2 * LIMIT_S)

    return closing(first) if closes else behave


def endless(first: bytes, block: bytes) -> Behaviour:
    def behave(request: Request) -> Iterator[bytes]:
        yield first
        until = time.monotonic() + 3 * LIMIT_S
        while time.monotonic() < until:
            yield block

    return behave


def drip(first: bytes) -> Behaviour:
    return trickling(first, every_s=0.02, count=int(2 * LIMIT_S / 0.02))


READY = ""
"""The header with the run's token came, and that is all that is asked for."""
CHUNKED = OURS + b"Transfer-Encoding: chunked\r\n\r\n"

FAULTS: dict[str, tuple[Behaviour, str, str]] = {
    # what it does: (how, what the probe says, what the load says)
    "drips its header": (
        drip(OURS + b"X: "),
        "after 0.6 s it is still sending its header",
        r"no whole answer after 0.6 s \(\d+ bytes of it had come\)",
    ),
    "drips its body": (drip(OURS + b"\r\n"), READY, "no whole answer after 0.6 s"),
    "sends headers for ever": (
        endless(OURS, (b"X: " + b"y" * 1000 + b"\r\n") * 64),
        "no end of its header in 2",
        "header, trailer or chunks without end",
    ),
    "sends one header for ever": (
        endless(OURS + b"X: ", b"y" * 65_536),
        "no end of its header in 2",
        "header, trailer or chunks without end",
    ),
    "sends trailers for ever": (
        endless(CHUNKED + b"2\r\nOK\r\n0\r\n", (b"X: " + b"y" * 1000 + b"\r\n") * 64),
        READY,
        "header, trailer or chunks without end",
    ),
    "sends a body for ever": (
        endless(OURS + b"\r\n", b"x" * MIB),
        READY,
        "no whole answer after 0.6 s",
    ),
    "sends chunks for ever": (
        endless(CHUNKED, b"10000\r\n" + b"x" * 65_536 + b"\r\n"),
        READY,
        "no whole answer after 0.6 s",
    ),
    "promises 10^14 bytes": (
        endless(OURS + b"Content-Length: 100000000000000\r\n\r\n", b"x" * MIB),
        READY,
        "no whole answer after 0.6 s",
    ),
    "promises 10^30 bytes": (
        saying(OURS + b"Content-Length: 1" + b"0" * 30 + b"\r\n\r\nOK"),
        READY,
        "the answer is not HTTP",
    ),
    "promises -1 bytes": (
        saying(OURS + b"Content-Length: -1\r\n\r\nOK"),
        READY,
        "the answer is not HTTP",
    ),
    "promises two lengths": (
        saying(OURS + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nOK"),
        READY,
        "the answer is not HTTP",
    ),
    "sends less than promised": (
        saying(OURS + b"Content-Length: 5\r\n\r\nOK"),
        READY,
        "closed in the middle of the answer",
    ),
    "sends a chunk without a size": (saying(CHUNKED + b"OK\r\n"), READY, "the answer is not HTTP"),
    "sends a chunk of 2^80": (
        saying(CHUNKED + b"1" + b"0" * 20 + b"\r\nOK"),
        READY,
        "the answer is not HTTP",
    ),
    "talks in a chunk's extension": (
        endless(CHUNKED + b"2;", b"x" * 65_536),
        READY,
        "header, trailer or chunks without end",
    ),
    "speaks of no HTTP": (
        saying(b"220 mail.example.com ESMTP\r\n\r\n"),
        "is no HTTP: b'220 mail",
        "the answer is not HTTP",
    ),
    "speaks HTTP/0.9": (
        saying(b"<html>OK</html>\r\n"),
        "is no HTTP: b'<html>OK",
        "the answer is not HTTP",
    ),
    "has no number for a status": (
        saying(b"HTTP/1.1 fine\r\n\r\n"),
        "is no HTTP: b'HTTP/1.1 fine",
        "the answer is not HTTP",
    ),
    "announces and says nothing": (
        saying(b"HTTP/1.1 100 Continue\r\n\r\n", closes=False),
        "after 0.6 s it has only announced an answer",
        "no whole answer after 0.6 s",
    ),
    "announces for ever": (
        endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 2000),
        "no end of its header in 2",
        "header, trailer or chunks without end",
    ),
    "closes at once": (
        saying(b""),
        "ends the connection without an answer",
        "the connection was closed before the answer",
    ),
    "closes in the header": (
        saying(OURS),
        "ends the connection within the header",
        "the connection was closed in the middle",
    ),
    "says nothing": (
        saying(b"", closes=False),
        "takes a connection and sends nothing for 0.6 s",
        r"no whole answer after 0.6 s \(nothing of it had come\)",
    ),
    "has a body after 204": (
        saying(OURS.replace(b"200 OK", b"204 No Content") + b"\r\nOK"),
        READY,
        "sent more after the end of its answer",
    ),
    "sends more than promised": (
        saying(OURS + b"Content-Length: 2\r\n\r\nOK, and more"),
        READY,
        "sent b', and more' after the end of its answer",
    ),
    "answers twice": (
        lambda request: answer() * 2,
        READY,
        "sent b'HTTP/1.1 200 Whatever.* after the end of its answer",
    ),
    "answers twice in chunks": (
        saying((CHUNKED + b"2\r\nOK\r\n0\r\n\r\n") * 2),
        READY,
        "sent more after the end of its answer",
    ),
    "answers a second time with no content": (
        lambda request: answer() + OURS.replace(b"200 OK", b"204 No Content") + b"\r\n",
        READY,
        "sent b'HTTP/1.1 204 No Content.* after the end of its answer",
    ),
    "answers without content twice": (
        saying((OURS.replace(b"200 OK", b"204 No Content") + b"\r\n") * 2),
        READY,
        "sent more after the end of its answer",
    ),
    "announces another after its answer": (
        lambda request: answer() + b"HTTP/1.1 103 Early Hints\r\n\r\n",
        READY,
        "sent b'HTTP/1.1 103 Early Hints.* after the end of its answer",
    ),
    "ends its chunks with an empty line more": (
        saying(CHUNKED + b"2\r\nOK\r\n0\r\n\r\n\r\n"),
        READY,
        "sent more after the end of its answer",
    ),
    "answers twice and closes": (
        saying(answer(more={"Connection": "close"}) * 2),
        READY,
        "sent b'HTTP/1.1 200 Whatever.* after the end of its answer",
    ),
    "packs its chunks for the way": (
        saying(CHUNKED.replace(b"chunked", b"gzip, chunked") + b"2\r\nOK\r\n0\r\n\r\n"),
        READY,
        "Transfer-Encoding 'gzip, chunked'",
    ),
    "packs its body as nobody can": (
        lambda request: answer(b"\x28\xb5\x2f\xfd", more={"Content-Encoding": "zstd"}),
        READY,
        "the Content-Encoding 'zstd', which can't be undone",
    ),
    "calls its body gzip": (
        lambda request: answer(more={"Content-Encoding": "gzip"}),
        READY,
        "the body is not gzip, as it says",
    ),
    "cuts its gzip off": (
        lambda request: answer(gzip.compress(b"OK")[:-4], more={"Content-Encoding": "gzip"}),
        READY,
        "the body ends in the middle of its gzip",
    ),
    "redirects to itself": (
        lambda request: answer(b"", status=302, more={"Location": "/page"}),
        READY,
        "redirected to /page",
    ),
    "belongs to somebody else": (
        lambda request: answer(headers={"X-Benchsuite-Run": "another"}),
        "it answers 200 with another run's run header",
        "another process answers",
    ),
    "belongs to nobody": (
        lambda request: answer(headers={}),
        "it answers 200 with no run header",
        "another process answers",
    ),
}

every_fault = pytest.mark.parametrize(
    ("behave", "probed", "loaded"), FAULTS.values(), ids=FAULTS.keys()
)


@every_fault
def test_the_probe_says_what_came(behave: Behaviour, probed: str, loaded: str) -> None:
    with Responder({"/page": behave}) as responder:
        probe = Probe(f"{responder.base_url}/page", RUN, timeout_s=LIMIT_S)
        tracemalloc.start()
        began = time.monotonic()
        try:
            ready = probe()
            took_s, (_, peak) = time.monotonic() - began, tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert ready is (probed == READY)
    assert probed in probe.heard
    assert took_s < LIMIT_S + 0.5
    assert peak < 4 * MIB


@every_fault
def test_the_load_refuses_it_in_a_sentence(
    tmp_path: Path, behave: Behaviour, probed: str, loaded: str
) -> None:
    with (
        Responder({"/page": behave}) as responder,
        load_worker(spool=tmp_path / "spool", log=tmp_path / "log", env=os.environ) as worker,
    ):
        resource.prlimit(worker.pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        with pytest.raises(AnswerError, match=loaded) as refusal:
            worker.check(a_job(responder, path="/page", timeout_s=LIMIT_S))
    assert "\n" not in str(refusal.value)


def test_what_came_stands_in_the_sentence(tmp_path: Path) -> None:
    with stub("answers_wrongly", tmp_path) as server:
        probe = Probe(f"http://127.0.0.1:{server.port}/", server.marker, timeout_s=0.5)
        with pytest.raises(StartError, match=r"did not answer within 0\.5 s: it answers 200 with"):
            wait_until_ready(server.process, probe, timeout_s=0.5, heard=lambda: probe.heard)


def test_a_page_that_takes_long_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """One question after another would each give up before the answer."""
    monkeypatch.setattr("benchsuite.telemetry.prober.asking.FIRST_S", 0.1)
    with Responder({"/page": after(0.5)}) as responder:
        probe = Probe(f"{responder.base_url}/page", RUN, timeout_s=10.0)
        asked = 1
        while not probe():
            asked += 1
    assert asked == 4, "after 0.1, 0.2 and 0.4 s it asked again"


@pytest.mark.parametrize("framing", [b"Content-Length: %d\r\n", b"X: %d\r\n"])
def test_a_download_is_counted_whole_and_not_kept(tmp_path: Path, framing: bytes) -> None:
    size = 2 * KEPT_BYTES + 12_345

    def download(request: Request) -> Iterator[bytes]:
        yield OURS + framing % size + b"Connection: close\r\n\r\n"
        yield from [b"x" * MIB] * (size // MIB)
        yield b"x" * (size % MIB)
        if framing.startswith(b"X"):
            request.headers["connection"] = "close"

    with Responder({"/page": download}) as responder:
        job = a_job(responder, "Lenient", path="/page", users=1, duration_s=0.3)
        result = load(tmp_path, job)
    assert set(result.kinds("GET /page")) == {Kind.OK}
    assert set(result.of("GET /page")["body_bytes"]) == {size}


def test_the_prober_gives_up_as_the_load_does(tmp_path: Path) -> None:
    behaviours = {"/page": FAULTS["drips its header"][0]}
    with Responder(behaviours) as responder:
        load = LoadProfile(users=10, timeout_s=0.3)
        request = probes.request_for(
            "/page",
            base_url=responder.base_url,
            token=RUN,
            load=load,
            headers={},
            seed=1,
        )
        with probes.prober(request, load, folder=tmp_path, on_cpus=None) as watch:
            assert eventually(lambda: len(watch.probes()) > 1)
        probe = watch.probes()[0]
    assert probe.outcome == HUNG
    assert 0.25 < probe.waited_s < 1.0
