"""Streams of events: what of them is asked for, what the view sends, and what is refused."""

import asyncio
from itertools import islice
from typing import Any

import pytest
from django.test import AsyncClient, Client
from django.urls import include, path

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile
from benchsuite.load.client.http.streams import Event, Parser
from benchsuite.workloads.streams import Sse

urlpatterns = [path("bench/", include("benchsuite.target.urls"))]
pytestmark = pytest.mark.urls(__name__)

URL = "/bench/sse/?rate=0&size=9"


@pytest.fixture(autouse=True)
def in_a_run(monkeypatch):
    monkeypatch.setenv("BENCHSUITE_RUN", "a-run")


class Heard:
    """A client whose stream tells what it was given."""

    def __init__(self, *events):
        self.asked: dict[str, Any] = {}
        self.came = 0
        self.dropped = 0
        self._events = iter(events)

    def events(self, path, **words):
        self.asked = {"path": path, **words}
        return self

    def next(self):
        self.came += 1
        return next(self._events)

    def drop(self):
        self.came = 0
        self.dropped += 1


def three(pieces):
    parser = Parser()
    return [event for piece in islice(pieces, 3) for event in parser.feed(piece)]


@pytest.mark.django_db
def test_the_view_goes_on_after_the_last_event():
    answer = Client().get(URL, headers={"Last-Event-ID": "7"})
    assert answer["Content-Type"] == "text/event-stream"
    events = three(iter(answer.streaming_content))
    answer.close()
    assert [event.id for event in events] == ["8", "9", "10"]
    client = Heard(*events)
    for _ in events:
        Sse(rate=0.0, size=9).journey(client)
    assert client.asked == {
        "path": "/bench/sse/?rate=0.0&size=9",
        "after": "0",
        "numbered": True,
        "endless": True,
    }


def test_under_asgi_it_is_an_async_stream():
    async def pieces():
        answer = await AsyncClient().get(URL)
        coming = aiter(answer.streaming_content)
        return [await anext(coming) for _ in range(3)]

    assert [event.id for event in three(asyncio.run(pieces()))] == ["1", "2", "3"]


def test_the_view_is_not_there_outside_a_run(monkeypatch):
    monkeypatch.delenv("BENCHSUITE_RUN")
    assert Client().get(URL).status_code == 404


def test_after_so_many_events_the_stream_is_dropped():
    client = Heard(*(Event("1", "message", "1 xx") for _ in range(5)))
    work = Sse(size=4, events=2)
    for _ in range(5):
        work.journey(client)
    assert client.dropped == 2


def test_a_stream_of_ones_own():
    client = Heard(Event("some", "message", "anything"))
    work = Sse(path="/events/")
    work.journey(client)
    assert client.asked == {"path": "/events/", "after": "", "numbered": False, "endless": False}
    assert not work.needs_target_app
    assert "numbered=true" in work.unchecked
    assert "numbered" not in Sse(path="/events/", numbered=True).unchecked
    assert Sse().unchecked == ""
    assert Sse().needs_target_app


def test_nonsense_is_refused(golden):
    golden.cases(lambda options: Sse(**options), refuses=UsageError)


def test_events_come_before_they_are_given_up():
    with pytest.raises(UsageError, match="20 s apart, and each times out"):
        Sse(rate=0.05).fit(LoadProfile(timeout_s=10.0))
    Sse(rate=0.05).fit(LoadProfile(timeout_s=30.0))
    Sse(rate=0.0).fit(LoadProfile(timeout_s=1.0))
    Sse(path="/events/").fit(LoadProfile(timeout_s=0.05))


def test_a_load_that_makes_no_sense_is_refused(golden):
    golden.cases(lambda load: Sse().fit(load), refuses=UsageError)


def test_values(golden):
    golden.values()
