"""Each place that a project writes to is one of the run's, or nowhere; nothing is modified."""

import copy
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
ADMINS = "django.utils.log.AdminEmailHandler"


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


def test_values(golden):
    golden.values()
