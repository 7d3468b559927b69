"""What becomes of the queues that a project sends tasks to: nobody takes them in a run.

To send them is part of what a page costs, so they are sent: to memory, to the run's own database or
to a Redis of the run.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import django

from benchsuite.isolation.overrides.caching import numbered
from benchsuite.isolation.overrides.found import MISSING, Found

HAS_TASKS = django.VERSION >= (6, 0)
"""Whether Django itself reads TASKS; before, only the package django-tasks does."""
DUMMY_TASKS = "django{}tasks.backends.dummy.DummyBackend"
LOCAL_TASKS = ("immediate.ImmediateBackend", "dummy.DummyBackend")
DATABASE_TASKS = ("django_tasks.backends.database.", "django_tasks_db.")
LOCAL_RESULTS = ("cache", "cache+memory", "memory", "disabled", "django-cache")
Q_BROKERS = ("redis", "django_redis", "disque_nodes", "iron_mq", "sqs", "mongo", "broker_class")


def tasks(found: Found) -> Any:
    """A backend of `django.tasks`, or of the package django-tasks."""
    backend = str(found.value.get("BACKEND", ""))
    in_own_database = backend.startswith(DATABASE_TASKS) and not found.instructions.keeps_databases
    if backend.endswith(LOCAL_TASKS) or in_own_database:
        return found.value
    package = backend.startswith("django_tasks") or not HAS_TASKS
    kept = {key: value for key, value in found.value.items() if key != "OPTIONS"}
    return {**kept, "BACKEND": DUMMY_TASKS.format("_" if package else ".")}


def results(found: Found) -> Any:
    """Celery's; those in Django's own databases and caches are the run's anyway."""
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
    """An instance can't be told to be another: its project has to say."""
    if not isinstance(found.value, dict):
        return found.value
    kept = {key: found.value[key] for key in ("name", "immediate", "results") if key in found.value}
    return {**kept, "huey_class": "huey.MemoryHuey"}


def dramatiq(found: Found) -> Any:
    if not isinstance(found.value, Mapping):
        return found.value
    return {**found.value, "BROKER": "dramatiq.brokers.stub.StubBroker", "OPTIONS": {}}


def dramatiq_results(found: Found) -> Any:
    """Its options say where it is; the one in memory takes none of them."""
    if not isinstance(found.value, Mapping) or not found.value:
        return found.value
    stub = "dramatiq.results.backends.stub.StubBackend"
    return {**found.value, "BACKEND": stub, "BACKEND_OPTIONS": {}}


def rq(found: Found) -> Any:
    """RQ has no queue but Redis; where the run has none, jobs can't be sent."""
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
