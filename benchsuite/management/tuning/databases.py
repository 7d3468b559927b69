"""What a search must know of the databases before any start: how many connections they admit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from django.db.utils import ConnectionHandler, load_backend

from benchsuite.isolation.overrides.connecting import moved
from benchsuite.runner import environments
from benchsuite.runner.plan import Plan
from benchsuite.services.postgres_reading import MOST

MOST_OF = {"postgresql": MOST, "mysql": "SELECT @@max_connections"}
"""Vendor → what asks how many connections ordinary users may have; others have no such limit."""

CONNECT_S = 3  #: So long is waited for a database that may be down.


@dataclass(frozen=True, slots=True)
class Databases:
    """Of the measured project, by the kind of their servers."""

    limits: Mapping[str, int | None]  #: Connections that each server admits; None if not known.
    aliases: Mapping[str, int]  #: Entries of DATABASES that are on it.
    keeps: bool  #: Whether connections are kept after a request.


def databases(plan: Plan) -> Databases:
    """As the runs of this plan will find them."""
    asked = plan.spec.database
    entries = _entries(plan) if plan.workload.uses_database and plan.server.serves_project else {}
    limits: dict[str, int | None] = {}
    aliases: dict[str, int] = {}
    for alias, entry in entries.items():
        kind = _vendor(entry)
        if kind not in MOST_OF:
            continue
        place = f"{entry.get('HOST') or ''}:{entry.get('PORT') or ''}".strip(":")
        name = f"{kind} at {place}" if place else kind
        aliases[name] = aliases.get(name, 0) + 1
        if name not in limits:
            limits[name] = _limit(plan, alias, entry, kind)
    age = asked.conn_max_age_s
    kept = [age] if age is not None else [one.get("CONN_MAX_AGE", 0) for one in entries.values()]
    return Databases(limits, aliases, keeps=any(one != 0 for one in kept))


def _entries(plan: Plan) -> dict[str, dict[str, Any]]:
    """DATABASES, with the default one on the server of --database."""
    try:
        given = getattr(environments.target_settings(), "DATABASES", {})
    except (ImportError, ImproperlyConfigured):
        return {}
    entries = {alias: dict(entry) for alias, entry in given.items() if entry}
    use = plan.spec.database.use
    if plan.database is not None:
        entries["default"] = {"ENGINE": f"django.db.backends.{ENGINES[use]}", "HOST": ""}
    elif "://" in use:
        entries["default"] = moved(entries.get("default", {}), use)
    return entries


ENGINES = {"postgresql": "postgresql", "mariadb": "mysql"}
"""What a run starts → the backend that speaks to it."""


def _vendor(entry: Mapping[str, Any]) -> str:
    try:
        found: str = load_backend(entry["ENGINE"]).DatabaseWrapper.vendor
    except (ImportError, ImproperlyConfigured, KeyError):  # a run says what is wrong with it
        return ""
    return found


def _limit(plan: Plan, alias: str, entry: dict[str, Any], kind: str) -> int | None:
    """That of a server which the run starts is known; another one is asked."""
    if plan.database is not None and alias == "default":
        return plan.spec.database.max_connections or plan.database.max_connections
    options = {**entry.get("OPTIONS", {}), "connect_timeout": CONNECT_S}
    options.pop("pool", None)
    handler = ConnectionHandler({"default": {**entry, "OPTIONS": options}})
    connection = handler["default"]
    try:
        with connection.cursor() as cursor:
            cursor.execute(MOST_OF[kind])
            (found,) = cursor.fetchone()
    except (Error, ImproperlyConfigured):
        return None
    finally:
        connection.close()
    return None if found is None else int(found)
