"""HTTP through the channel layer: each request gets its own answer, or a status that says why."""

import asyncio
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.exceptions import ChannelFull
from channels.layers import BaseChannelLayer, channel_layers
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from benchsuite.target import layer
from benchsuite.target.gate import RUN_VARIABLE
from benchsuite.target.layer import Asking, workers_channel
from tests.unit.target.outcome import outcome


@csrf_exempt
def echo(request):
    """Its method, query, header and body."""
    said = [request.method or "", request.META["QUERY_STRING"], request.headers["X-Number"]]
    return HttpResponse(" ".join(said).encode() + b" " + request.body)


def raising(request):
    raise ValueError("on purpose")


urlpatterns = [path("bench/echo/", echo), path("bench/raising/", raising)]
pytestmark = pytest.mark.urls(__name__)

Answer = tuple[int, bytes]


class Deaf(BaseChannelLayer):
    """A layer at whose other end nobody is; counts what is sent."""

    def __init__(self, *, full=False):
        super().__init__()
        self.full = full
        self.sent: list[dict[str, Any]] = []

    async def new_channel(self):
        return "reply!1"

    async def send(self, channel, message):
        if self.full:
            raise ChannelFull
        self.sent.append(message)

    async def receive(self, channel):
        await asyncio.Event().wait()
        raise AssertionError


@pytest.fixture(autouse=True)
def run(monkeypatch, settings):
    """Inside a server that a run started, with a layer in memory."""
    monkeypatch.setenv(RUN_VARIABLE, "feedc0de" * 4)
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    layer._django.cache_clear()
    yield
    layer._django.cache_clear()
    channel_layers.backends.clear()


async def get(application, path, *, number=0, body=b"", pieces=1):
    scope = {
        "type": "http",
        "method": "POST" if body else "GET",
        "path": path,
        "query_string": b"a=b",
        "headers": [(b"x-number", str(number).encode()), (b"host", b"testserver")],
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 80),
    }
    client = ApplicationCommunicator(application, scope)
    size = max(1, len(body) // pieces)
    parts = [body[at : at + size] for at in range(0, len(body), size)] or [b""]
    for index, part in enumerate(parts):
        more = index + 1 < len(parts)
        await client.send_input({"type": "http.request", "body": part, "more_body": more})
    start = await outcome(client, 10)
    end = await outcome(client, 10)
    return start["status"], end["body"]


def with_one(then):
    async def all_of_it():
        await then(Asking())

    asyncio.run(all_of_it())


def test_each_request_gets_its_own_answer():
    assert workers_channel() == "bench.layer.feedc0de"

    async def ask(application):
        answers = await asyncio.gather(
            *(get(application, "/bench/layer/echo/", number=number) for number in range(50))
        )
        assert answers == [(200, f"GET a=b {number} ".encode()) for number in range(50)]

    with_one(ask)


def test_a_body_passes_whole():
    body = bytes(range(256)) * 100

    async def ask(application):
        for pieces in (1, 7):
            found = await get(application, "/bench/layer/echo/", body=body, pieces=pieces)
            assert found == (200, b"POST a=b 0 " + body)

    with_one(ask)


def test_what_django_answers_is_passed_on_and_the_worker_goes_on(monkeypatch):
    async def ask(application):
        assert (await get(application, "/bench/layer/nowhere/"))[0] == 404
        assert (await get(application, "/bench/layer/raising/"))[0] == 500
        with monkeypatch.context() as broken:
            broken.setattr(layer, "_django", lambda: None)
            assert await get(application, "/bench/layer/echo/") == (500, b"The worker failed.")
        assert (await get(application, "/bench/layer/echo/"))[0] == 200

    with_one(ask)


def test_without_a_worker_a_request_ends_with_504(monkeypatch):
    monkeypatch.setattr(layer, "REPLY_S", 0.3)
    silent = Deaf()
    channel_layers.set("default", silent)

    async def ask(application):
        answers = await asyncio.gather(*(get(application, "/bench/layer/echo/") for _ in range(3)))
        assert answers == [(504, b"No worker has answered in time.")] * 3
        assert len(silent.sent) > 1, "a worker is called again and again"
        assert {message["number"] for message in silent.sent} == {layer.HELLO}

    with_one(ask)


def test_a_full_channel_is_waited_for_while_no_worker_was_met_and_503_afterwards(monkeypatch):
    async def wait(application):
        assert (await get(application, "/bench/layer/echo/"))[0] == 504

    channel_layers.set("default", Deaf(full=True))
    with monkeypatch.context() as impatient:
        impatient.setattr(layer, "REPLY_S", 0.2)
        with_one(wait)
    channel_layers.backends.clear()

    async def ask(application):
        assert (await get(application, "/bench/layer/echo/"))[0] == 200
        channel_layers.set("default", Deaf(full=True))
        found = await get(application, "/bench/layer/echo/")
        assert found == (503, b"The channel of the workers is full.")

    with_one(ask)


def test_a_layer_that_failed_is_opened_again():
    async def ask(application):
        assert (await get(application, "/bench/layer/echo/"))[0] == 200
        for task in application._running:
            task.cancel()
        await asyncio.sleep(0)
        assert (await get(application, "/bench/layer/echo/"))[0] == 200

    with_one(ask)


def test_without_any_layer_the_error_says_so(settings):
    settings.CHANNEL_LAYERS = {}
    channel_layers.backends.clear()

    async def ask(application):
        with pytest.raises(Exception, match="CHANNEL_LAYERS has no 'default'"):
            await get(application, "/bench/layer/echo/")

    with_one(ask)
