"""How the target reaches its databases and channel layers, and what slows it down."""

import copy
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LayerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes
from benchsuite.isolation.overrides.connecting import change_databases, moved
from benchsuite.isolation.overrides.layers import change_layers
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


def test_nothing_is_changed_unasked():
    assert changed() == ({}, "")


def test_no_option_of_a_driver_names_the_project_s_own():
    own = {"default": {**PRIMARY, "OPTIONS": {"dbname": "shop", "sslmode": "require"}}}
    found, _ = changed(own, databases={"default": "b0"})
    assert (found["default"]["NAME"], found["default"]["OPTIONS"]) == ("b0", {"sslmode": "require"})


def test_what_stands_between_is_reached_by_all_on_that_server():
    found, words = changed(
        database_host="127.0.0.1",
        database_port=4444,
        databases={"default": "b0", "logs": "b1", "far": "b2"},
        mirrors={"replica": "default"},
    )
    places = {alias: (entry["HOST"], entry["PORT"]) for alias, entry in found.items()}
    assert places == {
        "default": ("127.0.0.1", 4444),
        "logs": ("127.0.0.1", 4444),
        "far": ("elsewhere", "5432"),
        "replica": ("127.0.0.1", 4444),
    }
    assert "reached through 127.0.0.1:4444" in words


def test_a_server_of_the_run_is_reached_through_the_proxy_too():
    found, _ = changed(
        SQLITE, database_url="postgres://me@127.0.0.1:7/x", database_host="::1", database_port=8
    )
    assert (found["default"]["HOST"], found["default"]["PORT"]) == ("::1", 8)
    assert found["default"]["ENGINE"] == ENGINE


@pytest.mark.parametrize(
    ("age_s", "words"),
    [(0.0, "each request opens a connection"), (90.0, "connections are kept for 1 min 30 s")],
)
def test_connections_are_kept_as_long_as_asked_for(age_s, words):
    found, said = changed(conn_max_age_s=age_s)
    assert {entry["CONN_MAX_AGE"] for entry in found.values()} == {age_s}
    assert said == words


def test_a_project_with_a_pool_keeps_no_connections():
    with pytest.raises(UsageError, match=r"--conn-max-age=60 can't be used.*default a pool"):
        changed(POOLED, conn_max_age_s=60.0)
    assert changed(POOLED, conn_max_age_s=0.0)[0]["default"]["CONN_MAX_AGE"] == 0


@pytest.mark.parametrize(("largest", "first"), [(2, 2), (20, 4)])
def test_a_pool_of_a_size(largest, first):
    found, words = changed(pool=largest)
    for entry in found.values():
        assert entry["OPTIONS"]["pool"] == {"min_size": first, "max_size": largest}
        assert entry["CONN_MAX_AGE"] == 0
    assert words == f"each process has a pool of {largest} connections at most"


def test_a_mirror_shares_the_pool_and_its_options():
    found, _ = changed(pool=3, databases={"default": "b0"}, mirrors={"replica": "default"})
    assert found["replica"]["OPTIONS"] == found["default"]["OPTIONS"]


@pytest.mark.parametrize("own", [SQLITE, {}])
def test_no_pool_without_postgresql(own):
    with pytest.raises(UsageError, match=r"--pool=5 needs PostgreSQL.*--database=postgresql"):
        changed(own, pool=5)


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


def test_a_project_without_layers_stays_without():
    assert changed_layers() == (None, "")
    assert changed_layers({}) == (None, "")


def test_what_the_project_has_in_redis_gets_keys_of_the_run():
    found, words = changed_layers({"default": OWN, "other": {"BACKEND": PUBSUB}})
    assert found["default"]["CONFIG"] == {**OWN["CONFIG"], "prefix": "bench_feedc0de_shop"}
    assert found["other"]["CONFIG"] == {"prefix": "bench_feedc0de_asgi"}
    assert words == "keys carry a prefix of the run"


def test_a_layer_in_memory_is_left_alone():
    assert changed_layers({"default": {"BACKEND": MEMORY}}) == (None, "")


def test_the_runs_layer_takes_the_place_of_the_projects():
    url = "redis://:s3cret@127.0.0.1:7/0"
    found, words = changed_layers({"default": OWN}, layer=PUBSUB, layer_url=url)
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


def test_other_layers_of_the_project_stay():
    found, words = changed_layers(
        {"default": OWN, "mine": OWN}, layer=CORE, layer_url="unix:///run/redis.sock?password=x"
    )
    assert set(found) == {"default", "mine"}
    assert found["mine"]["CONFIG"]["prefix"] == "bench_feedc0de_shop"
    assert words == f"default is {CORE} by Unix socket; keys carry a prefix of the run"


def test_a_layer_in_memory_has_no_place():
    found, words = changed_layers(layer=MEMORY)
    assert found == {"default": {"BACKEND": MEMORY, "CONFIG": {}}}
    assert words == f"default is {MEMORY}"


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


def test_plain_settings():
    plain = {
        "MIDDLEWARE": ["django.middleware.common.CommonMiddleware", "shop.silken.Middleware"],
        "INSTALLED_APPS": ["django.contrib.auth", "silkroad"],
    }
    assert slowing(plain) == {}
    assert slowing({}) == {}


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("debug_toolbar.middleware.DebugToolbarMiddleware", "Django Debug Toolbar"),
        ("silk.middleware.SilkyMiddleware", "Silk"),
        ("pyinstrument.middleware.ProfilerMiddleware", "pyinstrument"),
    ],
)
def test_tools(path, tool):
    assert slowing({"MIDDLEWARE": (path,)}) == {"MIDDLEWARE": f"{tool} is installed"}


def test_two_tools_in_both_places():
    found = slowing(
        {
            "INSTALLED_APPS": ["silk", "debug_toolbar"],
            "MIDDLEWARE": ["silk.middleware.SilkyMiddleware"],
        }
    )
    assert found == {
        "INSTALLED_APPS": "Silk and Django Debug Toolbar are installed",
        "MIDDLEWARE": "Silk is installed",
    }


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
