"""How the target reaches its databases: as the instructions say, and every change in words."""

import copy
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes
from benchsuite.isolation.overrides.connecting import change_databases, moved

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


def test_nothing_is_changed_unasked() -> None:
    assert changed() == ({}, "")


def test_no_option_of_a_driver_names_the_project_s_own() -> None:
    own = {"default": {**PRIMARY, "OPTIONS": {"dbname": "shop", "sslmode": "require"}}}
    found, _ = changed(own, databases={"default": "b0"})
    assert (found["default"]["NAME"], found["default"]["OPTIONS"]) == ("b0", {"sslmode": "require"})


def test_what_stands_between_is_reached_by_all_on_that_server() -> None:
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


def test_a_server_of_the_run_is_reached_through_the_proxy_too() -> None:
    found, _ = changed(
        SQLITE, database_url="postgres://me@127.0.0.1:7/x", database_host="::1", database_port=8
    )
    assert (found["default"]["HOST"], found["default"]["PORT"]) == ("::1", 8)
    assert found["default"]["ENGINE"] == ENGINE


@pytest.mark.parametrize(
    ("age_s", "words"),
    [(0.0, "each request opens a connection"), (90.0, "connections are kept for 1 min 30 s")],
)
def test_connections_are_kept_as_long_as_asked_for(age_s: float, words: str) -> None:
    found, said = changed(conn_max_age_s=age_s)
    assert {entry["CONN_MAX_AGE"] for entry in found.values()} == {age_s}
    assert said == words


def test_a_project_with_a_pool_keeps_no_connections() -> None:
    with pytest.raises(UsageError, match=r"--conn-max-age=60 can't be used.*default a pool"):
        changed(POOLED, conn_max_age_s=60.0)
    assert changed(POOLED, conn_max_age_s=0.0)[0]["default"]["CONN_MAX_AGE"] == 0


@pytest.mark.parametrize(("largest", "first"), [(2, 2), (20, 4)])
def test_a_pool_of_a_size(largest: int, first: int) -> None:
    found, words = changed(pool=largest)
    for entry in found.values():
        assert entry["OPTIONS"]["pool"] == {"min_size": first, "max_size": largest}
        assert entry["CONN_MAX_AGE"] == 0
    assert words == f"each process has a pool of {largest} connections at most"


def test_a_mirror_shares_the_pool_and_its_options() -> None:
    found, _ = changed(pool=3, databases={"default": "b0"}, mirrors={"replica": "default"})
    assert found["replica"]["OPTIONS"] == found["default"]["OPTIONS"]


@pytest.mark.parametrize("own", [SQLITE, {}])
def test_no_pool_without_postgresql(own: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"--pool=5 needs PostgreSQL.*--database=postgresql"):
        changed(own, pool=5)


def test_options_of_another_engine_are_dropped() -> None:
    entry = {"ENGINE": "django.db.backends.sqlite3", "OPTIONS": {"init_command": "PRAGMA"}}
    assert "OPTIONS" not in moved(entry, "postgres://me@there/any")


def test_options_about_the_place_stay_there() -> None:
    entry = {"ENGINE": ENGINE, "OPTIONS": {"sslmode": "require", "pool": True}}
    assert moved(entry, "postgres://me@there/any")["OPTIONS"] == {"pool": True}


def test_options_for_the_server_are_put_together() -> None:
    entry = {"ENGINE": ENGINE, "OPTIONS": {"options": "-c search_path=shop"}}
    url = "postgres://me@there/any?options=-c%20role%3Dother"
    assert moved(entry, url)["OPTIONS"] == {"options": "-c search_path=shop -c role=other"}


def test_options_of_mysql_that_lead_elsewhere_stay_behind() -> None:
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
