"""MariaDB's connections by state, against the most that it gives."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchsuite.core.readings import LIMIT, WAITS_FOR
from benchsuite.services.database import USER, WATCHING

if TYPE_CHECKING:
    from MySQLdb.connections import Connection

CONNECT_S = 2
LONGEST_S = 1

ROW_LOCK = "Lock:row"  #: As PostgreSQL names what its sessions wait for, kind first.

BY_STATE = """
SELECT IF(one.COMMAND <> 'Sleep', 'active', IF(trx_id IS NULL, 'idle', 'idle in transaction')),
       COUNT(*), COALESCE(SUM(trx_state = 'LOCK WAIT'), 0)
FROM information_schema.PROCESSLIST AS one
LEFT JOIN information_schema.INNODB_TRX ON trx_mysql_thread_id = one.ID
WHERE one.USER = %s
GROUP BY 1
"""


def connected(url: str) -> "Connection":
    """A connection by the URL of a user."""
    import MySQLdb  # here, because only a run with MariaDB needs it

    place = urlsplit(url)
    return MySQLdb.connect(
        host=place.hostname,
        port=place.port,
        user=place.username,
        password=place.password or "",
        connect_timeout=CONNECT_S,
        autocommit=True,
    )


class Connections:
    """Asks over one connection of its own, by a superuser's URL, so that it also gets in when all
    others are taken.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None

    def sample(self) -> Mapping[str, int]:
        """State → connections ("active", "idle", "idle in transaction"), `limit`, and how many of
        the active ones wait for another transaction's rows.
        """
        import MySQLdb

        try:
            if self._connection is None:
                self._connection = connected(self._url)
                self._asked(f"SET max_statement_time = {LONGEST_S}")
            ((most,),) = self._asked("SELECT @@max_connections")
            rows = self._asked(BY_STATE, (USER,))
        except MySQLdb.Error:
            self.close()  # the next sample connects anew
            raise
        waiting = sum(int(many) for _, _, many in rows)
        return {
            **{str(state): int(count) for state, count, _ in rows},
            **({f"{WAITS_FOR}{ROW_LOCK}": waiting} if waiting else {}),
            LIMIT: int(most) - WATCHING,
        }

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _asked(self, statement: str, values: tuple[str, ...] = ()) -> list[Any]:
        assert self._connection is not None
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values)
            return list(cursor.fetchall())
