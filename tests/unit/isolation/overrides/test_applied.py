"""Each setting that a run changes: changed when it must be, left when it need not, and said."""

import copy
import os
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.utils.functional import SimpleLazyObject, lazy

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.applied import MAIL_SINK, overridden
from benchsuite.isolation.overrides.inherited import Replaced

INSTRUCTIONS = Instructions(settings_module="shop.settings", token="feed", folder="/run")
POSTGRES = {"ENGINE": "django.db.backends.postgresql", "NAME": "shop"}
PRIMARY = POSTGRES | {"HOST": "primary", "PASSWORD": "one", "OPTIONS": {"pool": True}}
REPLICA = POSTGRES | {"HOST": "second", "PASSWORD": "two", "TEST": {"MIRROR": "default"}}
SETTINGS = {
    "DEBUG": False,
    "ALLOWED_HOSTS": ["127.0.0.1", "localhost"],
    "EMAIL_BACKEND": MAIL_SINK,
    "INSTALLED_APPS": ["shop"],
    "ROOT_URLCONF": "shop.urls",
    "WSGI_APPLICATION": "shop.wsgi.application",
    "LOGGING": {"version": 1},
    "DATABASES": {"default": PRIMARY | {"CONN_MAX_AGE": 60}, "replica": REPLICA},
}


def changed(instructions=INSTRUCTIONS, **settings):
    given = {**SETTINGS, **settings}
    before = copy.deepcopy(given)
    result = overridden(given, instructions)
    assert given == before
    return result.values, result.words


def instructions(**fields):
    return replace(INSTRUCTIONS, **fields)


SETTINGS_INHERITED = {
    "DATABASES": {
        "default": POSTGRES | {"USER": "shop", "PASSWORD": "s/cret", "HOST": "db"},
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


def replaced(**fields):
    own = {"redis_url": "unix:///run/redis.sock?password=own", "redis_tcp_url": REDIS}
    given = instructions(**{"databases": NAMES, **own, **fields})
    return Replaced(overridden(SETTINGS_INHERITED, given), given)


def become(*given, **settings):
    """What is replaced beyond what always is, and the words for it."""
    always, _ = changed()
    values, words = changed(*given, **settings)
    new = (name for name in sorted(values) if always.get(name) != values[name])
    return "\n".join(f"{name} = {values[name]!r}: {words.get(name, '-')}" for name in new)


def test_what_is_always_changed(golden):
    golden(changed())


def test_what_becomes_of_settings(golden):
    golden.cases(become)


@pytest.mark.parametrize("kind", [lambda fail: lazy(fail, str)(), SimpleLazyObject])
def test_lazy_values_are_not_evaluated(kind):
    """As by reverse_lazy(): settings are made before apps and URLs can be loaded."""
    late = kind(lambda: pytest.fail("evaluated too early"))
    settings = {**SETTINGS, "SHOP_HOME": late, "SHOP_MENU": [("/", late)], "LOGIN_URL": late}
    changes = overridden(settings, INSTRUCTIONS)
    assert not {"SHOP_HOME", "SHOP_MENU", "LOGIN_URL"} & changes.values.keys()


def test_values(golden):
    golden.values()


OWN_REDIS = {
    "redis_url": "unix:///r.sock?password=own",
    "redis_tcp_url": "redis://:own@127.0.0.1:7000/0",
}


@pytest.mark.parametrize("mine", [{"host": "redis", "port": 6379}, '{"host":"redis","port":6379}'])
def test_a_redis_has_its_usual_port_where_its_url_has_none(mine):
    cache = {"default": {"BACKEND": "d.RedisCache", "LOCATION": "redis://redis/1"}}
    values, _ = changed(instructions(**OWN_REDIS), CACHES=cache, CACHEOPS_REDIS=mine)
    assert "7000" in str(values["CACHEOPS_REDIS"])


def test_the_application_of_a_setting_given_is_the_one_that_is_wrapped():
    asked = instructions(overrides={"WSGI_APPLICATION": "shop.other.application"})
    own, given = (changed(each)[0] for each in (INSTRUCTIONS, asked))
    assert own["BENCHSUITE_ORIGINAL"]["WSGI_APPLICATION"] == "shop.wsgi.application"
    assert given["BENCHSUITE_ORIGINAL"]["WSGI_APPLICATION"] == "shop.other.application"
    assert given["WSGI_APPLICATION"] == own["WSGI_APPLICATION"] != "shop.other.application"


def test_who_signs_in_and_how_goes_with_the_server():
    cache = {"default": {"BACKEND": "d.RedisCache", "LOCATION": "rediss://app:x@redis:6379/1"}}
    mine = {"host": "redis", "port": 6379, "username": "app", "password": "x", "ssl": True}
    values, _ = changed(instructions(**OWN_REDIS), CACHES=cache, CACHEOPS_REDIS=mine)
    own = {"host": "127.0.0.1", "port": 7000, "username": None, "password": "own", "ssl": None}
    assert values["CACHEOPS_REDIS"] == own


def test_an_instance_of_huey_stays_one(monkeypatch):
    monkeypatch.setitem(sys.modules, "huey", SimpleNamespace(MemoryHuey=dict))
    apps = ["huey.contrib.djhuey"]
    values, _ = changed(INSTALLED_APPS=apps, HUEY=SimpleNamespace(name="h", immediate=False))
    assert values["HUEY"] == {"name": "h", "immediate": False}
