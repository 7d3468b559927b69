"""Where else a project would write: settings that a run redirects to its own folder or nowhere. The
name of a rule may be a path ("MAILERS.*.BACKEND"; "*" is any key); they apply in order.
"""

from collections.abc import Callable, Mapping
from typing import Any

import django

from benchsuite.isolation.overrides import brokers, files
from benchsuite.isolation.overrides.changes import EMPTY, FILES, MISSING, Found, Rule, like

MAIL_SINK = "benchsuite.isolation.overrides.backends.EmailBackend"
SIMPLE_SEARCH = "haystack.backends.simple_backend.SimpleEngine"
DATABASE_SEARCH = "wagtail.search.backends.database"
REDIS_FACTORY = "django_redis.pool.ConnectionFactory"  #: Of a server without Sentinels.
Q_BROKERS = ("redis", "django_redis", "disque_nodes", "iron_mq", "sqs", "mongo", "broker_class")
KNOWS_MAILERS = django.VERSION >= (6, 1)


def _a(value: Any, *, unless: str = "", always: bool = False) -> Callable[[Found], Any]:
    """The value where the project has the setting, or that of `unless`, or always."""

    def becomes(setting: Found) -> Any:
        is_meant = unless in setting.settings if unless else setting.value is not MISSING
        return value if always or is_meant else setting.value

    return becomes


def _uploading(setting: Found) -> Any:
    """A folder of the run where the project sets one."""
    if setting.value is MISSING or not setting.value:
        return setting.value
    return like(setting.value, setting.folder(EMPTY, "uploading"))


def _mail(setting: Found) -> Any:
    """Django 6.1 refuses EMAIL_BACKEND beside MAILERS; older versions ignore MAILERS."""
    return setting.value if KNOWS_MAILERS and "MAILERS" in setting.settings else MAIL_SINK


def _search(setting: Found) -> Any:
    """Haystack: an index in files stays in files; one on a server is replaced."""
    if setting.value.get("ENGINE") == SIMPLE_SEARCH:
        return setting.value
    if "PATH" in setting.value:
        place = setting.folder(FILES, "search", setting.value["PATH"])
        return {**setting.value, "PATH": place}
    return {"ENGINE": SIMPLE_SEARCH}


def _only(backend: str) -> Callable[[Found], Any]:
    """An entry of this backend, where it is of another one."""

    def becomes(setting: Found) -> Any:
        ours = str(setting.value.get("BACKEND", "")).startswith(backend)
        return setting.value if ours else {"BACKEND": backend}

    return becomes


def _constance(setting: Found) -> Any:
    """The default is Redis."""
    backend = "redis" if setting.value is MISSING else str(setting.value)
    if "CONSTANCE_CONFIG" not in setting.settings or "redis" not in backend:
        return setting.value
    return "constance.backends.memory.MemoryBackend"


def _log_file(setting: Found) -> Any:
    if not isinstance(setting.value, Mapping) or "filename" not in setting.value:
        return setting.value
    place = f"{setting.changes.folder(EMPTY, 'logs')}/{setting.safe}.log"
    return brokers.merged({"filename": place})(setting)


def _log_sender(setting: Found) -> Any:
    senders = [f"logging.handlers.{name}Handler" for name in ("SMTP", "HTTP", "Socket", "Datagram")]
    if not isinstance(setting.value, Mapping) or setting.value.get("class") not in senders:
        # mail to the admins goes where all mail goes
        return brokers.merged({}, without=("email_backend",))(setting)
    return brokers.merged({"class": "logging.NullHandler"}, only=("level", "filters"))(setting)


_OF_Q = brokers.merged({"orm": "default"}, without=Q_BROKERS)
_HUEY = brokers.merged({"huey_class": "huey.MemoryHuey"}, only=("name", "immediate", "results"))
_DRAMATIQ = brokers.merged({"BROKER": "dramatiq.brokers.stub.StubBroker", "OPTIONS": {}})

RULES = (
    Rule("EMAIL_BACKEND", _mail, "mails are counted and thrown away"),
    Rule("MAILERS.*", _only(MAIL_SINK), "mails are counted and thrown away"),
    Rule("MEDIA_ROOT", files.media, "uploads go to the run's folder"),
    Rule("STATIC_ROOT", files.static, "a copy in the run's folder"),
    Rule("STORAGES.*", files.storage, "files in the run's folder"),
    Rule("FILE_UPLOAD_TEMP_DIR", _uploading, "in the run's folder"),
    Rule("SESSION_FILE_PATH", files.sessions, "in the run's folder"),
    Rule("CACHES.*", brokers.cache, "a Redis of the run's own, or files in its folder"),
    Rule("DJANGO_REDIS_CONNECTION_FACTORY", _a(REDIS_FACTORY), "the run has a single Redis"),
    Rule("TASKS.*", brokers.tasks, "tasks are thrown away"),
    Rule("CELERY_BROKER_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("BROKER_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("CELERY_BROKER_READ_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("CELERY_BROKER_WRITE_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("CELERY_RESULT_BACKEND", brokers.results, "results stay in memory"),
    Rule("Q_CLUSTER", _OF_Q, "tasks go to the default database; nobody takes them"),
    Rule("HUEY", _HUEY, "tasks stay in memory; nobody takes them"),
    Rule("DRAMATIQ_BROKER", _DRAMATIQ, "tasks stay in memory; nobody takes them"),
    Rule("DRAMATIQ_RESULT_BACKEND", brokers.dramatiq_results, "results stay in memory"),
    Rule("RQ_QUEUES.*", brokers.rq, "a Redis of the run's own; nobody takes the jobs"),
    Rule("HAYSTACK_CONNECTIONS.*", _search, "an index of the run's own"),
    Rule("WAGTAILSEARCH_BACKENDS.*", _only(DATABASE_SEARCH), "searched in the database"),
    Rule("ELASTICSEARCH_DSL_AUTOSYNC", _a(False, unless="ELASTICSEARCH_DSL"), "nothing is indexed"),
    Rule("OPENSEARCH_DSL_AUTOSYNC", _a(False, unless="OPENSEARCH_DSL"), "nothing is indexed"),
    Rule("ALGOLIA.AUTO_INDEXING", _a(False, always=True), "nothing is indexed"),
    Rule("CONSTANCE_BACKEND", _constance, "values are kept in memory"),
    Rule("LOGGING.handlers.*", _log_file, "a file in the run's folder"),
    Rule("LOGGING.handlers.*", _log_sender, "sends nothing"),
)
