"""Streams of server-sent events against a responder that loses, repeats and cuts them off."""

import time

import numpy as np
import pytest

from benchsuite.core.samples import Kind
from tests.integration.loads import a_job, load, refusals
from tests.integration.stubs_http import RUN, Responder, answer

HEAD = (
    f"HTTP/1.1 200 OK\r\nX-Benchsuite-Run: {RUN}\r\nContent-Type: text/event-stream\r\n"
    "Transfer-Encoding: chunked\r\n\r\n"
).encode()
END = b"0\r\n\r\n"

EVENT, STREAM, STRAY, CONNECTION = "event /s", "stream /s", "stray /s", "connection /s"
FIRST_S, GAP_S = 0.05, 0.02
SSE = "benchsuite.workloads.streams.Sse"


def chunk(number):
    event = f"id: {number}\ndata: x \n\n".encode()
    return b"%x\r\n%s\r\n" % (len(event), event)


def after(request):
    return int(request.headers.get("last-event-id", "0"))


def endless(request):
    yield HEAD
    time.sleep(FIRST_S)
    number = after(request)
    while True:
        number += 1
        yield chunk(number)
        time.sleep(GAP_S)


def telling(ids):
    """A stream of events with ids that depend on the request, to its end."""

    def behave(request):
        yield HEAD
        for number in ids(request):
            yield chunk(number)
            time.sleep(GAP_S)
        yield END

    return behave


def heard(tmp_path, behave, **changes):
    with Responder({"/s": behave, "/": lambda request: answer()}) as responder:
        job = a_job(responder, SSE, path="/s", unit="event", **changes)
        return load(tmp_path, job), responder


@pytest.mark.alone
def test_first_events_and_the_times_between_are_samples(tmp_path):
    result, responder = heard(tmp_path, endless, duration_s=1.2)
    assert responder.seen["/s"] == 2 + 1  # the check's
    assert result.kinds(STREAM) == {Kind.OK: 2}
    assert (result.of(STREAM)["finish"] - result.of(STREAM)["start"]).min() >= FIRST_S
    events = result.of(EVENT)
    assert result.kinds(EVENT) == {Kind.OK: len(events)}
    assert 50 < len(events) <= 2 * (1.2 - FIRST_S) / GAP_S + 2
    one = np.sort(events[events["user"] == 0], order="start")
    assert one["start"][0] == pytest.approx(result.of(STREAM)["finish"].min(), abs=0.05)
    assert (one["start"][1:] == one["finish"][:-1]).all()
    assert np.median(one["finish"] - one["start"]) == pytest.approx(GAP_S, rel=0.5)
    assert result.of(STRAY) == []
    assert max(count for _, count in result.done.connections) == 2


def test_a_dropped_stream_goes_on_after_the_last_event(tmp_path):
    result, _ = heard(tmp_path, endless, events=3, numbered=True)
    assert set(result.kinds(EVENT)) == {Kind.OK}
    assert len(result.of(STREAM)) > 4
    assert result.of(STRAY) == []
    assert set(result.kinds(CONNECTION)) == {Kind.OK}


def test_lost_and_repeated_events_are_counted(tmp_path):
    def odd(request):
        """Six numbers, of which the third is left out and the fifth comes twice."""
        return [after(request) + place for place in (1, 2, 4, 5, 5, 6)]

    result, _ = heard(tmp_path, telling(odd), numbered=True, users=1, duration_s=2.0)
    kinds, streams = result.kinds(EVENT), len(result.of(STREAM))
    assert streams >= 3
    assert set(kinds) == {Kind.OK, Kind.LOST}
    assert kinds[Kind.LOST] in (streams, streams - 1)
    assert result.kinds(STRAY)[Kind.DUPLICATED] in (streams, streams - 1)
    assert set(result.kinds(CONNECTION)) == {Kind.OK}
    assert "1 were left out" in result.example(EVENT, Kind.LOST)


def test_ids_that_are_no_numbers_tell_what_came_again(tmp_path):
    result, _ = heard(tmp_path, telling(lambda request: [f"{request.number}{a}" for a in "abbc"]))
    assert set(result.kinds(EVENT)) == {Kind.OK}
    assert result.kinds(STRAY)[Kind.DUPLICATED] >= 2


def test_any_id_is_only_a_name(tmp_path):
    """An empty one is forgotten; what is no number, or too long for one, comes back as it was."""
    asked = []

    def odd(request):
        asked.append(request.headers.get("last-event-id"))
        ids = [f"ä{request.number}", "", "", f"{request.number:0>5000}"]
        return ids[:1] if request.number % 2 else ids

    result, _ = heard(tmp_path, telling(odd), users=1)
    assert set(result.kinds(EVENT)) == {Kind.OK}
    assert set(result.kinds(STREAM)) == {Kind.OK}
    assert "ä3".encode().decode("latin-1") in asked
    assert "2".zfill(5000) in asked


def test_a_stream_that_breaks_off_has_failed(tmp_path):
    def broken(request):
        yield HEAD + chunk(1)
        yield from (chunk(number) for number in (2, 3))
        if request.number > 1:
            request.headers["connection"] = "close"
            return
        time.sleep(0.1)

    result, _ = heard(tmp_path, broken)
    assert result.kinds(EVENT)[Kind.TRUNCATED] == result.kinds(STRAY)[Kind.RESET] >= 2
    assert result.kinds(CONNECTION)[Kind.RESET] >= 2


def test_silence_is_a_timeout(tmp_path):
    def silent(request):
        yield HEAD + chunk(1)
        time.sleep(1.0 if request.number > 1 else 0)

    result, _ = heard(tmp_path, silent, timeout_s=0.3, duration_s=1.0, users=1)
    assert result.kinds(EVENT)[Kind.READ_TIMEOUT] >= 1
    assert result.example(EVENT, Kind.READ_TIMEOUT) == "no event came for 0.3 s"


def test_comments_are_no_events(tmp_path):
    def beats(request):
        yield HEAD + chunk(1)
        for _ in range(20 if request.number > 1 else 0):
            yield b"3\r\n:\n\n\r\n"
            time.sleep(0.05)

    result, _ = heard(tmp_path, beats, timeout_s=0.3, duration_s=1.0, users=1)
    assert result.kinds(EVENT)[Kind.READ_TIMEOUT] >= 1


NO_STREAMS = {
    "expected a stream of events, and got ''": answer(),
    "answered 404": answer(status=404),
    "ended before an event": HEAD + END,
}


def test_what_is_no_stream_is_refused(tmp_path):
    behaviours = {
        f"/{at}": lambda request, sent=sent: sent for at, sent in enumerate(NO_STREAMS.values())
    }
    with Responder(behaviours) as responder:
        jobs = [a_job(responder, SSE, path=path, unit="event") for path in behaviours]
        for words, sentence in zip(NO_STREAMS, refusals(tmp_path, *jobs), strict=True):
            assert words in sentence
