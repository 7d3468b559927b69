"""How the target reaches its databases and channel layers, and what slows it down."""

import copy

from benchsuite.core.specs import LayerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.brokers import change_layers
from benchsuite.isolation.overrides.changes import Changes
from benchsuite.isolation.overrides.connecting import change_databases

ENGINE = "django.db.backends.postgresql"
PRIMARY = {
    "ENGINE": ENGINE,
    "NAME": "shop",
    "HOST": "primary",
    "PORT": "5432",
    "CONN_MAX_AGE": 60,
}
DATABASES = {
    "default": PRIMARY,
    "logs": {**PRIMARY, "NAME": "logs"},
    "far": {**PRIMARY, "HOST": "elsewhere"},
    "replica": {**PRIMARY, "HOST": "second", "TEST": {"MIRROR": "default"}},
}
SQLITE = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.sqlite3"}}
POOLED = {"default": {**PRIMARY, "CONN_MAX_AGE": 0, "OPTIONS": {"pool": True}}}


def changed(own=DATABASES, **fields):
    """The entries and the words; nothing without a change."""
    before = copy.deepcopy(own)
    changes = Changes({"DATABASES": own})
    change_databases(
        changes, Instructions(settings_module="m", token="feed", folder="/run", **fields)
    )
    assert own == before
    return changes.values.get("DATABASES", {}), changes.words.get("DATABASES", "")


def test_what_becomes_of_settings(golden):
    golden.cases(repr)


CORE = "channels_redis.core.RedisChannelLayer"
PUBSUB = "channels_redis.pubsub.RedisPubSubChannelLayer"
MEMORY = "channels.layers.InMemoryChannelLayer"
OWN = {"BACKEND": CORE, "CONFIG": {"hosts": ["redis://shop"], "prefix": "shop", "capacity": 5}}


def changed_layers(layers=None, **fields):
    before = copy.deepcopy(layers)
    changes = Changes({} if layers is None else {"CHANNEL_LAYERS": layers})
    change_layers(
        changes, Instructions(settings_module="m", token="feedc0de" * 4, folder="/run", **fields)
    )
    assert layers == before
    return changes.values.get("CHANNEL_LAYERS"), changes.words.get("CHANNEL_LAYERS", "")


def test_each_layer_that_can_be_asked_for_has_a_class():
    from django.utils.module_loading import import_string

    assert LayerSpec().path == ""
    for backend in ("memory", "redis", "redis-pubsub"):
        import_string(LayerSpec(backend=backend).path)


FILES = "django.template.loaders.filesystem.Loader"
CACHED = "django.template.loaders.cached.Loader"


def test_values(golden):
    golden.values()
