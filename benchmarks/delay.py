"""How exact the delay proxy is, and how much it can pass on.

    python -m benchmarks.delay [--quick] [--seconds 5] [--messages 2000]

First the error of a round trip at 0, 100 and 200 ms: what it took less the delay, at low load (a
message each 2 ms). Then round trips/s: with no delay, where the proxy is the limit, and of 200
connections at 100 ms, where 2 000/s would be perfect. The proxy has one CPU, client and echo share
another.
"""

import argparse
import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex

from benchmarks import turns
from benchmarks.machine import command_line, description, own_cpus, pinned, wait_until_quiet
from benchmarks.table import markdown
from benchsuite.delay.accuracy import round_trips
from benchsuite.delay.address import Loop, delayed
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running

DELAYS_S = (0.0, 0.1, 0.2)
PERCENTS = (50, 90, 99)
CONNECTIONS = (1, 50)
MANY, MANY_DELAY_S = 200, 0.1
WARMUP_S = 0.5
READY_S = 10.0

Through = tuple[str, int, int | None]
"""Host, port, and the process in between if there is one."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short, and without waiting for quiet")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each window")
    parser.add_argument("--messages", type=int, default=2000, help="of each distribution")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for quiet")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.messages, options.patience = 1.0, 400, 0.0
    print(f"{command_line()}\n{datetime.now(UTC):%Y-%m-%d}, {description()}, {loops()}")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        print("\nError of a round trip at low load, ms\n")
        print(errors(folder, options), flush=True)
        print("\nRound trips/s\n")
        print(rates(folder, options), flush=True)


def errors(folder: Path, options: argparse.Namespace) -> str:
    """The table of the first part."""
    rows = []
    for name, loop in ways().items():
        for delay_s in DELAYS_S if loop else (0.0,):
            quiet(options)
            with through(folder, loop, delay_s) as (host, port, _), pinned(own_cpus()[0]):
                times = round_trips(host, port, options.messages)
            late = sorted(1e3 * (one - delay_s) for one in times)
            figures = [late[math.ceil(percent / 100 * len(late)) - 1] for percent in PERCENTS]
            label = f"{name}, {1e3 * delay_s:.0f} ms" if loop else name
            rows.append([label, *(f"{one:.2f}" for one in (*figures, late[-1]))])
    return markdown(["", *(f"p{percent}" for percent in PERCENTS), "worst"], rows)


def rates(folder: Path, options: argparse.Namespace) -> str:
    """The table of the second part."""
    head = ["", *(f"0 ms, {number} conn." for number in CONNECTIONS)]
    head += ["CPU of it", f"{MANY} conn. at {1e3 * MANY_DELAY_S:.0f} ms", "of the ideal", "CPU"]
    rows = []
    for name, loop in ways().items():
        row = [name]
        cpu = "—"
        for connections in CONNECTIONS:
            rate, cpu = measured(folder, loop, 0.0, connections, options)
            row.append(f"{rate:.0f}")
        row.append(cpu)
        if loop:
            rate, cpu = measured(folder, loop, MANY_DELAY_S, MANY, options)
            row += [f"{rate:.0f}", f"{rate * MANY_DELAY_S / MANY:.3f}", cpu]
        else:
            row += ["—", "—", "—"]
        rows.append(row)
    return markdown(head, rows)


def loops() -> str:
    return f"uvloop {version('uvloop')}" if find_spec("uvloop") else "no uvloop"


def ways() -> dict[str, Loop | None]:
    """Names of what is compared; None for no proxy."""
    found: dict[str, Loop | None] = {"no proxy": None, "proxy, asyncio": "asyncio"}
    if find_spec("uvloop"):
        found["proxy, uvloop"] = "uvloop"
    return found


def measured(
    folder: Path, loop: Loop | None, delay_s: float, connections: int, options: argparse.Namespace
) -> tuple[float, str]:
    """Round trips/s, and the share of a CPU that the proxy took in words."""
    quiet(options)
    with through(folder, loop, delay_s) as (host, port, pid), pinned(own_cpus()[0]):
        warmup_s = WARMUP_S + 3 * delay_s
        began, used = time.monotonic(), cpu_s(pid)
        rate = turns.turns_per_s(
            host, port, connections=connections, warmup_s=warmup_s, window_s=options.seconds
        )
        share = (cpu_s(pid) - used) / (time.monotonic() - began)
    return rate, f"{100 * share:.0f} %" if pid else "—"


@contextmanager
def through(folder: Path, loop: Loop | None, delay_s: float) -> Iterator[Through]:
    """An echo, and a proxy before it if a loop is named."""
    token = token_hex(8)
    client_cpu, proxy_cpu = own_cpus()
    argv = [sys.executable, "-P", str(Path(turns.__file__))]
    env = dict(os.environ)
    with ExitStack() as stack:
        echo = stack.enter_context(
            running(
                argv,
                name="echo",
                log=folder / "echo.log",
                env=env,
                marker=token,
                on_cpus=[client_cpu],
            )
        )
        said = re.compile(r"^(\d+)$", re.MULTILINE)
        wait_until_ready(echo, lambda: bool(said.search(echo.log_tail())), timeout_s=READY_S)
        port = int(echo.log_tail())
        if loop is None:
            yield "127.0.0.1", port, None
            return
        proxy = stack.enter_context(
            delayed(
                ("127.0.0.1", port),
                delay_s=delay_s,
                direction="to_server",
                name="proxy",
                folder=folder,
                marker=token,
                env=env,
                on_cpus=[proxy_cpu],
                measured=False,
                loop=loop,
            )
        )
        yield proxy.host, proxy.port, proxy.process.pid


def cpu_s(pid: int | None) -> float:
    """CPU time of a process to the nanosecond (clock_getcpuclockid(3) makes such numbers)."""
    return 0.0 if pid is None else time.clock_gettime((~pid << 3) | 2)


def quiet(options: argparse.Namespace) -> None:
    if options.patience:
        busy = wait_until_quiet(options.patience)
        print(f"others {busy:.0%}", file=sys.stderr)


if __name__ == "__main__":
    main()
