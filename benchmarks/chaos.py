"""Disturbs runs at random moments and counts what they leave: python -m benchmarks.chaos

`--count` runs are made one after another, each with another server, front, database, layer, delay
and workload, and something befalls it: a signal, a killed process, a closed terminal. What is there
afterwards and wasn't before is left. The same seed draws the same cases; `--only N` makes the Nth
again.

It makes namespaces of its own (as root, or where users may) for processes, ports, shared memory:
so it disturbs and awaits nobody, what is left can be counted without marks, and all ends with them.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from time import monotonic
from uuid import uuid4

import psycopg

from benchmarks.disturbances.cases import Case, draw
from benchmarks.disturbances.doing import Ending, started
from benchmarks.disturbances.left import NAMES, Looker
from benchmarks.table import markdown
from benchsuite.services.base import Service
from benchsuite.services.postgres import PostgreSQL

HUNG = "did not end"
MARK = "BENCHSUITE_CHAOS_ALONE"
NAMESPACES = ("--mount", "--net", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child")
# The shell is process 1 and reaps who lost his parent; so it must not become the program.
PREPARE = 'ip link set lo up && mount -t tmpfs tmpfs /dev/shm && "$@"; exit $?'


class Chaos:
    """The places in which cases are made, and what has been found so far."""

    def __init__(self, folder: Path, service: Service) -> None:
        import dj_database_url
        from django.conf import settings

        self._temporary = folder / "tmp"
        self._temporary.mkdir(mode=0o1777)
        self._temporary.chmod(0o1777)  # as /tmp is: PostgreSQL runs as another user
        with psycopg.connect(service.url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE results")
        self._server_url = service.url
        self._urls = {
            "default": f"sqlite:///{folder}/results.sqlite3",
            "postgres": f"{service.url.rpartition('/')[0]}/results",
        }
        settings.configure(
            DATABASES={alias: dj_database_url.parse(url) for alias, url in self._urls.items()},
            INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "benchsuite"],
            USE_TZ=True,
        )
        import django
        from django.core.management import call_command

        django.setup()
        for alias in self._urls:
            call_command("migrate", database=alias, verbosity=0)
        self._looker = Looker(
            self._temporary, {service.process.pid}, self._databases, self._running
        )

    def befall(self, case: Case) -> tuple[Ending, dict[str, list[str]]]:
        """Makes this case; how it ended and what it left."""
        before = self._looker.look()
        url = self._urls["postgres" if case.users_postgres else "default"]
        kept = {name: value for name, value in os.environ.items() if name != MARK}
        env = {
            **kept,
            "TMPDIR": str(self._temporary),
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "testproject.settings.console",
        }
        with started(case, env) as run:
            ending = run.befall(self._looker.strangers)
        left = self._looker.what_is_left(before)
        if ending.status is None:
            left[HUNG] = [f"the command, {case.disturbance}"]
        if left:
            self._looker.clear()
        return ending, left

    def _databases(self) -> list[str]:
        with psycopg.connect(self._server_url, autocommit=True) as connection:
            rows = connection.execute("SELECT datname FROM pg_database").fetchall()
        return [str(row[0]) for row in rows]

    def _running(self) -> list[str]:
        """Runs that look alive to whoever looks at the pages, which sweep before they show."""
        from django.db import connections

        from benchsuite.models import Run
        from benchsuite.store import sweep

        rows = []
        for alias in self._urls:
            connections["default"] = connections.create_connection(alias)
            sweep()
            rows += [f"run {run.pk} of {run.owner}" for run in Run.objects.filter(status="running")]
            connections["default"].close()
        return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="number of the first case")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no case after these")
    parser.add_argument("--only", type=int, metavar="N", help="the case of this number alone")
    given = parser.parse_args()
    if MARK not in os.environ:
        # Again, in namespaces of its own.
        whose = [] if os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]
        shell = ["unshare", *whose, *NAMESPACES, "sh", "-c", PREPARE, "sh"]
        command = [*shell, sys.executable, "-m", "benchmarks.chaos", *sys.argv[1:]]
        return subprocess.call(command, env={**os.environ, MARK: "1"})
    numbers = [given.only] if given.only else range(given.first, given.first + given.count)
    cases = [draw(given.seed, number) for number in numbers]
    latest = monotonic() + 60 * given.minutes
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-")))
        folder.chmod(0o755)
        cluster = folder / "postgres"
        cluster.mkdir()
        service = stack.enter_context(
            PostgreSQL(folder=cluster, marker=uuid4().hex, fsync=False, env=dict(os.environ))
        )
        in_time = takewhile(lambda _: monotonic() < latest, cases)
        return _all(Chaos(folder, service), in_time, given.seed, verbose=bool(given.only))


def _all(chaos: Chaos, cases: Iterable[Case], seed: int, *, verbose: bool) -> int:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        ending, left = chaos.befall(case)
        for row in (counts[case.disturbance], counts["all"]):
            row["runs"] += 1
            row["too late"] += not ending.was_disturbed
            # A Ctrl-C while Python still imports is answered with one: no fault of ours.
            _, traceback, rest = ending.output.partition("Traceback (most recent call last)")
            row["tracebacks"] += bool(traceback) and not rest.rstrip().endswith("KeyboardInterrupt")
            row.update({kind: len(things) for kind, things in left.items()})
        if verbose:
            print(ending.output, file=sys.stderr)
        print(_line(case, ending, left, seed), file=sys.stderr, flush=True)
    names = ["runs", "too late", *NAMES, HUNG, "tracebacks"]
    order = sorted(counts, key=lambda kind: (kind == "all", kind))
    rows = [[kind, *(str(counts[kind][name]) for name in names)] for kind in order]
    print(markdown(["disturbance", *names], rows))
    return int(any(counts["all"][name] for name in (*NAMES, HUNG)))


def _line(case: Case, ending: Ending, left: dict[str, list[str]], seed: int) -> str:
    since = f' after "{case.stage}"' if case.stage else ""
    when = f"{case.moment_s:g} s{since}" if ending.was_disturbed else "too late"
    said = f"{case.number}: {case.disturbance} {when}, ended with {ending.status}"
    if not left:
        return said
    things = "\n".join(f"  {kind}: {thing}" for kind, all in left.items() for thing in all)
    words = shlex.join(case.words)
    again = f"  again: python -m benchmarks.chaos --seed {seed} --only {case.number}"
    return f"{said}, LEFT by runbench {words}\n{things}\n{again}"


if __name__ == "__main__":
    sys.exit(main())
