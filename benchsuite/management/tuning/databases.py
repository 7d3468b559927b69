"""What a search must know of the databases before any start: how many connections they admit."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from django.db.utils import ConnectionHandler, load_backend

from benchsuite.core.specs import DatabaseSpec
from benchsuite.core.specs.database import FIRST_CONNECTIONS
from benchsuite.isolation.overrides.connecting import move_default
from benchsuite.runner import environments
from benchsuite.runner.planning import Plan
from benchsuite.services.postgres import MOST

MOST_OF = {"postgresql": MOST, "mysql": "SELECT @@max_connections"}
"""Vendor → what asks how many connections ordinary users may have; others have no such limit."""
ENGINES = {"postgresql": "postgresql", "mariadb": "mysql"}  #: What a run starts → its backend.
CONNECT_S = 3  #: So long is waited for a database that may be down.
KEPT_S = 60.0  #: For how long connections are kept makes no difference here.


@dataclass(frozen=True, slots=True)
class Databases:
    """Of the measured project, by the kind of their servers."""

    limits: Mapping[str, int | None]  #: Connections that each server admits; None if not known.
    aliases: Mapping[str, int]  #: Entries of DATABASES that are on it.
    keeps: bool  #: Whether connections are kept after a request.
    pool: int | None  #: Connections of each process at most, where all entries have a pool.


def databases(plan: Plan) -> Databases:
    """As the runs of this plan will find them."""
    asked = plan.spec.database
    uses = plan.workload.uses_database and plan.server.serves_project
    entries, together = _entries(plan) if uses else ({}, [])
    limits: dict[str, int | None] = {}
    aliases: dict[str, int] = {}
    for alias, entry in entries.items():
        begun = plan.database if alias in together else None
        kind = ENGINES[asked.use] if begun else _vendor(entry)
        if kind not in MOST_OF:
            continue
        place = f"{entry.get('HOST') or ''}:{entry.get('PORT') or ''}".strip(":")
        name = f"{kind} at {place}" if place else kind
        aliases[name] = aliases.get(name, 0) + 1
        if begun:
            limits[name] = asked.max_connections or begun.max_connections
        elif name not in limits:
            limits[name] = _limit(entry, kind)
    age = 0.0 if asked.pool is not None else asked.conn_max_age_s
    kept = [age] if age is not None else [one.get("CONN_MAX_AGE", 0) for one in entries.values()]
    pools = [_pool(entry) for entry in entries.values()]
    own = max(filter(None, pools), default=None) if all(pools) else None
    return Databases(limits, aliases, any(age != 0 for age in kept), asked.pool or own)


def reached(asked: DatabaseSpec, *, pool: int | None, keeps: bool) -> DatabaseSpec:
    """The same with what the settings of the project decide."""
    return replace(asked, pool=pool, conn_max_age_s=KEPT_S if keeps and pool is None else 0.0)


def _entries(plan: Plan) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """DATABASES, and the aliases in it that are on the server of --database."""
    try:
        given = getattr(environments.target_settings(), "DATABASES", {})
    except (ImportError, ImproperlyConfigured):
        return {}, []
    entries = {alias: dict(entry) for alias, entry in given.items() if entry}
    use = plan.spec.database.use
    url = use if plan.database is None else f"{ENGINES[use]}:///"
    return entries, move_default(entries, url) if "://" in url else []


def _pool(entry: Mapping[str, Any]) -> int | None:
    """How many connections psycopg's pool may hold; None without one."""
    if not (asked := entry.get("OPTIONS", {}).get("pool")):
        return None
    given = asked if isinstance(asked, Mapping) else {}
    return int(given.get("max_size") or given.get("min_size", FIRST_CONNECTIONS))


def _vendor(entry: Mapping[str, Any]) -> str:
    try:
        return str(load_backend(entry["ENGINE"]).DatabaseWrapper.vendor)
    except (ImportError, ImproperlyConfigured, KeyError):  # a run says what is wrong with it
        return ""


def _limit(entry: dict[str, Any], kind: str) -> int | None:
    """What it says itself; None where it can't be asked."""
    options = {**entry.get("OPTIONS", {}), "connect_timeout": CONNECT_S}
    options.pop("pool", None)
    connection = ConnectionHandler({"default": {**entry, "OPTIONS": options}})["default"]
    try:
        with connection.cursor() as cursor:
            cursor.execute(MOST_OF[kind])
            (limit,) = cursor.fetchone()
    except (Error, ImproperlyConfigured):
        return None
    finally:
        connection.close()
    return None if limit is None else int(limit)
