"""How the target reaches its databases and channel layers, and what slows it down."""

import copy
from typing import Any

import pytest

from benchsuite.core.specs import LayerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.brokers import change_layers
from benchsuite.isolation.overrides.changes import Changes
from benchsuite.isolation.overrides.connecting import change_databases, moved
from benchsuite.isolation.overrides.slowing import slowing, undone

ENGINE = "django.db.backends.postgresql"
PRIMARY: dict[str, Any] = {
    "ENGINE": ENGINE,
    "NAME": "shop",
    "HOST": "primary",
    "PORT": "5432",
    "CONN_MAX_AGE": 60,
}
DATABASES: dict[str, Any] = {
    "default": PRIMARY,
    "logs": {**PRIMARY, "NAME": "logs"},
    "far": {**PRIMARY, "HOST": "elsewhere"},
    "replica": {**PRIMARY, "HOST": "second", "TEST": {"MIRROR": "default"}},
}
SQLITE = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.sqlite3"}}
POOLED = {"default": {**PRIMARY, "CONN_MAX_AGE": 0, "OPTIONS": {"pool": True}}}


def changed(own: Any = DATABASES, **fields: Any) -> tuple[dict[str, Any], str]:
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


def test_options_of_another_engine_are_dropped():
    entry = {"ENGINE": "django.db.backends.sqlite3", "OPTIONS": {"init_command": "PRAGMA"}}
    assert "OPTIONS" not in moved(entry, "postgres://me@there/any")


def test_options_about_the_place_stay_there():
    entry = {"ENGINE": ENGINE, "OPTIONS": {"sslmode": "require", "pool": True}}
    assert moved(entry, "postgres://me@there/any")["OPTIONS"] == {"pool": True}


def test_options_for_the_server_are_put_together():
    entry = {"ENGINE": ENGINE, "OPTIONS": {"options": "-c search_path=shop"}}
    url = "postgres://me@there/any?options=-c%20role%3Dother"
    assert moved(entry, url)["OPTIONS"] == {"options": "-c search_path=shop -c role=other"}


def test_options_of_mysql_that_lead_elsewhere_stay_behind():
    """Django gives them to the driver in place of HOST, USER and NAME."""
    mysql = "django.db.backends.mysql"
    place = {"read_default_file": "/etc/shop.cnf", "unix_socket": "/run/mysqld.sock", "db": "shop"}
    own = {"ENGINE": mysql, "OPTIONS": {"charset": "utf8mb4", "ssl": {"ca": "x"}, **place}}
    found = moved(own, "mysql://benchsuite@127.0.0.1:4406/mysql")
    assert (found["ENGINE"], found["PORT"], found["OPTIONS"]) == (
        mysql,
        4406,
        {"charset": "utf8mb4"},
    )


CORE = "channels_redis.core.RedisChannelLayer"
PUBSUB = "channels_redis.pubsub.RedisPubSubChannelLayer"
MEMORY = "channels.layers.InMemoryChannelLayer"
OWN = {"BACKEND": CORE, "CONFIG": {"hosts": ["redis://shop"], "prefix": "shop", "capacity": 5}}


def changed_layers(layers: Any = None, **fields: Any) -> tuple[Any, str]:
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


def test_a_layer_by_sentinel_is_given_as_channels_redis_asks_for_it():
    url = "rediss+sentinel://eve:s%40cret@one,[::1]:99/my-master/3?sentinel_password=p4ss"
    found, words = changed_layers(layer=LayerSpec(backend="redis").path, layer_url=url)
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


FILES = "django.template.loaders.filesystem.Loader"
CACHED = "django.template.loaders.cached.Loader"


@pytest.mark.parametrize(
    ("loaders", "slow"),
    [
        (None, False),
        ([], False),
        ([FILES], True),
        ([(FILES, ["/srv/templates"])], True),
        ([(CACHED, [FILES])], False),
        ([[CACHED, [FILES]]], False),
    ],
)
def test_templates_that_are_compiled_for_each_page(loaders, *, slow):
    options = {} if loaders is None else {"loaders": loaders}
    engine = {"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": options}
    words = {"TEMPLATES": f"loaders without {CACHED} compile templates for each page"}
    assert slowing({"TEMPLATES": [engine]}) == (words if slow else {})
    jinja = {**engine, "BACKEND": "django.template.backends.jinja2.Jinja2"}
    assert slowing({"TEMPLATES": [jinja]}) == {}


def test_what_ends_with_debug():
    sql = {"loggers": {"django.db.backends": {"level": "DEBUG"}}}
    assert set(undone({"DEBUG": True, "LOGGING": sql})) == {"DEBUG", "LOGGING"}
    assert set(undone({"DEBUG": True, "LOGGING": {"loggers": {"django": {}}}})) == {"DEBUG"}
    assert undone({"DEBUG": False, "LOGGING": sql}) == {}
    assert undone({}) == {}
