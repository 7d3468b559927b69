"""Each setting that a run changes: changed when it must be, left when it need not, and said."""

import copy
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.applied import ASGI, URLCONF, WSGI, overridden
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


def test_nothing_is_changed_without_need():
    values, words = changed()
    assert set(words) == ALWAYS
    assert set(values) == ALWAYS | {"BENCHSUITE_ORIGINAL"}


def test_the_callables_are_wrapped_and_remembered():
    values, words = changed()
    assert (values["WSGI_APPLICATION"], values["ASGI_APPLICATION"]) == (WSGI, ASGI)
    assert values["BENCHSUITE_ORIGINAL"]["WSGI_APPLICATION"] == "shop.wsgi.application"
    assert "shop.wsgi.application" in words["WSGI_APPLICATION"]


def test_another_application_is_served_in_place_of_the_projects():
    values, words = changed(instructions(application="shop.bare:application"))
    for name in ("WSGI_APPLICATION", "ASGI_APPLICATION"):
        assert values["BENCHSUITE_ORIGINAL"][name] == "shop.bare.application"
        assert "wraps shop.bare.application" in words[name]


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("DEBUG", True, False),
        ("ALLOWED_HOSTS", ["a.example"], ["a.example", "127.0.0.1", "localhost"]),
        ("ALLOWED_HOSTS", [], ["127.0.0.1", "localhost"]),
        ("ALLOWED_HOSTS", ["localhost"], ["localhost", "127.0.0.1"]),
        ("EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend", MAIL_SINK),
        ("SECURE_SSL_REDIRECT", True, False),
        ("SESSION_COOKIE_SECURE", True, False),
        ("CSRF_COOKIE_SECURE", True, False),
        ("SESSION_COOKIE_DOMAIN", ".a.example", None),
    ],
)
def test_what_stands_in_the_way_is_changed_and_said(name, given, wanted):
    values, words = changed(**{name: given})
    assert values[name] == wanted
    assert set(words) == ALWAYS | {name}


def test_errors_of_views_are_logged_where_the_project_logs_nothing():
    values, words = changed(LOGGING={})
    assert values["LOGGING"]["loggers"]["django.request"]["handlers"] == ["stderr"]
    assert words["LOGGING"] == "errors of views go to the server's log"


@pytest.mark.parametrize("host", ["shop.example", "shop.example:8443"])
def test_the_name_by_which_clients_ask_is_allowed(host):
    values, words = changed(instructions(host=host), ALLOWED_HOSTS=["127.0.0.1", "localhost"])
    assert values["ALLOWED_HOSTS"] == ["127.0.0.1", "localhost", "shop.example"]
    assert words["ALLOWED_HOSTS"] == "shop.example added"


def test_all_hosts_are_enough():
    assert "ALLOWED_HOSTS" not in changed(ALLOWED_HOSTS=["*"])[0]


def test_databases_get_names_and_keep_the_rest():
    values, words = changed(instructions(databases={"default": "bench_1"}))
    default = values["DATABASES"]["default"]
    assert default == {**SETTINGS["DATABASES"]["default"], "NAME": "bench_1"}
    assert "default" in words["DATABASES"]


def test_a_mirror_goes_where_its_primary_is():
    values, words = changed(
        instructions(databases={"default": "bench_1"}, mirrors={"replica": "default"})
    )
    replica = values["DATABASES"]["replica"]
    assert (replica["HOST"], replica["NAME"], replica["PASSWORD"]) == ("primary", "bench_1", "one")
    assert replica["TEST"] == {"MIRROR": "default"}
    assert "replica shares that of default" in words["DATABASES"]


def test_a_url_moves_the_default_database():
    values, words = changed(
        instructions(
            databases={"default": "bench_1"}, database_url="postgres://me:s3cret@there:6/any"
        )
    )
    default = values["DATABASES"]["default"]
    assert (default["HOST"], default["PORT"], default["NAME"]) == ("there", 6, "bench_1")
    assert default["CONN_MAX_AGE"] == 60
    assert "s3cret" not in repr(words)


def test_what_lies_below_the_media_follows_them():
    values, words = changed(
        MEDIA_ROOT="/mine/media",
        PRIVATE=Path("/mine/media/private"),
        SENDFILE_ROOT="/mine/media/x",
        STATIC_ROOT="/mine/media/static",
        COMPRESS_ROOT="/mine/media/static/x",
        OTHER="/mine/other",
        SHOP_URL="/mine/media/",
    )
    assert values["PRIVATE"] == Path("/run/files/media/private")
    assert values["SENDFILE_ROOT"] == "/run/files/media/x"
    assert words["PRIVATE"] == "follows what the run replaces"
    assert values["STATIC_ROOT"] == "/run/files/static"
    assert values["COMPRESS_ROOT"] == "/run/files/static/x"
    assert not {"OTHER", "SHOP_URL"} & set(values)


def test_another_setting_that_names_a_database_follows_it():
    values, _ = changed(
        instructions(databases={"default": "bench_1"}),
        REPORTS={"url": "postgres://me@primary/shop", "name": "shop"},
        REPORTS_URL="postgres://me@primary/shop",
        TAGS=("a", "shop"),
    )
    assert values["REPORTS"] == {"url": "postgres://me@primary/bench_1", "name": "shop"}
    assert values["REPORTS_URL"] == "postgres://me@primary/bench_1"
    assert "TAGS" not in values


def test_a_project_that_lies_below_its_media_stays():
    values, _ = changed(MEDIA_ROOT="/mine", BASE_DIR=Path("/mine"), PLACE="/mine/x")
    assert not {"BASE_DIR", "PLACE"} & set(values)


def test_the_user_says_more_and_the_last_word():
    wanted = instructions(
        overrides={
            "MY_INDEX": "{folder}/index",
            "SHOP.search.places": ["{folder}/a", 3],
            "EMAIL_BACKEND": "shop.mail.Counting",
        }
    )
    values, words = changed(wanted, SHOP={"search": {"on": True}, "name": "x"})
    assert values["MY_INDEX"] == "/run/files/index"
    assert values["SHOP"] == {"search": {"on": True, "places": ["/run/files/a", 3]}, "name": "x"}
    assert values["EMAIL_BACKEND"] == "shop.mail.Counting"
    assert words["SHOP"] == "SHOP.search.places as --setting or OVERRIDES says"


@pytest.mark.parametrize("name", ["Q_CLUSTER", "DRAMATIQ_BROKER", "CELERY_RESULT_BACKEND"])
def test_a_queue_that_is_switched_off_stays_so(name):
    assert name not in changed(**{name: None})[0]


def test_an_address_that_reads_like_the_place_of_uploads_stays():
    """In a container /media may be both."""
    given = {"MEDIA_ROOT": "/media", "MEDIA_URL": "/media/", "THUMBNAILS": "/media/small"}
    made = changed(**given)[0]
    assert "MEDIA_URL" not in made
    assert made["THUMBNAILS"] == f"{made['MEDIA_ROOT']}/small"


def test_no_address_follows_the_place_of_uploads():
    addresses = {
        "SESSION_COOKIE_PATH": "/media/",
        "FORCE_SCRIPT_NAME": "/media",
        "LOGIN_REDIRECT_URL": "/media/mine/",
        "SENDFILE_URL": "/media/x",
        "ADMIN_MEDIA_PREFIX": "/media/admin/",
    }
    values = changed(MEDIA_ROOT="/media", **addresses)[0]
    assert not set(addresses) & set(values)
    places = {"A_URL": Path("/media/a"), "SENDFILE_ROOT": "/media/b", "MY_CACHE_PATH": "/media/c"}
    assert set(places) <= set(changed(MEDIA_ROOT="/media", **places)[0])


def test_the_target_app_is_added_where_it_is_missing():
    values, words = changed(instructions(needs_target_app=True, mounts_target=True))
    assert values["INSTALLED_APPS"] == ["shop", "benchsuite.target"]
    assert values["ROOT_URLCONF"] == URLCONF
    assert "shop.urls" in words["ROOT_URLCONF"]


@pytest.mark.parametrize("app", ["benchsuite.target", "benchsuite.target.apps.TargetConfig"])
def test_a_project_that_has_the_target_app_stays_as_it_is(app):
    values, _ = changed(instructions(needs_target_app=True), INSTALLED_APPS=[app])
    assert "INSTALLED_APPS" not in values
    assert "ROOT_URLCONF" not in values


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
