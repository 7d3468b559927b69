"""Each place that a project writes to is one of the run's, or nowhere; nothing is modified."""

import copy
from pathlib import Path
from typing import Any

import pytest

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides import queues, rules
from benchsuite.isolation.overrides.applied import overridden
from benchsuite.isolation.overrides.rules import MAIL_SINK

REDIS = "unix:///r.sock?password=p"
DUMMY = {"BACKEND": MAIL_SINK}
FILES = "django.core.files.storage.FileSystemStorage"
FILE_CACHE = "django.core.cache.backends.filebased.FileBasedCache"
OTHER = "benchsuite.isolation.overrides.backends.storage_of_the_run"
ADMINS = "django.utils.log.AdminEmailHandler"
SILENT = "logging.NullHandler"


INSTRUCTIONS = Instructions(settings_module="shop.settings", token="feed", folder="/run")


def changed(
    settings: dict[str, Any], *, redis_url: str = "", keeps_databases: bool = False
) -> dict[str, Any]:
    instructions = Instructions(
        settings_module="shop.settings",
        token="feed",
        folder="/run",
        redis_url=redis_url,
        keeps_databases=keeps_databases,
    )
    before = copy.deepcopy(settings)
    found = overridden(settings, instructions)
    assert settings == before
    assert set(found.words) == set(found.values) - {"BENCHSUITE_ORIGINAL"}
    return found.values


@pytest.mark.parametrize(
    ("knows", "given", "backend", "mailers"),
    [
        (False, {}, MAIL_SINK, None),
        (False, {"MAILERS": {"default": {}}}, MAIL_SINK, {"default": DUMMY}),
        (True, {}, MAIL_SINK, None),
        (True, {"EMAIL_BACKEND": "shop.Mail"}, MAIL_SINK, None),
        (True, {"MAILERS": {}}, None, None),
        (True, {"MAILERS": {"default": DUMMY}}, None, None),
        (
            True,
            {"MAILERS": {"default": {"BACKEND": "a.B", "OPTIONS": {"host": "x"}}, "news": {}}},
            None,
            {"default": DUMMY, "news": DUMMY},
        ),
    ],
)
def test_mail_is_thrown_away_by_the_settings_that_this_django_takes(
    knows, given, backend, mailers, monkeypatch
):
    monkeypatch.setattr(rules, "KNOWS_MAILERS", knows)
    values = changed(given)
    assert values.get("EMAIL_BACKEND") == backend
    assert values.get("MAILERS") == mailers


@pytest.mark.parametrize(
    ("setting", "given", "wanted"),
    [
        ("MEDIA_ROOT", "/mine", "/run/files/media"),
        ("MEDIA_ROOT", "", "/run/files/media"),
        ("FILE_UPLOAD_TEMP_DIR", "/mine", "/run/empty/uploading"),
        ("CELERY_BROKER_URL", "amqp://mine", "memory://"),
        ("BROKER_URL", "amqp://mine", "memory://"),
        ("CELERY_RESULT_BACKEND", "redis://mine", "cache+memory://"),
        ("CELERY_RESULT_BACKEND", "cache+memcached://mine/", "cache+memory://"),
        ("MEDIA_ROOT", Path("/mine"), Path("/run/files/media")),
        ("FILE_UPLOAD_TEMP_DIR", Path("/mine"), Path("/run/empty/uploading")),
        (
            "DRAMATIQ_RESULT_BACKEND",
            {"BACKEND": "a.B", "BACKEND_OPTIONS": {"url": "mine"}, "MIDDLEWARE_OPTIONS": {"a": 1}},
            {
                "BACKEND": "dramatiq.results.backends.stub.StubBackend",
                "BACKEND_OPTIONS": {},
                "MIDDLEWARE_OPTIONS": {"a": 1},
            },
        ),
        ("Q_CLUSTER", {"name": "q", "redis": {}}, {"name": "q", "orm": "default"}),
        (
            "HUEY",
            {"name": "h", "huey_class": "huey.SqliteHuey", "filename": "/mine"},
            {"name": "h", "huey_class": "huey.MemoryHuey"},
        ),
        (
            "DRAMATIQ_BROKER",
            {"BROKER": "a.B", "OPTIONS": {"url": "amqp://mine"}, "MIDDLEWARE": []},
            {"BROKER": "dramatiq.brokers.stub.StubBroker", "OPTIONS": {}, "MIDDLEWARE": []},
        ),
        ("ALGOLIA", {"API_KEY": "x"}, {"API_KEY": "x", "AUTO_INDEXING": False}),
    ],
)
def test_a_single_place_is_replaced(setting, given, wanted):
    assert changed({setting: given})[setting] == wanted


@pytest.mark.parametrize(
    ("setting", "given", "wanted"),
    [
        ("STORAGES", {"BACKEND": FILES, "OPTIONS": {"location": "/mine", "base_url": "/x/"}},
         {"BACKEND": FILES, "OPTIONS": {"location": "/run/files/storage_a", "base_url": "/x/"}}),
        ("STORAGES", {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {"bucket": "b"}},
         {"BACKEND": OTHER, "OPTIONS": {"original": "storages.backends.s3.S3Storage",
          "options": {"bucket": "b"}, "place": "/run/files/storage_a"}}),
        ("CACHES", {"BACKEND": FILE_CACHE, "LOCATION": "/mine", "TIMEOUT": 5},
         {"BACKEND": FILE_CACHE, "LOCATION": "/run/empty/cache_a", "TIMEOUT": 5}),
        ("CACHES", {"BACKEND": "diskcache.DjangoCache", "LOCATION": "/mine"},
         {"BACKEND": "diskcache.DjangoCache", "LOCATION": "/run/empty/cache_a"}),
        ("RQ_QUEUES", {"HOST": "mine", "PASSWORD": "p", "ASYNC": True},
         {"URL": "unix:///run/no-redis", "ASYNC": True}),
        ("HAYSTACK_CONNECTIONS", {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
                                  "PATH": "/mine"},
         {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
          "PATH": "/run/files/search_a"}),
        ("HAYSTACK_CONNECTIONS", {"ENGINE": "x.Elasticsearch7SearchEngine", "URL": "http://mine"},
         {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}),
        ("WAGTAILSEARCH_BACKENDS", {"BACKEND": "wagtail.search.backends.elasticsearch8"},
         {"BACKEND": "wagtail.search.backends.database"}),
    ],
)  # fmt: skip
def test_a_place_of_one_alias_is_replaced(setting, given, wanted):
    assert changed({setting: {"a": given}})[setting] == {"a": wanted}


@pytest.mark.parametrize(
    ("setting", "given"),
    [
        ("STORAGES", {"BACKEND": FILES}),
        ("STORAGES", {"BACKEND": "django.core.files.storage.InMemoryStorage"}),
        ("CACHES", {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "x"}),
        ("CACHES", {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}),
        ("CACHES", {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "t"}),
        ("CACHES", {"BACKEND": "shop.Cache"}),
        ("TASKS", {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend"}),
        ("TASKS", {"BACKEND": "django_tasks.backends.database.DatabaseBackend"}),
        ("WAGTAILSEARCH_BACKENDS", {"BACKEND": "wagtail.search.backends.database"}),
        ("LOGGING", {"class": "logging.StreamHandler"}),
    ],
)
def test_what_is_the_runs_anyway_stays(setting, given):
    assert setting not in changed({setting: {"a": given}})


@pytest.mark.parametrize(
    ("setting", "given"),
    [
        ("CACHES", {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "t"}),
        ("TASKS", {"BACKEND": "django_tasks.backends.database.DatabaseBackend"}),
    ],
)
def test_what_is_kept_in_a_kept_database_goes_elsewhere(setting, given):
    values = changed({setting: {"a": given}}, keeps_databases=True)
    assert values[setting]["a"]["BACKEND"] != given["BACKEND"]


@pytest.mark.parametrize(
    "entry",
    [
        {"BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache", "LOCATION": "h:1"},
        {"BACKEND": "django.core.cache.backends.memcached.PyLibMCCache", "LOCATION": "/tmp/m"},
        {"BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache",
         "LOCATION": "unix:/tmp/memcached.sock"},
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://h:1"},
        {"BACKEND": "shop.Cache", "LOCATION": ["http://h:1"]},
    ],
)  # fmt: skip
def test_a_cache_of_another_server_is_shared_in_files(entry):
    values = changed({"CACHES": {"a": {**entry, "TIMEOUT": 9, "OPTIONS": {"x": 1}}}})
    assert values["CACHES"]["a"] == {
        "BACKEND": FILE_CACHE,
        "LOCATION": "/run/empty/cache_a",
        "TIMEOUT": 9,
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }


def test_redis_stays_redis_where_the_run_has_one():
    client = "django_redis.client.DefaultClient"
    given = {
        "default": {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": ["rediss://h:1/3"],
                    "OPTIONS": {"CLIENT_CLASS": client, "PASSWORD": "p", "SENTINELS": [("h", 1)],
                                "CONNECTION_POOL_KWARGS": {"ssl_cert_reqs": None, "n": 9}}},
        "b": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://h"},
    }  # fmt: skip
    values = changed({"CACHES": given, "RQ_QUEUES": {"q": {"HOST": "h"}}}, redis_url=REDIS)
    assert values["CACHES"] == {
        "default": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": f"{REDIS}&db=0",
            "OPTIONS": {"CLIENT_CLASS": client, "CONNECTION_POOL_KWARGS": {"n": 9}},
        },
        "b": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": f"{REDIS}&db=1",
        },
    }
    assert values["RQ_QUEUES"] == {"q": {"URL": f"{REDIS}&db=0"}}


@pytest.mark.parametrize(
    ("has", "backend", "package"),
    [
        (True, "shop.Tasks", "django.tasks"),
        (False, "shop.Tasks", "django_tasks"),
        (True, "django_tasks.backends.rq.RQBackend", "django_tasks"),
    ],
)
def test_tasks_are_thrown_away_by_whoever_reads_the_setting(has, backend, package, monkeypatch):
    monkeypatch.setattr(queues, "HAS_TASKS", has)
    entry = {"BACKEND": backend, "QUEUES": ["x"], "OPTIONS": {"url": "mine"}}
    dummy = {"BACKEND": f"{package}.backends.dummy.DummyBackend", "QUEUES": ["x"]}
    assert changed({"TASKS": {"a": entry}})["TASKS"] == {"a": dummy}


def test_sessions_in_files_are_the_runs():
    engine = "django.contrib.sessions.backends.file"
    assert changed({"SESSION_ENGINE": engine})["SESSION_FILE_PATH"] == "/run/files/sessions"
    assert "SESSION_FILE_PATH" not in changed({"SESSION_FILE_PATH": "/mine"})


def test_a_storage_begins_with_what_the_project_has_in_its_own_place():
    """A place in a bucket is none on this machine."""
    for location, original in (("/mine", "/mine"), (Path("/mine"), "/mine"), ("mine", "")):
        entry = {"BACKEND": "shop.Storage", "OPTIONS": {"location": location}}
        folders = overridden({"STORAGES": {"a": entry}}, INSTRUCTIONS).folders
        assert folders["/run/files/storage_a"] == original


def test_logs_are_written_to_the_run_and_sent_nowhere():
    handlers = {
        "file": {"class": "logging.handlers.RotatingFileHandler", "filename": "/mine/x.log"},
        "mail": {"class": "logging.handlers.SMTPHandler", "mailhost": "mine", "level": "ERROR"},
        "datagram": {"class": "logging.handlers.DatagramHandler", "host": "mine", "port": 1},
        "admins": {"class": ADMINS, "email_backend": "shop.Mail", "include_html": True},
        "screen": {"class": "logging.StreamHandler"},
    }
    logging = changed({"LOGGING": {"version": 1, "handlers": handlers}})["LOGGING"]
    assert logging["version"] == 1
    assert logging["handlers"] == {
        "file": {**handlers["file"], "filename": "/run/empty/logs/file.log"},
        "mail": {"class": SILENT, "level": "ERROR"},
        "datagram": {"class": SILENT},
        "admins": {"class": ADMINS, "include_html": True},
        "screen": handlers["screen"],
    }


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"CONSTANCE_CONFIG": {}}, "constance.backends.memory.MemoryBackend"),
        ({"CONSTANCE_CONFIG": {}, "CONSTANCE_BACKEND": "constance.backends.database.X"}, None),
        ({}, None),
    ],
)
def test_constance_is_in_redis_unless_it_is_told(given, wanted):
    assert changed(given).get("CONSTANCE_BACKEND") == wanted


def test_each_folder_says_what_it_stands_for():
    settings = {
        "MEDIA_ROOT": "/mine",
        "STORAGES": {"a": {"BACKEND": FILES, "OPTIONS": {"location": "/private"}}},
        "CACHES": {"a": {"BACKEND": FILE_CACHE, "LOCATION": "/cache"}},
    }
    instructions = Instructions(settings_module="shop.settings", token="feed", folder="/run")
    assert overridden(settings, instructions).folders == {
        "/run/files/media": "/mine",
        "/run/files/storage_a": "/private",
        "/run/empty/cache_a": "",
    }


def test_a_url_names_any_folder():
    instructions = Instructions(
        settings_module="shop.settings", token="feed", folder="/it's 100% #1?"
    )
    found = overridden({"RQ_QUEUES": {"default": {"HOST": "prod"}}}, instructions)
    assert (
        found.values["RQ_QUEUES"]["default"]["URL"] == "unix:///it%27s%20100%25%20%231%3F/no-redis"
    )
