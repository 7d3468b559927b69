"""Which channel layers the target has: the run's own, or the project's with keys of the run."""

import copy
from typing import Any

from benchsuite.core.specs import LayerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.brokers import change_layers
from benchsuite.isolation.overrides.changes import Changes

CORE = "channels_redis.core.RedisChannelLayer"
PUBSUB = "channels_redis.pubsub.RedisPubSubChannelLayer"
MEMORY = "channels.layers.InMemoryChannelLayer"
OWN = {"BACKEND": CORE, "CONFIG": {"hosts": ["redis://shop"], "prefix": "shop", "capacity": 5}}


def changed(layers: Any = None, **fields: Any) -> tuple[Any, str]:
    before = copy.deepcopy(layers)
    changes = Changes({} if layers is None else {"CHANNEL_LAYERS": layers})
    change_layers(
        changes, Instructions(settings_module="m", token="feedc0de" * 4, folder="/run", **fields)
    )
    assert layers == before
    return changes.values.get("CHANNEL_LAYERS"), changes.words.get("CHANNEL_LAYERS", "")


def test_a_project_without_layers_stays_without() -> None:
    assert changed() == (None, "")
    assert changed({}) == (None, "")


def test_what_the_project_has_in_redis_gets_keys_of_the_run() -> None:
    found, words = changed({"default": OWN, "other": {"BACKEND": PUBSUB}})
    assert found["default"]["CONFIG"] == {**OWN["CONFIG"], "prefix": "bench_feedc0de_shop"}
    assert found["other"]["CONFIG"] == {"prefix": "bench_feedc0de_asgi"}
    assert words == "keys carry a prefix of the run"


def test_a_layer_in_memory_is_left_alone() -> None:
    assert changed({"default": {"BACKEND": MEMORY}}) == (None, "")


def test_the_runs_layer_takes_the_place_of_the_projects() -> None:
    url = "redis://:s3cret@127.0.0.1:7/0"
    found, words = changed({"default": OWN}, layer=PUBSUB, layer_url=url)
    assert found == {
        "default": {
            "BACKEND": PUBSUB,
            "CONFIG": {
                "hosts": [{"address": url, "socket_timeout": None, "max_connections": 2**31}],
                "prefix": "bench_feedc0de_asgi",
            },
        }
    }
    assert words == f"default is {PUBSUB} by TCP"


def test_other_layers_of_the_project_stay() -> None:
    found, words = changed(
        {"default": OWN, "mine": OWN}, layer=CORE, layer_url="unix:///run/redis.sock?password=x"
    )
    assert set(found) == {"default", "mine"}
    assert found["mine"]["CONFIG"]["prefix"] == "bench_feedc0de_shop"
    assert words == f"default is {CORE} by Unix socket; keys carry a prefix of the run"


def test_a_layer_in_memory_has_no_place() -> None:
    found, words = changed(layer=MEMORY)
    assert found == {"default": {"BACKEND": MEMORY, "CONFIG": {}}}
    assert words == f"default is {MEMORY}"


def test_each_layer_that_can_be_asked_for_has_a_class() -> None:
    from django.utils.module_loading import import_string

    assert LayerSpec().path == ""
    for backend in ("memory", "redis", "redis-pubsub"):
        import_string(LayerSpec(backend=backend).path)


def test_a_layer_by_sentinel_is_given_as_channels_redis_asks_for_it() -> None:
    url = "rediss+sentinel://eve:s%40cret@one,[::1]:99/my-master/3?sentinel_password=p4ss"
    found, words = changed(layer=LayerSpec(backend="redis").path, layer_url=url)
    (host,) = found["default"]["CONFIG"]["hosts"]
    assert host == {
        "sentinels": [("one", 26379), ("::1", 99)],
        "master_name": "my-master",
        "sentinel_kwargs": {"password": "p4ss", "ssl": True},
        "socket_timeout": None,
        "max_connections": 2**31,
        "db": 3,
        "username": "eve",
        "password": "s@cret",
        "ssl": True,
    }
    assert words == f"default is {CORE} by Sentinel"
