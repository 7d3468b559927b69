"""The data of the target, how it reaches them, and what in DATABASES only a run may say."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden, hidden_in, is_hidden
from benchsuite.core.specs.load import MAX_DURATION_S
from benchsuite.core.specs.spec import Spec, option, optional

PLACE = ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT")  #: Where an entry is.
NAME_OPTIONS = ("dbname", "db", "database")  #: Options of drivers in place of NAME.
PLACE_OPTIONS = (
    *NAME_OPTIONS,
    *("hostaddr", "passfile", "service", "sslcert", "sslkey", "sslmode", "sslrootcert"),
    # of mysqlclient, to which Django gives them in place of the entry's own
    *("host", "port", "user", "password", "passwd", "unix_socket"),
    *("read_default_file", "read_default_group", "ssl", "ssl_mode"),
)
"""Those that say where it is."""
VENDORS = {"postgresql": "postg|psql", "mysql": "mysql|maria", "oracle": "oracle", "sqlite": "lite"}
"""Vendor → what is in the names of its engines; to import one would need the settings."""
PORTS = {"postgresql": 5432, "mysql": 3306, "oracle": 1521}  #: Default port, by vendor.


def vendor_of(entry: Mapping[str, Any]) -> str:
    """Of the entry's engine, be it Django's or not; empty where its name does not show it."""
    engine = str(entry.get("ENGINE"))
    return next((one for one, sign in VENDORS.items() if re.search(sign, engine, re.I)), "")


def renamed(entry: dict[str, Any], name: str) -> None:
    """Lets an entry mean the database of that name on the same server."""
    entry["NAME"] = name
    if "OPTIONS" in entry:
        options = entry["OPTIONS"].items()
        entry["OPTIONS"] = {key: one for key, one in options if key not in NAME_OPTIONS}


def names_one(setting: str, value: Any) -> bool:
    """Whether a setting, dotted where nested, says or replaces where a database is."""
    top, *keys = setting.split(".")
    if top != "DATABASES":
        return False
    for key in keys[:0:-1]:
        value = {key: value}
    if len(keys) < 2 or not isinstance(value, Mapping):
        return True
    options = value.get("OPTIONS", {})
    within = options if isinstance(options, Mapping) else {}
    return not {*PLACE, "TEST"}.isdisjoint(value) or not set(PLACE_OPTIONS).isdisjoint(within)


THROWAWAY = "throwaway"
KEEP = "keep"
IF_STARTED = ("service", "a database that the run starts, such as --database=postgresql")
IF_THROWAWAY = ("is_throwaway", "a throw-away database, not your own (--database=keep)")
FIRST_CONNECTIONS = 4  #: psycopg's default size of a pool at its start, if it may grow that large.


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSpec(Spec):
    """The data of the target: `use` is "throwaway", "keep" (the project's own), a service that a
    run starts ("postgresql"), or the URL of a server on which the throw-away database is created.
    """

    group = "Database"
    use: str = option(
        THROWAWAY,
        "--database throwaway|SERVICE|keep|URL  the target's data: a database made and dropped by "
        "the run, that on a server started by the run (postgresql, mariadb), your own as it is "
        "(keep), or a throw-away one on the server of this URL",
        again=True,
        secret=True,
    )
    rows: int = option(
        100_000, "--rows N  rows to seed for workloads that read them", within=(0, 1_000_000_000)
    )
    fixtures: tuple[str, ...] = option(
        (),
        "--fixture NAME|FILE[,…]  Django fixtures that fill the throw-away database, loaded "
        "together",
        needs=IF_THROWAWAY,
    )
    fill: tuple[str, ...] = option(
        (),
        '--fill COMMAND  management command that then fills it, such as "loaddemo --count 100"',
        needs=IF_THROWAWAY,
    )
    fill_from: str = option(
        "",
        "--fill-from mine  copy your own databases into the throw-away ones first; yours are only "
        "read",
        needs=IF_THROWAWAY,
    )
    max_connections: int | None = optional(
        "--max-connections N  clients that the database started by the run admits",
        within=(1, 100_000),
        needs=IF_STARTED,
    )
    fsync: bool = option(
        True, "--fsync  let that database wait for the disk at each commit", needs=IF_STARTED
    )
    conn_max_age_s: float | None = optional(
        "--conn-max-age TIME  how long the target keeps a database connection; 0 closes it after "
        "each request",
        within=(0.0, MAX_DURATION_S),
        unless="as the project says",
    )
    pool: int | None = optional(
        "--pool N  database connections in the pool of each process (PostgreSQL)",
        within=(1, 10_000),
        unless="as the project says",
    )

    def check(self) -> None:
        for command in self.fill:
            _words_of(command)
        if self.pool is not None and self.conn_max_age_s:
            raise UsageError(
                "--pool and --conn-max-age exclude each other, because Django requires "
                "CONN_MAX_AGE=0 with a pool; remove one of them."
            )

    @property
    def is_throwaway(self) -> bool:
        return self.use != KEEP

    @property
    def service(self) -> str:
        """Name of the service that the run starts; empty for none."""
        return "" if self.use in (THROWAWAY, KEEP) or "://" in self.use else self.use

    @property
    def commands(self) -> tuple[list[str], ...]:
        """The commands of `fill`, split as by a shell."""
        return tuple(_words_of(command) for command in self.fill)

    def shown(self) -> dict[str, Any]:
        """As JSON without passwords, including those after an option of a command."""
        fill = [shown_command(words) for words in self.commands]
        return {**hidden_in(self.to_json()), "fill": fill}

    @property
    def filled(self) -> tuple[str, ...]:
        """What a run puts into it beside what `migrate` makes, in words."""
        return (
            *["your data, copied"] * bool(self.fill_from),
            *(f"fixture {name}" for name in self.fixtures),
            *(f"filled by {command}" for command in self.shown()["fill"]),
        )

    @property
    def words(self) -> str:
        """In words: "postgresql, 100 connections, pool of 10"."""
        return ", ".join((*self.reached, *self.filled))

    @property
    def reached(self) -> tuple[str, ...]:
        """Where it is and how it is reached, in words."""
        words = [hidden(self.use)]
        if self.max_connections is not None:
            words.append(f"{self.max_connections} connections")
        if not self.fsync:
            words.append("fsync off")
        if self.conn_max_age_s is not None:
            words.append(f"CONN_MAX_AGE {self.conn_max_age_s:g} s")
        if self.pool is not None:
            words.append(f"pool of {self.pool}")
        return tuple(words)


def shown_command(words: Sequence[str]) -> str:
    """A command line that can be repeated, without passwords."""
    shown = hidden_in(list(words))
    return " ".join(word if is_hidden(word) else shlex.quote(word) for word in shown)


def pool_sizes(most: int) -> dict[str, int]:
    """The option `pool` of a database in Django's settings, for so many connections at most."""
    return {"min_size": min(FIRST_CONNECTIONS, most), "max_size": most}


def _words_of(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--fill={hidden(command)} can't be split into words: {error}.") from error
    if not words:
        raise UsageError('--fill is empty; write a command as after manage.py: "loaddemo --all".')
    return words
