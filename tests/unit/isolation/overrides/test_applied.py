"""Each setting that a run changes: changed when it must be, left when it need not, and said."""

import copy
from pathlib import Path
from typing import Any

import pytest

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.applied import ASGI, URLCONF, WSGI, overridden
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


def test_nothing_is_changed_without_need() -> None:
    values, words = changed()
    assert set(words) == ALWAYS
    assert set(values) == ALWAYS | {"BENCHSUITE_ORIGINAL"}


def test_the_callables_are_wrapped_and_remembered() -> None:
    values, words = changed()
    assert (values["WSGI_APPLICATION"], values["ASGI_APPLICATION"]) == (WSGI, ASGI)
    assert values["BENCHSUITE_ORIGINAL"]["WSGI_APPLICATION"] == "shop.wsgi.application"
    assert "shop.wsgi.application" in words["WSGI_APPLICATION"]


def test_another_application_is_served_in_place_of_the_projects() -> None:
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
def test_what_stands_in_the_way_is_changed_and_said(name: str, given: Any, wanted: Any) -> None:
    values, words = changed(**{name: given})
    assert values[name] == wanted
    assert set(words) == ALWAYS | {name}


def test_errors_of_views_are_logged_where_the_project_logs_nothing() -> None:
    values, words = changed(LOGGING={})
    assert values["LOGGING"]["loggers"]["django.request"]["handlers"] == ["stderr"]
    assert words["LOGGING"] == "errors of views go to the server's log"


@pytest.mark.parametrize("host", ["shop.example", "shop.example:8443"])
def test_the_name_by_which_clients_ask_is_allowed(host: str) -> None:
    values, words = changed(instructions(host=host), ALLOWED_HOSTS=["127.0.0.1", "localhost"])
    assert values["ALLOWED_HOSTS"] == ["127.0.0.1", "localhost", "shop.example"]
    assert words["ALLOWED_HOSTS"] == "shop.example added"


def test_all_hosts_are_enough() -> None:
    assert "ALLOWED_HOSTS" not in changed(ALLOWED_HOSTS=["*"])[0]


def test_databases_get_names_and_keep_the_rest() -> None:
    values, words = changed(instructions(databases={"default": "bench_1"}))
    default = values["DATABASES"]["default"]
    assert default == {**SETTINGS["DATABASES"]["default"], "NAME": "bench_1"}
    assert "default" in words["DATABASES"]


def test_a_mirror_goes_where_its_primary_is() -> None:
    values, words = changed(
        instructions(databases={"default": "bench_1"}, mirrors={"replica": "default"})
    )
    replica = values["DATABASES"]["replica"]
    assert (replica["HOST"], replica["NAME"], replica["PASSWORD"]) == ("primary", "bench_1", "one")
    assert replica["TEST"] == {"MIRROR": "default"}
    assert "replica shares that of default" in words["DATABASES"]


def test_a_url_moves_the_default_database() -> None:
    values, words = changed(
        instructions(
            databases={"default": "bench_1"}, database_url="postgres://me:s3cret@there:6/any"
        )
    )
    default = values["DATABASES"]["default"]
    assert (default["HOST"], default["PORT"], default["NAME"]) == ("there", 6, "bench_1")
    assert default["CONN_MAX_AGE"] == 60
    assert "s3cret" not in repr(words)


def test_what_lies_below_the_media_follows_them() -> None:
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


def test_another_setting_that_names_a_database_follows_it() -> None:
    values, _ = changed(
        instructions(databases={"default": "bench_1"}),
        REPORTS={"url": "postgres://me@primary/shop", "name": "shop"},
        REPORTS_URL="postgres://me@primary/shop",
        TAGS=("a", "shop"),
    )
    assert values["REPORTS"] == {"url": "postgres://me@primary/bench_1", "name": "shop"}
    assert values["REPORTS_URL"] == "postgres://me@primary/bench_1"
    assert "TAGS" not in values


def test_a_project_that_lies_below_its_media_stays() -> None:
    values, _ = changed(MEDIA_ROOT="/mine", BASE_DIR=Path("/mine"), PLACE="/mine/x")
    assert not {"BASE_DIR", "PLACE"} & set(values)


def test_the_user_says_more_and_the_last_word() -> None:
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
def test_a_queue_that_is_switched_off_stays_so(name: str) -> None:
    assert name not in changed(**{name: None})[0]


def test_an_address_that_reads_like_the_place_of_uploads_stays() -> None:
    """In a container /media may be both."""
    given = {"MEDIA_ROOT": "/media", "MEDIA_URL": "/media/", "THUMBNAILS": "/media/small"}
    made = changed(**given)[0]
    assert "MEDIA_URL" not in made
    assert made["THUMBNAILS"] == f"{made['MEDIA_ROOT']}/small"


def test_no_address_follows_the_place_of_uploads() -> None:
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


def test_the_target_app_is_added_where_it_is_missing() -> None:
    values, words = changed(instructions(needs_target_app=True, mounts_target=True))
    assert values["INSTALLED_APPS"] == ["shop", "benchsuite.target"]
    assert values["ROOT_URLCONF"] == URLCONF
    assert "shop.urls" in words["ROOT_URLCONF"]


@pytest.mark.parametrize("app", ["benchsuite.target", "benchsuite.target.apps.TargetConfig"])
def test_a_project_that_has_the_target_app_stays_as_it_is(app: str) -> None:
    values, _ = changed(instructions(needs_target_app=True), INSTALLED_APPS=[app])
    assert "INSTALLED_APPS" not in values
    assert "ROOT_URLCONF" not in values
