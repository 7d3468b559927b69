"""Which databases the target is connected to, and how: changes of DATABASES."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.database import PLACE, PLACE_OPTIONS, pool_sizes, renamed, vendor_of
from benchsuite.core.units import format_period
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes

Entries = dict[str, dict[str, Any]]


def change_databases(changes: Changes, instructions: Instructions) -> None:
    """Each alias gets its throw-away database, and is reached as the instructions say."""
    given: Mapping[str, Mapping[str, Any]] = changes.settings.get("DATABASES") or {}
    databases = {alias: dict(entry) for alias, entry in given.items()}
    if words := list(_changed(databases, instructions)):
        changes.put("DATABASES", _mirrored(databases, instructions), "; ".join(words))


def moved(entry: Mapping[str, Any], url: str) -> dict[str, Any]:
    """A DATABASES entry moved to the server of the URL; everything else is kept, its engine too
    where that is of the same vendor and the URL wants none but Django's plain one.
    """
    import dj_database_url

    try:
        parsed: dict[str, Any] = dict(dj_database_url.parse(url))
    except ValueError as error:
        scheme = url.partition("://")[0]
        raise UsageError(f"--database={scheme}://… is not a database URL: {error}") from error
    if parsed["ENGINE"].startswith("django.db.") and vendor_of(entry) == vendor_of(parsed):
        parsed["ENGINE"] = entry["ENGINE"]
    same = entry.get("ENGINE") == parsed["ENGINE"]
    left = (*PLACE, "OPTIONS") if same else (*PLACE, "OPTIONS", "TEST")  # its character sets
    kept = {key: value for key, value in entry.items() if key not in left}
    own = entry.get("OPTIONS", {}) if same else {}
    place = {key: parsed[key] for key in PLACE if key in parsed}
    options = {key: value for key, value in own.items() if key not in PLACE_OPTIONS}
    wanted = dict(parsed.get("OPTIONS", {}))
    if "options" in options and "options" in wanted:  # of libpq: words of a command line
        wanted["options"] = f"{options['options']} {wanted['options']}"
    options.update(wanted)
    return {**kept, **place, **({"OPTIONS": options} if options else {})}


def _changed(databases: Entries, instructions: Instructions) -> Iterator[str]:
    """Changes the entries, and says in words how."""
    together = move_default(databases, url) if (url := instructions.database_url) else []
    for alias, name in instructions.databases.items():
        renamed(databases[alias], name)
    if instructions.databases:
        yield f"throw-away: {', '.join(sorted(instructions.databases))}"
        mirrors = instructions.mirrors.items()
        yield from (f"{alias} shares that of {other}" for alias, other in mirrors)
    if together:
        yield f"{', '.join(together)} on the server of --database"
    default = databases.get("default", {})
    if instructions.database_host:
        # Databases on the default database's server are reached as that one is.
        own = [vendor_of(default), default.get("HOST"), default.get("PORT")]
        for entry in databases.values():
            if [vendor_of(entry), entry.get("HOST"), entry.get("PORT")] == own:
                entry.update(HOST=instructions.database_host, PORT=instructions.database_port)
        yield f"reached through {instructions.database_host}:{instructions.database_port}"
    age_s = instructions.conn_max_age_s
    if age_s is not None:
        for alias, entry in databases.items():
            if age_s and (entry.get("OPTIONS") or {}).get("pool"):
                raise UsageError(
                    f"--conn-max-age={age_s:g} keeps connections, and Django refuses that beside "
                    f"the pool that OPTIONS of the database {alias} has; leave it out."
                )
            entry["CONN_MAX_AGE"] = age_s
        kept = f"connections are kept for {format_period(age_s)}"
        yield kept if age_s else "each request opens a connection"
    if instructions.pool is not None:
        if vendor_of(default) != "postgresql":
            engine = str(default.get("ENGINE", "none")).rpartition(".")[2]
            raise UsageError(
                f"--pool={instructions.pool} needs PostgreSQL, and the default database is "
                f"{engine}; add --database=postgresql."
            )
        for entry in databases.values():
            if vendor_of(entry) == "postgresql":
                entry["CONN_MAX_AGE"] = 0
                pool = pool_sizes(instructions.pool)
                entry["OPTIONS"] = {**entry.get("OPTIONS", {}), "pool": pool}
        yield f"each process has a pool of {instructions.pool} connections at most"


def move_default(databases: Entries, url: str) -> list[str]:
    """Moves the default entry and those that mean the same database; gives their aliases."""

    def place(entry: Mapping[str, Any]) -> list[str]:
        return [str(entry.get(key) or "") for key in ("NAME", "ENGINE", "HOST", "PORT")]

    own = place(databases.get("default", {}))
    # in memory each alias has its own
    shares = own[0] and ":memory:" not in own[0] and "mode=memory" not in own[0]
    same = [alias for alias, entry in databases.items() if shares and place(entry) == own]
    together = [*dict.fromkeys(["default", *same])]
    databases.update({alias: moved(databases.get(alias, {}), url) for alias in together})
    return together


def _mirrored(databases: Entries, instructions: Instructions) -> Entries:
    """A mirror gets the whole address of what it mirrors."""
    for alias, other in instructions.mirrors.items():
        source = databases[other]
        place = {key: source[key] for key in PLACE if key in source}
        kept = {key: value for key, value in databases[alias].items() if key not in PLACE}
        databases[alias] = {**kept, **place}
        if "OPTIONS" in source or "OPTIONS" in kept:
            databases[alias]["OPTIONS"] = source.get("OPTIONS", {})
    return databases
