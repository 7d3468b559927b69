"""How often runs that nobody breaks are told to be doubtful, and by which finding.

python -m benchmarks.false_alarms [--runs 30] [--seconds 10]

The cells, which are known to have nothing wrong, are run one after another until there are enough
runs, on CPUs of their own as runbench does it. Others on the machine make true alarms: so the table
says how busy it was, and counts the runs with B401 (the machine was not quiet) apart from the rest.
"""

import argparse
import itertools
import os
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import django

from benchmarks.machine import command_line, description
from benchmarks.table import markdown
from benchsuite.core.results import Level, RunResult
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.load.job import Tick
from benchsuite.system import cpus

CELLS = (
    ("gunicorn-gthread", "plain"),
    ("gunicorn-sync", "io_read"),
    ("uvicorn", "plain_async"),
    ("waitress", "io_read"),
    ("granian-wsgi", "bench_app"),
    ("gunicorn-gthread", "io_create"),
)
USERS = 4
ROWS = 1000
NOISY = "B401"


class Silent:
    def stage(self, text: str) -> None:
        """Nobody looks on."""

    def note(self, text: str) -> None:
        """Nobody looks on."""

    def tick(self, tick: Tick) -> None:
        """Nobody looks on."""


def clean_runs(count: int, seconds: float) -> Iterator[RunResult]:
    from benchsuite.runner import planning, session

    pinned = cpus.split(cpus.available(), 1) or (None, None)
    cells = list(itertools.islice(itertools.cycle(CELLS), count))
    with session(settings_module="testproject.settings.target") as at_work:
        for seed, (server, workload) in enumerate(cells):
            spec = RunSpec(
                server=ServerSpec(server=server, cpus=pinned[0]),
                workload=WorkloadSpec(workload=workload),
                load=LoadProfile(users=USERS, warmup_s=1.0, duration_s=seconds, cpus=pinned[1]),
                database=DatabaseSpec(rows=ROWS),
                seed=seed,
            )
            yield at_work.run(planning.resolve(spec), Silent())


def table(results: list[RunResult]) -> str:
    """A row for each finding: in how many runs, at which level, and how many of them were quiet."""
    counts: Counter[tuple[str, Level]] = Counter()
    quiet: Counter[tuple[str, Level]] = Counter()
    for result in results:
        seen = {(one.code, one.level) for one in result.findings}
        counts.update(seen)
        if not is_noisy(result):
            quiet.update(seen)
    rows = [
        [f"{code}, {level}", str(count), str(quiet[code, level])]
        for (code, level), count in sorted(counts.items())
    ]
    flagged = [result for result in results if weighs(result)]
    rows.append(
        [
            "weak or invalid by any",
            str(len(flagged)),
            str(sum(not is_noisy(result) for result in flagged)),
        ]
    )
    rows.append(["runs", str(len(results)), str(sum(not is_noisy(one) for one in results))])
    return markdown(["finding", "of all runs", "of those without B401"], rows)


def is_noisy(result: RunResult) -> bool:
    return any(one.code.startswith(NOISY) for one in result.findings)


def weighs(result: RunResult) -> bool:
    return any(one.level is not Level.INFO for one in result.findings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each window")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")
    django.setup()
    sys.argv[0] = str(Path(sys.argv[0]).resolve())
    begun = datetime.now().astimezone()
    loads = [os.getloadavg()[0]]
    results = []
    for result in clean_runs(given.runs, given.seconds):
        if result.failure:
            raise SystemExit(f"{result.spec.server.server}: {result.failure}")
        results.append(result)
        loads.append(os.getloadavg()[0])
        told = ", ".join(f"{one.code} {one.level}: {one.message}" for one in result.findings)
        server, workload = result.spec.server.server, result.spec.workload.workload
        print(f"{len(results)}/{given.runs} {server} {workload}: {told}", file=sys.stderr)
    print(f"{description()}\n")
    print(
        f"`{command_line()}`, {begun:%Y-%m-%d %H:%M}; "
        f"load average {min(loads):.1f} to {max(loads):.1f}\n"
    )
    print(table(results))


if __name__ == "__main__":
    main()
