"""Replaces the queues that a project sends tasks to; no worker takes them in a run.

Sending is part of what a page costs, so tasks are sent: to memory, or to the run's own database or
Redis.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import django

from benchsuite.isolation.overrides.caching import numbered
from benchsuite.isolation.overrides.found import MISSING, Found

HAS_TASKS = django.VERSION >= (6, 0)
"""Whether Django itself reads TASKS; in older versions only the package django-tasks does."""
DUMMY_TASKS = "django{}tasks.backends.dummy.DummyBackend"
LOCAL_TASKS = ("immediate.ImmediateBackend", "dummy.DummyBackend")
DATABASE_TASKS = ("django_tasks.backends.database.", "django_tasks_db.")
LOCAL_RESULTS = ("cache", "cache+memory", "memory", "disabled", "django-cache")
Q_BROKERS = ("redis", "django_redis", "disque_nodes", "iron_mq", "sqs", "mongo", "broker_class")


def tasks(found: Found) -> Any:
    """A backend of `django.tasks` or the package django-tasks."""
    backend = str(found.value.get("BACKEND", ""))
    in_own_database = backend.startswith(DATABASE_TASKS) and not found.instructions.keeps_databases
    if backend.endswith(LOCAL_TASKS) or in_own_database:
        return found.value
    package = backend.startswith("django_tasks") or not HAS_TASKS
    kept = {key: value for key, value in found.value.items() if key != "OPTIONS"}
    return {**kept, "BACKEND": DUMMY_TASKS.format("_" if package else ".")}


def results(found: Found) -> Any:
    """Celery's results; those in Django's databases and caches are the run's own anyway."""
    kind = str(found.value).partition(":")[0]  # "cache+memcached" is somebody's server
    if found.value in (MISSING, None) or kind in LOCAL_RESULTS:
        return found.value
    if found.value == "django-db" and not found.instructions.keeps_databases:
        return found.value
    return "cache+memory://"


def q_cluster(found: Found) -> Any:
    if not isinstance(found.value, Mapping):
        return found.value
    kept = {key: value for key, value in found.value.items() if key not in Q_BROKERS}
    return {**kept, "orm": "default"}


def huey(found: Found) -> Any:
    """An instance can't be replaced; the project must use a dictionary."""
    if not isinstance(found.value, dict):
        return found.value
    kept = {key: found.value[key] for key in ("name", "immediate", "results") if key in found.value}
    return {**kept, "huey_class": "huey.MemoryHuey"}


def dramatiq(found: Found) -> Any:
    if not isinstance(found.value, Mapping):
        return found.value
    return {**found.value, "BROKER": "dramatiq.brokers.stub.StubBroker", "OPTIONS": {}}


def dramatiq_results(found: Found) -> Any:
    """Drops the options, which the in-memory backend does not take."""
    if not isinstance(found.value, Mapping) or not found.value:
        return found.value
    stub = "dramatiq.results.backends.stub.StubBackend"
    return {**found.value, "BACKEND": stub, "BACKEND_OPTIONS": {}}


def rq(found: Found) -> Any:
    """RQ needs Redis; if the run has none, jobs can't be sent."""
    kept = {
        key: value
        for key, value in found.value.items()
        if key in ("ASYNC", "DEFAULT_TIMEOUT", "DEFAULT_RESULT_TTL")
    }
    url = found.instructions.redis_url or f"unix://{quote(found.instructions.folder)}/no-redis"
    return {**kept, "URL": numbered(url, 0) if found.instructions.redis_url else url}


def unless(name: str) -> Callable[[Found], Any]:
    """False where the project has the setting of that name."""
    return lambda found: False if name in found.settings else found.value
