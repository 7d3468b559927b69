"""How long the pages take when there is much to show: python benchmarks/pages.py

The list with 10 000 runs, a run with 3 600 seconds, a comparison of 8 runs. Uses a SQLite file of
its own that is removed at the end.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 10_000
SECONDS = 3_600
TIMES = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/pages.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "testproject.settings.console"
        os.environ["DEBUG"] = "0"
        sys.path[0] = str(ROOT)  # instead of this folder, whose files have names of modules
        import django

        django.setup()
        measure()


def measure() -> None:
    from django.conf import settings
    from django.core.management import call_command

    from benchsuite import conf
    from tests.factories import make_rows, make_run

    settings.BENCHSUITE = {"ACCESS": "benchsuite.views.access.loopback"}
    conf.config.cache_clear()
    call_command("migrate", verbosity=0)
    make_rows(RUNS, servers=tuple(conf.server_paths()))
    long = make_run("uwsgi", rate=50, users=10, warmup_s=0.0, duration_s=float(SECONDS))
    several = [make_run(server, seed=number) for number, server in enumerate(["uwsgi"] * 8)]
    ids = ",".join(str(run.pk) for run in several)
    print(f"{'page':<44}{'queries':>8}{'median':>10}{'size':>10}")
    for name, path in (
        (f"list, {RUNS} runs, newest first", "/results/"),
        (f"list, {RUNS} runs, by goodput, page 100", "/results/?sort=-goodput&page=100"),
        (f"list, {RUNS} runs, filtered and searched", "/results/?server=uwsgi&q=label-24"),
        (f"run, {SECONDS} seconds", f"/results/{long.pk}/"),
        ("comparison of 8 runs", f"/results/compare/?runs={ids}"),
        (f"export of {RUNS} runs as CSV", "/results/export/?format=csv"),
    ):
        report(name, path)


def report(name: str, path: str) -> None:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(HTTP_HOST="localhost")
    with CaptureQueriesContext(connection) as seen:
        answer = client.get(path)
    assert answer.status_code == 200, answer.content
    queries = len(seen)  # the next request begins a new log
    took = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        client.get(path)
        took.append(time.perf_counter() - begun)
    median = sorted(took)[TIMES // 2]
    size = f"{len(answer.content) / 1024:.0f} KiB"
    print(f"{name:<44}{queries:>8}{median * 1e3:>7.0f} ms{size:>10}")


if __name__ == "__main__":
    main()
