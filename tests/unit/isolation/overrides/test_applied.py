"""Each setting that a run changes: changed when it must be, left when it need not, and said."""

import copy
import json
import os
import sys
from typing import Any

import pytest

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.applied import overridden
from benchsuite.isolation.overrides.inherited import Replaced
from benchsuite.isolation.overrides.rules import MAIL_SINK

INSTRUCTIONS = Instructions(settings_module="shop.settings", token="feed", folder="/run")
SETTINGS: dict[str, Any] = {
    "DEBUG": False,
    "ALLOWED_HOSTS": ["127.0.0.1", "localhost"],
    "EMAIL_BACKEND": MAIL_SINK,
    "INSTALLED_APPS": ["shop"],
    "ROOT_URLCONF": "shop.urls",
    "WSGI_APPLICATION": "shop.wsgi.application",
    "LOGGING": {"version": 1},
    "DATABASES": {
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "shop",
            "HOST": "primary",
            "PASSWORD": "one",
            "OPTIONS": {"pool": True},
            "CONN_MAX_AGE": 60,
        },
        "replica": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "shop",
            "HOST": "second",
            "PASSWORD": "two",
            "TEST": {"MIRROR": "default"},
        },
    },
}
ALWAYS = {"ASGI_APPLICATION", "WSGI_APPLICATION", "MEDIA_ROOT"}


def changed(
    instructions: Instructions = INSTRUCTIONS, **settings: Any
) -> tuple[dict[str, Any], dict[str, str]]:
    given = {**SETTINGS, **settings}
    before = copy.deepcopy(given)
    result = overridden(given, instructions)
    assert given == before
    return result.values, result.words


def instructions(**fields: Any) -> Instructions:
    return Instructions(
        **{"settings_module": "shop.settings", "token": "feed", "folder": "/run", **fields}
    )


SETTINGS_INHERITED: dict[str, Any] = {
    "DATABASES": {
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "shop",
            "USER": "shop",
            "PASSWORD": "s/cret",
            "HOST": "db",
        },
        "log": {"ENGINE": "django.db.backends.sqlite3", "NAME": "/srv/log.sqlite3"},
        "here": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.abspath("here.sqlite3")},
    },
    "CACHES": {
        "default": {"BACKEND": "d.RedisCache", "LOCATION": "redis://:pw@redis:6379/1"},
        "old": {"BACKEND": "d.PyMemcacheCache", "LOCATION": ["10.0.0.5:11211", "10.0.0.6:11211"]},
        "files": {"BACKEND": "d.Files", "LOCATION": "/srv/cache"},
    },
    "CELERY_BROKER_URL": "amqp://guest:guest@rabbit//",
    "RQ_QUEUES": {"default": {"HOST": "jobs", "PORT": 6390, "DB": 0}},
    "MEDIA_ROOT": "/srv/media",
    "STATIC_ROOT": "/srv/static",
    "SESSION_FILE_PATH": os.path.dirname(sys.prefix),
    "SESSION_ENGINE": "django.contrib.sessions.backends.file",
}
NAMES = {"default": "bench_1", "log": "/run/log.sqlite3", "here": "/run/here.sqlite3"}
REDIS = "redis://:own@127.0.0.1:7000/0"


def replaced(**fields: Any) -> Replaced:
    given = {
        "settings_module": "shop.settings",
        "token": "feed",
        "folder": "/run",
        "databases": NAMES,
        "redis_url": "unix:///run/redis.sock?password=own",
        "redis_tcp_url": REDIS,
        **fields,
    }
    instructions = Instructions(**given)
    return Replaced(overridden(SETTINGS_INHERITED, instructions), instructions)


def become(*given: Any, **settings: Any) -> str:
    """What is replaced beyond what always is, and the words for it."""
    always, _ = changed()
    values, words = changed(*given, **settings)
    new = (name for name in sorted(values) if always.get(name) != values[name])
    return "\n".join(f"{name} = {values[name]!r}: {words.get(name, '-')}" for name in new)


def test_what_is_always_changed(golden):
    golden(changed())


def test_what_becomes_of_settings(golden):
    golden.cases(become)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("postgres://shop:s%2Fcret@db/shop", "postgres://shop:s%2Fcret@db/bench_1"),
        ("postgresql+psycopg://app:x@DB:5432/shop?a=b", "postgresql+psycopg://app:x@DB:5432/bench_1?a=b"),
        ("host=db dbname=shop user=shop", "host=db dbname=bench_1 user=shop"),
        ("Server=db;Database=shop;User=shop", "Server=db;Database=bench_1;User=shop"),
        ("sqlite:////srv/log.sqlite3", "sqlite:////run/log.sqlite3"),
        ("sqlite:///here.sqlite3", "sqlite:////run/here.sqlite3"),
        ("here.sqlite3", "/run/here.sqlite3"),
        ("redis://redis:6379/3?a=b", "redis://:own@127.0.0.1:7000/3?a=b"),
        ("rediss://user:x@redis/0", "redis://:own@127.0.0.1:7000/0"),
        ("10.0.0.6:11211", "127.0.0.1:9"),
        ("10.0.0.5:11211,10.0.0.6:11211", "127.0.0.1:9,127.0.0.1:9"),
        ("jobs:6390", "127.0.0.1:9"),
        ("redis://redis:6379/1,redis://b:1", "redis://:own@127.0.0.1:7000/1,redis://b:1"),
        ("db:5432/shop", "db:5432/bench_1"),
        ("amqp://guest:guest@rabbit:5672//", "amqp://127.0.0.1:9//"),
        ("/srv/media", "/run/files/media"),
        ("/srv/media/a/b", "/run/files/media/a/b"),
        ("/srv/static/", "/run/files/static"),
        ("file:///srv/cache", "file:///run/empty/cache_files"),
    ],
)  # fmt: skip
def test_an_address_names_what_the_run_has(given, wanted):
    assert replaced().addresses({"ANY": given}) == {"ANY": wanted}
    found = replaced().addresses({"ANY": json.dumps({"a": [{"b": given}]})})
    assert json.loads(found["ANY"]) == {"a": [{"b": wanted}]}


@pytest.mark.parametrize(
    "given",
    [
        "postgres://db/another",
        "postgres://elsewhere/shop",
        "mysql://db:1/other?x=shop",
        "http://rabbit/",
        "https://redis:6379x/",
        "redis://redis:6380/0",
        "10.0.0.7:11211",
        "/srv/mediation",
        "/srv",
        "our shop sells at db",
        "{shop",
        "A=b:c;d",
        os.getcwd(),
        sys.prefix,
        "",
        "media",
    ],
)
def test_whatever_else_there_is_stays(given):
    assert replaced().addresses({"ANY": given}) == {}
    assert replaced().parts({"ANY": given}) == {}


def test_what_leads_to_a_run_stays():
    ours = {"BENCHSUITE_X": "/srv/media", "DJANGO_SETTINGS_MODULE": "shop"}
    assert replaced().addresses(ours) == replaced().parts(ours) == {}


def test_parts_of_an_address_are_told_by_their_value():
    """Only where two of them are equal, name and user here, by what the variable is called, too."""
    given = {"PGDATABASE": "shop", "PGUSER": "shop", "PGHOST": "db", "PGPASSWORD": "s/cret"}
    assert replaced().parts(given) == {"PGDATABASE": "bench_1"}
    assert replaced().addresses(given) == {}
    there = replaced(database_url="postgres://me:own@127.0.0.1:7001/x").parts(given)
    wanted = {"PGDATABASE": "bench_1", "PGUSER": "me", "PGHOST": "127.0.0.1", "PGPASSWORD": "own"}
    assert there == wanted


def test_a_database_on_another_server_takes_its_clients_along():
    moved = replaced(database_url="postgres://me:o%40n@127.0.0.1:7001/x")
    url = {"URL": "postgres://shop:s%2Fcret@db/shop"}
    assert moved.addresses(url) == {"URL": "postgres://me:o%40n@127.0.0.1:7001/bench_1"}


def test_without_a_redis_of_the_run_its_clients_find_nobody():
    found = replaced(redis_url="", redis_tcp_url="")
    assert found.addresses({"A": "redis://redis:6379/1"}) == {"A": "redis://127.0.0.1:9/1"}


def test_what_the_run_keeps_is_kept():
    found = replaced(databases={}, keeps_databases=True)
    assert found.addresses({"A": "postgres://db/shop", "B": "/srv/log.sqlite3"}) == {}
