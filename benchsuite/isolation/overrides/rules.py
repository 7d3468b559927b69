"""Where else a project would write: settings that a run redirects to its own folder or nowhere.

A setting is one entry of `RULES`. Its name may be a path into it ("MAILERS.*.BACKEND"; "*" is any
key). Several entries may have the same name; they are applied in order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import django

from benchsuite.isolation.overrides import brokers, files
from benchsuite.isolation.overrides.changes import EMPTY, FILES, MISSING, Found, like

MAIL_SINK = "benchsuite.isolation.overrides.backends.EmailBackend"
SIMPLE_SEARCH = "haystack.backends.simple_backend.SimpleEngine"
DATABASE_SEARCH = "wagtail.search.backends.database"
KNOWS_MAILERS = django.VERSION >= (6, 1)


@dataclass(frozen=True, slots=True)
class Rule:
    """One setting, its replacement, and the change in words."""

    setting: str
    becomes: Callable[[Found], Any]
    """The new value; the old one (MISSING if unset) when nothing must change."""
    words: str


def _a(value: Any) -> Callable[[Found], Any]:
    """Replaces the setting by this value where the project sets it."""
    return lambda setting: setting.value if setting.value is MISSING else value


def _always(value: Any) -> Callable[[Found], Any]:
    return lambda setting: value


def _folder(part: str, name: str) -> Callable[[Found], Any]:
    """Replaces the setting by a folder of the run where the project sets it."""

    def becomes(setting: Found) -> Any:
        if setting.value is MISSING or not setting.value:
            return setting.value
        original = setting.value if part == FILES else ""
        return like(setting.value, setting.changes.folder(part, setting.named(name), original))

    return becomes


def _mailer(setting: Found) -> Any:
    return setting.value if setting.value.get("BACKEND") == MAIL_SINK else {"BACKEND": MAIL_SINK}


def _mail(setting: Found) -> Any:
    """Django 6.1 refuses EMAIL_BACKEND beside MAILERS; older versions ignore MAILERS."""
    return setting.value if KNOWS_MAILERS and "MAILERS" in setting.settings else MAIL_SINK


def _search(setting: Found) -> Any:
    """Haystack: an index in files stays in files; one on a server is replaced."""
    if setting.value.get("ENGINE") == SIMPLE_SEARCH:
        return setting.value
    if "PATH" in setting.value:
        place = setting.changes.folder(FILES, setting.named("search"), setting.value["PATH"])
        return {**setting.value, "PATH": place}
    return {"ENGINE": SIMPLE_SEARCH}


def _wagtail(setting: Found) -> Any:
    ours = str(setting.value.get("BACKEND", "")).startswith(DATABASE_SEARCH)
    return setting.value if ours else {"BACKEND": DATABASE_SEARCH}


def _constance(setting: Found) -> Any:
    """The default is Redis."""
    backend = "redis" if setting.value is MISSING else str(setting.value)
    if "CONSTANCE_CONFIG" not in setting.settings or "redis" not in backend:
        return setting.value
    return "constance.backends.memory.MemoryBackend"


def _log_file(setting: Found) -> Any:
    if not isinstance(setting.value, Mapping) or "filename" not in setting.value:
        return setting.value
    folder = setting.changes.folder(EMPTY, "logs")
    return {**setting.value, "filename": f"{folder}/{setting.safe}.log"}


def _log_sender(setting: Found) -> Any:
    senders = tuple(
        f"logging.handlers.{name}Handler" for name in ("SMTP", "HTTP", "Socket", "Datagram")
    )
    if not isinstance(setting.value, Mapping):
        return setting.value
    if setting.value.get("class") not in senders:  # mail to the admins goes where all mail goes
        return {key: one for key, one in setting.value.items() if key != "email_backend"}
    kept = {key: setting.value[key] for key in ("level", "filters") if key in setting.value}
    return {**kept, "class": "logging.NullHandler"}


RULES = (
    Rule("EMAIL_BACKEND", _mail, "mails are counted and thrown away"),
    Rule("MAILERS.*", _mailer, "mails are counted and thrown away"),
    Rule("MEDIA_ROOT", files.media, "uploads go to the run's folder"),
    Rule("STATIC_ROOT", files.static, "a copy in the run's folder"),
    Rule("STORAGES.*", files.location, "a place in the run's folder"),
    Rule("STORAGES.*", files.other_storage, "files in the run's folder"),
    Rule("FILE_UPLOAD_TEMP_DIR", _folder(EMPTY, "uploading"), "in the run's folder"),
    Rule("SESSION_FILE_PATH", files.sessions, "in the run's folder"),
    Rule("CACHES.*", brokers.of_redis, "a Redis of the run's own"),
    Rule("CACHES.*", brokers.in_folder, "a place in the run's folder"),
    Rule("CACHES.*", brokers.shared, "files in the run's folder, in place of a server of yours"),
    Rule("TASKS.*", brokers.tasks, "tasks are thrown away"),
    Rule("CELERY_BROKER_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("BROKER_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("CELERY_BROKER_READ_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("CELERY_BROKER_WRITE_URL", _a("memory://"), "tasks stay in memory; nobody takes them"),
    Rule("CELERY_RESULT_BACKEND", brokers.results, "results stay in memory"),
    Rule("Q_CLUSTER", brokers.q_cluster, "tasks go to the default database; nobody takes them"),
    Rule("HUEY", brokers.huey, "tasks stay in memory; nobody takes them"),
    Rule("DRAMATIQ_BROKER", brokers.dramatiq, "tasks stay in memory; nobody takes them"),
    Rule("DRAMATIQ_RESULT_BACKEND", brokers.dramatiq_results, "results stay in memory"),
    Rule("RQ_QUEUES.*", brokers.rq, "a Redis of the run's own; nobody takes the jobs"),
    Rule("HAYSTACK_CONNECTIONS.*", _search, "an index of the run's own"),
    Rule("WAGTAILSEARCH_BACKENDS.*", _wagtail, "searched in the database"),
    Rule("ELASTICSEARCH_DSL_AUTOSYNC", brokers.unless("ELASTICSEARCH_DSL"), "nothing is indexed"),
    Rule("OPENSEARCH_DSL_AUTOSYNC", brokers.unless("OPENSEARCH_DSL"), "nothing is indexed"),
    Rule("ALGOLIA.AUTO_INDEXING", _always(False), "nothing is indexed"),
    Rule("CONSTANCE_BACKEND", _constance, "values are kept in memory"),
    Rule("LOGGING.handlers.*", _log_file, "a file in the run's folder"),
    Rule("LOGGING.handlers.*", _log_sender, "sends nothing"),
)
