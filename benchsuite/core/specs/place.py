"""What the setting DATABASES says of where a database is, which only a run may say."""

from collections.abc import Mapping
from typing import Any

PLACE = ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT")
"""The keys of an entry that say where it is."""

NAME_OPTIONS = ("dbname", "db", "database")
"""The keys of its OPTIONS to which drivers listen in place of NAME."""

PLACE_OPTIONS = (
    *NAME_OPTIONS,
    *("hostaddr", "passfile", "service", "sslcert", "sslkey", "sslmode", "sslrootcert"),
    # of mysqlclient, to which Django gives them in place of the entry's own
    *("host", "port", "user", "password", "passwd", "unix_socket"),
    *("read_default_file", "read_default_group", "ssl", "ssl_mode"),
)
"""Those that say where it is."""


def renamed(entry: dict[str, Any], name: str) -> None:
    """Lets an entry mean the database of that name on the same server."""
    entry["NAME"] = name
    if "OPTIONS" in entry:
        options = entry["OPTIONS"].items()
        entry["OPTIONS"] = {key: one for key, one in options if key not in NAME_OPTIONS}


def names_one(setting: str, value: Any) -> bool:
    """Whether a setting, dotted where it is nested, with this value says where a database is.

    It also does where it replaces all that is said of one.
    """
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
