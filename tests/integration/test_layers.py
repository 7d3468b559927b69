"""Channel layers on the run's own Redis, and requests that go through them to workers."""

import asyncio
import logging
import uuid

import pytest
from channels.exceptions import ChannelFull
from channels_redis.core import BoundedQueue
from django.utils.module_loading import import_string

from benchsuite.core.specs import LayerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.brokers import change_layers
from benchsuite.isolation.overrides.changes import Changes
from benchsuite.isolation.served import counting
from benchsuite.services.redis import Redis
from tests.integration.command import measured
from tests.integration.postgres import started
from tests.needs import audited, needs

pytestmark = needs("redis", "redis-py", "channels-redis", "daphne")

MEMBERS = 12


@pytest.fixture(scope="module", params=["tcp", "unix"])
def service(request):
    with started(Redis, by=request.param) as one:
        yield one


def with_layer(backend, url, then):
    """The layer as a target has it that is told this URL."""

    async def all_of_it():
        path, changes = LayerSpec(backend=backend).path, Changes({})
        told = {"layer": path, "layer_url": "" if backend == "memory" else url}
        token = uuid.uuid4().hex
        change_layers(changes, Instructions(settings_module="", token=token, folder="", **told))
        made = changes.values["CHANNEL_LAYERS"]["default"]
        layer = import_string(path)(**made["CONFIG"])
        try:
            await then(layer)
        finally:
            await layer.flush()

    asyncio.run(all_of_it())


async def broadcast(layer):
    channels = [await layer.new_channel() for _ in range(MEMBERS)]
    for channel in channels:
        await layer.group_add("all", channel)
    await layer.group_send("all", {"type": "said", "text": "é"})
    async with asyncio.timeout(10):
        heard = await asyncio.gather(*(layer.receive(channel) for channel in channels))
    assert heard == [{"type": "said", "text": "é"}] * MEMBERS


@pytest.mark.parametrize("backend", ["memory", "redis", "redis-pubsub"])
def test_a_group_hears_what_is_sent_to_it(backend, service):
    with_layer(backend, service.url, broadcast)


@pytest.fixture
def left_out(monkeypatch):
    """One for each message that is left out; who looks is gone after the test."""
    for owner, name in ((ChannelFull, "__init__"), (BoundedQueue, "put_nowait")):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    logger = logging.getLogger("channels_redis.core")
    monkeypatch.setattr(logger, "filters", [])
    monkeypatch.setattr(logger, "level", logger.level)
    counted: list[None] = []
    counting.Overflow(lambda: counted.append(None)).watch()
    return counted


@pytest.mark.parametrize("backend", ["memory", "redis"])
def test_what_a_layer_leaves_out_is_counted_whatever_is_logged(backend, service, left_out, caplog):
    async def send_too_much(layer):
        layer.capacity = 10
        await layer.group_add("all", "nobody!here")
        for _ in range(25):
            await layer.group_send("all", {"type": "said"})

    caplog.set_level("WARNING")  # the layer tells it at INFO
    with_layer(backend, service.url, send_too_much)
    assert len(left_out) == 15
    assert not [one for one in caplog.records if "over capacity" in one.message]


def test_what_a_process_forgets_is_counted(left_out):
    async def put_too_much():
        queue = BoundedQueue(10)
        for number in range(25):
            queue.put_nowait(number)
        assert queue.get_nowait() == 15

    asyncio.run(put_too_much())
    assert len(left_out) == 15


LAYERED = [
    (("--layer=redis", "--layer-by=unix", "--layer-workers=2", "--delay-to-layer=5ms"), 2),
    (("--layer=memory",), 0),
    (("--layer=redis", "--layer-workers=1", "--delay-to-layer=5ms"), 1),
    (("--layer=redis-pubsub", "--layer-workers=1"), 1),
]


@pytest.mark.parametrize(("words", "workers"), audited(LAYERED, LAYERED[0]))
def test_requests_go_through_the_layer(command, words, workers):
    one = measured(command, "--server=daphne --workload=layer", *words)
    assert one["failures"] == 0
    assert one["requests"] > 5
    parts = [program["part"] for program in one["programs"]]
    assert parts.count("workers") == workers
    assert parts.count("target") == 1
    assert parts.count("redis") == bool(workers)
    watched = {it["part"] for it in one["stored"]["readings"] if it["memory_bytes"]}
    assert ("redis" in watched) == bool(workers)
    assert "CHANNEL_LAYERS" in one["settings_changed"]
    assert "channels" not in one["settings_changed"].get("INSTALLED_APPS", "")
    late = "--delay-to-layer=5ms" in words
    assert parts.count("delay") == late
    if late:  # there and back: each is put into Redis, and taken out by who waits for it
        assert one["delay"]["proxies"]["delay-to-layer"]["delay_s"] == 0.005
        assert one["response_time"]["min_s"] > 2 * 0.005


def test_a_redis_that_is_there_already_is_used(command, service):
    one = measured(
        command,
        "--server=uvicorn --workload=layer --layer=redis --layer-workers=1 "
        f"--layer-url={service.url}",
    )
    assert one["failures"] == 0
    assert "redis" not in {program["part"] for program in one["programs"]}
    assert "password" not in str(one["spec"]["layer"])
    password = service.url.rpartition("password=")[2] if service.socket else service.url[9:41]
    assert password not in str(one)


def test_a_redis_that_is_not_there_is_told_by_the_worker(command):
    words = "--server=daphne --workload=layer --layer=redis --layer-workers=1"
    ended = command.run("runbench", *words.split(), "--layer-url=redis://127.0.0.1:9/0", status=1)
    assert "runworker 1 ended with status 1 before it answered" in ended.err
    assert "ConnectionError" in ended.err
