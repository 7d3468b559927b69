"""How fast our load process is: requests/s on one CPU against nginx `return 200` on another.

    python -m benchmarks.generator [--quick] [--rounds 7] [--seconds 4] [--profile FILE]

Beside it wrk, Locust's FastHttpUser and HttpUser, and bare loops that neither check nor record, at
10 and 100 connections. Rounds are interleaved; ratios are taken within a round, then their median
and extremes. Goal: at least 0.5 of wrk and 5 times FastHttpUser.

`--profile` runs only our load at 10 users under cProfile and writes its statistics there, for
`python -m pstats FILE`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks import ours, programs
from benchmarks.journeys import PROFILE_VARIABLE
from benchmarks.machine import command_line, description, own_cpus, pinned, wait_until_quiet
from benchmarks.nginx_null import nginx
from benchmarks.table import markdown
from benchsuite.core.specs import LoadProfile

CONNECTIONS = (10, 100)
WARMUP_S = 1.0
GET, PROFILED = "benchmarks.journeys.Get", "benchmarks.journeys.Profiled"
MARGIN_S = 30.0
OURS, WRK, FAST = "ours", "wrk", "Locust FastHttpUser"


def our_rate(url: str, connections: int, duration_s: float, workload: str = GET) -> float:
    profile = LoadProfile(
        users=connections, warmup_s=WARMUP_S, duration_s=duration_s, timeout_s=5.0
    )
    loaded = ours.load(url, profile, cpu=own_cpus()[0], workload=workload)
    if loaded.failures:
        sys.exit(f"{loaded.failures} of our requests failed")
    return loaded.rate


def wrk_rate(url: str, connections: int, duration_s: float) -> float:
    return programs.wrk(url, connections=connections, duration_s=duration_s).rate


def locust_rate(user: str) -> Callable[[str, int, float], float]:
    def rate(url: str, connections: int, duration_s: float) -> float:
        return programs.locust(url, user=user, users=connections, duration_s=duration_s).rate

    return rate


def bare_rate(loop: str) -> Callable[[str, int, float], float]:
    def rate(url: str, connections: int, duration_s: float) -> float:
        argv = [
            *(sys.executable, "-m", "benchmarks.bare_loops", loop, url),
            *("--connections", str(connections), "--seconds", f"{duration_s:g}"),
        ]
        said = subprocess.run(
            argv, stdout=subprocess.PIPE, text=True, check=True, timeout=duration_s + MARGIN_S
        )
        return float(said.stdout)

    return rate


GENERATORS: dict[str, Callable[[str, int, float], float]] = {
    OURS: our_rate,
    WRK: wrk_rate,
    FAST: locust_rate("Fast"),
    "Locust HttpUser": locust_rate("Plain"),
    "bare gevent sockets + httptools": bare_rate("gevent"),
    "bare epoll loop + httptools": bare_rate("epoll"),
    "bare blocking socket + httptools, 1 connection": bare_rate("blocking"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for quiet")
    parser.add_argument("--profile", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.patience = 1, 2.0, 0.0
    if commands := programs.missing("wrk"):
        sys.exit(f"This compares with other programs that are not here: {'; '.join(commands)}.")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        if options.profile:
            os.environ[PROFILE_VARIABLE] = str(options.profile.resolve())
            with nginx(Path(folder), cpu=own_cpus()[1]) as url:
                print(f"{our_rate(url, 10, options.seconds, PROFILED):.0f} requests/s profiled")
            return
        print(f"{command_line()}\n{datetime.now(UTC):%Y-%m-%d}, {description()}")
        for connections in CONNECTIONS:
            rates = measure(connections, options, Path(folder))
            print(f"\n{connections} connections, {options.rounds} rounds\n")
            print(table(rates), flush=True)


def measure(connections: int, options: argparse.Namespace, folder: Path) -> dict[str, list[float]]:
    """Requests/s of each generator in each round; every other round runs backwards."""
    rates: dict[str, list[float]] = {name: [] for name in GENERATORS}
    for number in range(options.rounds):
        for name in rates if number % 2 == 0 else reversed(list(rates)):
            if options.patience:
                busy = wait_until_quiet(options.patience)
                print(f"round {number + 1}, {name}: others {busy:.0%}", file=sys.stderr)
            with nginx(folder, cpu=own_cpus()[1]) as url, pinned(own_cpus()[0]):
                rates[name].append(GENERATORS[name](url, connections, options.seconds))
    return rates


def table(rates: dict[str, list[float]]) -> str:
    head = ["", "requests/s", "of wrk", "of FastHttpUser"]
    rows = [
        [name, spread(one, 0), *(ratio(one, rates[other]) for other in (WRK, FAST))]
        for name, one in rates.items()
    ]
    return markdown(head, rows)


def ratio(some: list[float], others: list[float]) -> str:
    return spread([one / other for one, other in zip(some, others, strict=True)], 2)


def spread(values: list[float], digits: int) -> str:
    low, middle, high = min(values), median(values), max(values)
    return f"{middle:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


if __name__ == "__main__":
    main()
