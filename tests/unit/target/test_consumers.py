"""The measured consumers, under Channels' own communicator; `routing` as runs mount it."""

import asyncio

import pytest
from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer, channel_layers
from channels.testing import WebsocketCommunicator

from benchsuite.target.gate import RUN_VARIABLE
from benchsuite.target.routing import application
from tests.unit.target.outcome import outcome

WAIT_S = 20.0
TWINS = ("", "_sync")
PAYLOADS = ["", "é\u2028\U0001f600", "x" * 100_000, b"", b"\x00\xff\x80", bytes(range(256)) * 400]


@pytest.fixture(autouse=True)
def run(monkeypatch, settings):
    """Inside a server that a run started, with a channel layer."""
    monkeypatch.setenv(RUN_VARIABLE, "the-token")
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    yield settings
    channel_layers.backends.clear()


def talk(*paths, then, **options):
    """Connects to each path, calls `then` with the communicators and disconnects them."""

    async def all_of_it():
        clients = [WebsocketCommunicator(application, path, **options) for path in paths]
        for client in clients:
            accepted, _ = await client.connect(timeout=WAIT_S)
            assert accepted
        await then(*clients)
        for client in clients:
            await client.disconnect(timeout=WAIT_S)

    asyncio.run(all_of_it())


def refused(path):
    async def connect():
        client = WebsocketCommunicator(application, path)
        await client.send_input({"type": "websocket.connect"})
        answer = await outcome(client, WAIT_S)
        await client.disconnect(timeout=WAIT_S)
        return bool(answer["type"] == "websocket.close")

    return asyncio.run(connect())


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("kind", ["echo", "echo_layer", "broadcast"])
def test_sends_back_exactly_what_it_gets(kind, twin):
    async def say(client):
        for payload in PAYLOADS:
            key = "text" if isinstance(payload, str) else "bytes"
            await client.send_input({"type": "websocket.receive", key: payload})
            assert await client.receive_from(WAIT_S) == payload

    talk(f"/bench/ws/{kind}{twin}/", then=say)


@pytest.mark.parametrize("twin", TWINS)
def test_echo_needs_no_layer_and_who_does_says_so(twin, run):
    run.CHANNEL_LAYERS = {}

    async def say(client):
        await client.send_to(text_data="hello")
        assert await client.receive_from(WAIT_S) == "hello"

    talk(f"/bench/ws/echo{twin}/", then=say)
    for kind in ("echo_layer", "broadcast"):
        with pytest.raises(Exception, match="needs a channel layer, and CHANNEL_LAYERS has"):
            refused(f"/bench/ws/{kind}{twin}/")


@pytest.mark.parametrize("twin", TWINS)
def test_broadcast_reaches_all_and_idle_says_nothing(twin):
    path = f"/bench/ws/broadcast{twin}/"

    async def say(one, two):
        await one.send_to(text_data="hello")
        assert [await client.receive_from(WAIT_S) for client in (one, two)] == ["hello"] * 2

    talk(path, path, then=say)

    async def wait(client):
        await client.send_to(text_data="hello")
        assert await client.receive_nothing()

    talk(f"/bench/ws/idle{twin}/", then=wait)


@pytest.mark.parametrize("twin", TWINS)
def test_a_full_channel_closes_the_connection(twin, monkeypatch):
    async def full(layer, channel, message):
        raise ChannelFull

    monkeypatch.setattr(InMemoryChannelLayer, "send", full)

    async def say(client):
        await client.send_to(text_data="hello")
        assert await client.receive_output(WAIT_S) == {"type": "websocket.close", "code": 4013}

    talk(f"/bench/ws/echo_layer{twin}/", then=say)


def test_nothing_answers_outside_a_run_and_an_unknown_consumer_is_refused(monkeypatch):
    assert refused("/bench/ws/nothing/")
    monkeypatch.delenv(RUN_VARIABLE)
    for kind in ("echo", "echo_layer", "broadcast", "idle"):
        assert all(refused(f"/bench/ws/{kind}{twin}/") for twin in TWINS)


@pytest.mark.parametrize(
    ("offered", "chosen"), [([], None), (["chat", "benchsuite"], "benchsuite"), (["chat"], None)]
)
@pytest.mark.parametrize("path", ["/bench/ws/echo/", "/bench/ws/idle_sync/"])
def test_speaks_one_subprotocol(path, offered, chosen):
    async def connect():
        client = WebsocketCommunicator(application, path, subprotocols=offered)
        _, subprotocol = await client.connect(timeout=WAIT_S)
        await client.disconnect(timeout=WAIT_S)
        return subprotocol

    assert asyncio.run(connect()) == chosen
