"""Each place that a project writes to is one of the run's, or nowhere; nothing is modified."""

import copy
from pathlib import Path
from typing import Any

import pytest

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides import brokers, rules
from benchsuite.isolation.overrides.applied import overridden
from benchsuite.isolation.overrides.rules import MAIL_SINK

REDIS = "unix:///r.sock?password=p"
DUMMY = {"BACKEND": MAIL_SINK}
FILES = "django.core.files.storage.FileSystemStorage"
FILE_CACHE = "django.core.cache.backends.filebased.FileBasedCache"
OTHER = "benchsuite.isolation.overrides.backends.storage_of_the_run"
ADMINS = "django.utils.log.AdminEmailHandler"
SILENT = "logging.NullHandler"


ORIGINAL = {"BENCHSUITE_ORIGINAL"}
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


def become(settings: dict[str, Any], **given: Any) -> dict[str, Any]:
    """What is replaced beyond what always is."""
    always = changed({}, **given)
    values = changed(settings, **given)
    return {
        name: values[name]
        for name in sorted(set(values) - ORIGINAL)
        if always.get(name) != values[name]
    }


def test_what_becomes_of_settings(golden):
    golden.cases(become)


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
    ("has", "backend", "package"),
    [
        (True, "shop.Tasks", "django.tasks"),
        (False, "shop.Tasks", "django_tasks"),
        (True, "django_tasks.backends.rq.RQBackend", "django_tasks"),
    ],
)
def test_tasks_are_thrown_away_by_whoever_reads_the_setting(has, backend, package, monkeypatch):
    monkeypatch.setattr(brokers, "HAS_TASKS", has)
    entry = {"BACKEND": backend, "QUEUES": ["x"], "OPTIONS": {"url": "mine"}}
    dummy = {"BACKEND": f"{package}.backends.dummy.DummyBackend", "QUEUES": ["x"]}
    assert changed({"TASKS": {"a": entry}})["TASKS"] == {"a": dummy}


def test_a_storage_begins_with_what_the_project_has_in_its_own_place():
    """A place in a bucket is none on this machine."""
    for location, original in (("/mine", "/mine"), (Path("/mine"), "/mine"), ("mine", "")):
        entry = {"BACKEND": "shop.Storage", "OPTIONS": {"location": location}}
        folders = overridden({"STORAGES": {"a": entry}}, INSTRUCTIONS).folders
        assert folders["/run/files/storage_a"] == original


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
