"""What a project would miss in a private network."""

from typing import Any

import pytest

from benchsuite.delay.reach import cut_off

POSTGRES = {"ENGINE": "django.db.backends.postgresql", "HOST": "db.example", "PORT": 5432}
REDIS = "django.core.cache.backends.redis.RedisCache"
LAYER = "channels_redis.core.RedisChannelLayer"


def test_nothing_without_settings() -> None:
    assert cut_off({}) == []


def test_a_project_that_reaches_for_nothing() -> None:
    local = {
        "DATABASES": {
            "default": POSTGRES,
            "files": {"ENGINE": "django.db.backends.sqlite3", "NAME": "x"},
            "socket": {"ENGINE": "django.db.backends.postgresql", "HOST": "/run/postgresql"},
            "by_default_a_socket": {"ENGINE": "django.db.backends.postgresql"},
        },
        "CACHES": {
            "memory": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
            "file": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache"},
            "socket": {"BACKEND": REDIS, "LOCATION": ["unix:///run/redis.sock"]},
        },
        "CHANNEL_LAYERS": {
            "memory": {"BACKEND": "channels.layers.InMemoryChannelLayer"},
            "socket": {"BACKEND": LAYER, "CONFIG": {"hosts": ["unix:///run/redis.sock"]}},
            "mapped": {"BACKEND": LAYER, "CONFIG": {"hosts": [{"address": "unix:///run/r.sock"}]}},
        },
        "STORAGES": {
            "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        },
    }
    assert cut_off(local) == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"DATABASES": {"replica": POSTGRES}}, "the database 'replica'"),
        (
            {"CACHES": {"default": {"BACKEND": REDIS, "LOCATION": "redis://127.0.0.1:6379"}}},
            "the cache 'default'",
        ),
        (
            {"CACHES": {"mixed": {"BACKEND": REDIS, "LOCATION": ["/run/r.sock", "redis://b"]}}},
            "the cache 'mixed'",
        ),
        ({"CHANNEL_LAYERS": {"default": {"BACKEND": LAYER}}}, "the channel layer 'default'"),
        (
            {"STORAGES": {"default": {"BACKEND": "storages.backends.s3.S3Storage"}}},
            "the storage 'default'",
        ),
    ],
)
def test_what_is_elsewhere_is_named(settings: dict[str, Any], words: str) -> None:
    assert cut_off(settings) == [words]


def test_databases_that_are_carried() -> None:
    databases = {"default": POSTGRES, "replica": POSTGRES}
    assert cut_off({"DATABASES": databases}, carried=["default", "replica"]) == []
