"""A throw-away MariaDB: a data folder of the run's own, made, started, watched and removed."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchsuite.core.readings import LIMIT, WAITS_FOR
from benchsuite.servers.base import Available
from benchsuite.services.base import HOST, USER, WATCHING, Asking, DatabaseService
from benchsuite.system import programs

if TYPE_CHECKING:
    from MySQLdb.connections import Connection


CONNECT_S = 2
LONGEST_S = 1

BY_STATE = """
SELECT IF(one.COMMAND <> 'Sleep', 'active', IF(trx_id IS NULL, 'idle', 'idle in transaction')),
       COUNT(*), COALESCE(SUM(trx_state = 'LOCK WAIT'), 0)
FROM information_schema.PROCESSLIST AS one
LEFT JOIN information_schema.INNODB_TRX ON trx_mysql_thread_id = one.ID
WHERE one.USER = %s
GROUP BY 1
"""


def connected(url: str) -> "Connection":
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


def _facts(connection: "Connection") -> Mapping[str, int]:
    """State → connections ("active", "idle", "idle in transaction"), `limit`, and how many of the
    active ones wait for another transaction's rows.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SET max_statement_time = {LONGEST_S}")
        cursor.execute("SELECT @@max_connections")
        ((most,),) = cursor.fetchall()
        cursor.execute(BY_STATE, (USER,))
        rows = cursor.fetchall()
    waiting = sum(int(many) for _, _, many in rows)
    return {
        **{str(state): int(count) for state, count, _ in rows},
        # as PostgreSQL names what its sessions wait for, kind first
        **({f"{WAITS_FOR}Lock:row": waiting} if waiting else {}),
        LIMIT: int(most) - WATCHING,
    }


SUPERUSER = "root"
INSTALL, CLIENT = "mariadb-install-db", "default-mysql-client"
HELPERS = {INSTALL: "mariadb-server", "mysqldump": CLIENT, "mysql": CLIENT}
"""Other programs that it, and Django to copy a database, take → the package that brings them."""
DATA = "./data"  #: As both programs find it, which run in the folder above: it may have any name.
SHOWN = (
    "version",
    "max_connections",
    "innodb_buffer_pool_size",
    "character_set_server",
    # What a commit that survives a power failure depends on.
    "innodb_flush_log_at_trx_commit",
    "innodb_doublewrite",
    "sync_binlog",
)
ACCESS = "access.sql"
"""Read by the server before anybody can connect, a statement a line. Anyone on this machine may be
the target's user, as with PostgreSQL; a superuser needs the run's password."""


@dataclass(kw_only=True, eq=False, repr=False)
class MariaDB(DatabaseService):
    """MariaDB of this machine. It takes a superuser's connection when all others are taken."""

    name = "mariadb"
    title = "MariaDB"
    programs = ("mariadbd",)
    package = "mariadb-server"
    driver = "MySQLdb"
    extra = "mariadb"
    foreign = ("MYSQL", "MARIADB")  # MYSQL_HOME, MYSQL_TCP_PORT …
    least_connections = 9  # it raises max_connections to 10

    @classmethod
    def available(cls) -> Available:
        program = super().available()
        for name, package in HELPERS.items():
            if program.ok and programs.find_program(name) is None:
                return Available(False, f"there is no program {name}", f"apt install {package}")
        return program

    @property
    def url(self) -> str:
        return f"mysql://{USER}@{HOST}:{self.port}/mysql"

    @property
    def admin_url(self) -> str:
        return f"mysql://{SUPERUSER}:{self.password}@{HOST}:{self.port}/mysql"

    def make(self) -> None:
        words = ["--no-defaults", f"--datadir={DATA}", "--skip-test-db", "--force"]
        self.run([programs.find_program(INSTALL) or INSTALL, *words], INSTALL)

    def config_files(self) -> Mapping[str, str]:
        superuser, user = f"'{SUPERUSER}'@'{HOST}'", f"'{USER}'@'{HOST}'"
        lines = (
            f"CREATE OR REPLACE USER {superuser} IDENTIFIED BY '{self.password}';\n"
            f"GRANT ALL ON *.* TO {superuser} WITH GRANT OPTION;\n"
            f"CREATE OR REPLACE USER {user};\n"
            rf"GRANT ALL ON `bench\_%`.* TO {user};"
        )
        return {ACCESS: f"{lines}\n"}

    def argv(self) -> Sequence[str]:
        settings = {
            "datadir": DATA,
            "tmpdir": ".",  # its data folder, too
            "socket": "mariadb.sock",  # it can't do without; in its data folder
            "pid-file": "mariadb.pid",
            "init-file": self.folder / ACCESS,
            "bind-address": HOST,
            "port": self.port,
            "character-set-server": "utf8mb4",
            "max-connections": self.max_connections + WATCHING,
            **({} if self.fsync else {"innodb-flush-log-at-trx-commit": 2}),
            **({} if self.fsync else {"innodb-doublewrite": "OFF"}),
        }
        words = [f"--{name}={value}" for name, value in settings.items()]
        return [str(self.program()), "--no-defaults", "--skip-name-resolve", *words]

    def answers(self) -> bool:
        import MySQLdb  # here, because only a run with this service needs it

        try:
            return Path(self._shown("datadir")["datadir"]).resolve() == self.data
        except MySQLdb.OperationalError:
            return False

    def learn(self) -> None:
        (self.folder / ACCESS).unlink()
        shown = self._shown(*SHOWN)
        self.version = shown.pop("version").partition("-")[0]
        self.settings = shown

    def reading(self) -> Asking:
        return Asking(lambda: connected(self.admin_url), _facts)

    def _shown(self, *names: str) -> dict[str, str]:
        with closing(connected(self.admin_url)) as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(f'@@{name}' for name in names)}")
            return dict(zip(names, map(str, cursor.fetchone()), strict=True))
