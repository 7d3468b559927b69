"""Each place that a project writes to is one of the run's, or nowhere; nothing is modified."""

import copy
from dataclasses import replace

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides import applied, brokers
from benchsuite.isolation.overrides.applied import MAIL_SINK, overridden

REDIS = "unix:///r.sock?password=p"
DUMMY = {"BACKEND": MAIL_SINK}
FILES = "django.core.files.storage.FileSystemStorage"
FILE_CACHE = "django.core.cache.backends.filebased.FileBasedCache"
ADMINS = "django.utils.log.AdminEmailHandler"


ORIGINAL = {"BENCHSUITE_ORIGINAL"}
INSTRUCTIONS = Instructions(settings_module="shop.settings", token="feed", folder="/run")


def changed(settings, *, redis_url="", keeps_databases=False):
    instructions = replace(INSTRUCTIONS, redis_url=redis_url, keeps_databases=keeps_databases)
    before = copy.deepcopy(settings)
    found = overridden(settings, instructions)
    assert settings == before
    assert set(found.words) == set(found.values) - {"BENCHSUITE_ORIGINAL"}
    return found.values


def become(settings, **given):
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


def test_mail_is_thrown_away_by_the_settings_that_this_django_takes(golden, monkeypatch):
    def case(*, knows, **given):
        monkeypatch.setattr(applied, "KNOWS_MAILERS", knows)
        values = changed(given)
        return [values.get("EMAIL_BACKEND"), values.get("MAILERS")]

    golden.cases(case)


def test_tasks_are_thrown_away_by_whoever_reads_the_setting(golden, monkeypatch):
    def case(*, has, backend):
        monkeypatch.setattr(brokers, "HAS_TASKS", has)
        entry = {"BACKEND": backend, "QUEUES": ["x"], "OPTIONS": {"url": "mine"}}
        return changed({"TASKS": {"a": entry}})["TASKS"]

    golden.cases(case)


def test_values(golden):
    golden.values()
