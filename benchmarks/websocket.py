"""What a WebSocket message costs our load process, and whether its times are true.

    python -m benchmarks.websocket [--quick] [--rounds 5] [--seconds 8]

Cost: so many messages a second over so many connections, each of which waits for its echo, by our
load process and by bare clients of the same library. Goal: 2 000 connections with 2 000 messages a
second in one process, at 60 % of a CPU at most.

Truth: beside our load an oracle (`benchmarks/oracle.py`: blocking sockets and threads, frames by
hand) asks the same responder now and then; so both see the same server at the same time. Goal:
p50 and p99 within 5 % of the oracle's.

The responder (`benchmarks/socket_responder.py`) waits between 1 and 10 ms, every time as often as
any other; it and the oracle are pinned to one CPU, the other clients to the other. Rounds are
interleaved, every other one runs backwards.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import oracle, ours, socket_responder
from benchmarks.generator import spread
from benchmarks.machine import command_line, description, own_cpus, pinned, wait_until_quiet
from benchmarks.ours import Loaded, Responding
from benchmarks.table import markdown
from benchsuite.core.samples import MESSAGE, Kind
from benchsuite.core.specs import OPEN, LoadProfile
from benchsuite.system import descriptors

LOADS = ((2000, 2000.0), (100, 1000.0))
"""(connections, messages a second)."""

SOCKETS = Path(socket_responder.__file__)
TIMES = "uniform:1ms,10ms"
ORACLE_RATE = 100.0
ORACLE_LEAD_S = 2.0
MARGIN_S = 60.0
OURS = "ours"
BARE = {"websockets, asyncio": "asyncio", "websockets, sans-I/O and epoll": "epoll"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one client saw, and what that took of a CPU."""

    messages_per_s: float
    cpu_percent: float
    p50_s: float
    p99_s: float
    lost: int = 0

    @property
    def each_us(self) -> float:
        """CPU time of a message."""
        return self.cpu_percent / 100 / self.messages_per_s * 1e6


def our_load(server: Responding, connections: int, rate: float, seconds: float) -> Loaded:
    """Our load process, as a run uses it."""
    profile = LoadProfile(
        model=OPEN,
        arrival_rate=rate,
        max_in_flight=connections,
        warmup_s=1.0,
        duration_s=seconds,
        timeout_s=5.0,
    )
    return ours.load(
        server.url,
        profile,
        cpu=own_cpus()[0],
        run_header=server.token,
        workload="benchsuite.workloads.ws_echo.WsEcho",
        options={"path": "/"},
        unit=MESSAGE,
    )


def seen_by_us(loaded: Loaded) -> Seen:
    right = loaded.window[loaded.window["kind"] == Kind.OK]
    times = right["finish"] - right["start"]
    begin, end = loaded.done.window
    assert loaded.done.cpu_percent is not None
    return Seen(
        messages_per_s=len(right) / (end - begin),
        cpu_percent=loaded.done.cpu_percent,
        p50_s=float(np.quantile(times, 0.5)),
        p99_s=float(np.quantile(times, 0.99)),
        lost=len(loaded.window) - len(right),
    )


def bare(server: Responding, loop: str, connections: int, rate: float, seconds: float) -> Seen:
    argv = [
        *(sys.executable, "-m", "benchmarks.socket_bare", loop, "--port", str(server.port)),
        *("--connections", str(connections), "--rate", f"{rate:g}"),
        *("--seconds", f"{seconds:g}"),
    ]
    with pinned(own_cpus()[0]):
        said = subprocess.run(
            argv, stdout=subprocess.PIPE, text=True, check=True, timeout=seconds + MARGIN_S
        )
    found: dict[str, Any] = json.loads(said.stdout)
    return Seen(
        messages_per_s=found["messages"] / seconds,
        cpu_percent=found["cpu_s"] / seconds * 100,
        p50_s=found["p50_s"],
        p99_s=found["p99_s"],
    )


def oracle_beside(server: Responding, seconds: float, log: Path) -> "subprocess.Popen[bytes]":
    """Starts the oracle, which ends by itself; its log is read when it has.

    It runs on the responder's CPU: on that of our load it would wait for that, and see its own
    waiting.
    """
    argv = [
        *(sys.executable, "-P", str(Path(oracle.__file__)), "--port", str(server.port)),
        *("--rate", f"{ORACLE_RATE:g}", "--seconds", f"{seconds:g}", "--log", str(log)),
        *("--websocket", "/"),
    ]
    with pinned(own_cpus()[1]):
        return subprocess.Popen(argv)


def times_of_oracle(log: Path) -> tuple[float, float]:
    """p50 and p99 of its service times."""
    rows = np.fromfile(log).reshape(-1, 3)
    times = rows[:, 2] - rows[:, 1]
    return float(np.nanquantile(times, 0.5)), float(np.nanquantile(times, 0.99))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for quiet")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.patience = 1, 3.0, 0.0
    print(f"{command_line()}\n{datetime.now(UTC):%Y-%m-%d}, {description()}")
    most = max(connections for connections, _ in LOADS)
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as name,
        descriptors.raised(descriptors.needed(most)),
    ):
        for connections, rate in LOADS:
            seen, beside = measure(connections, rate, options, Path(name))
            print(f"\n{connections} connections, {rate:g} messages/s, {options.rounds} rounds\n")
            print(cost_table(seen))
            print(f"\n{truth(seen[OURS], beside)}", flush=True)


def measure(
    connections: int, rate: float, options: argparse.Namespace, folder: Path
) -> tuple[dict[str, list[Seen]], list[tuple[float, float]]]:
    """What each client saw in each round; and what the oracle saw beside ours."""
    seen: dict[str, list[Seen]] = {OURS: [], **{name: [] for name in BARE}}
    beside: list[tuple[float, float]] = []
    for number in range(options.rounds):
        for name in seen if number % 2 == 0 else reversed(list(seen)):
            if options.patience:
                wait_until_quiet(options.patience)
            with ours.responding(TIMES, folder, cpu=own_cpus()[1], program=SOCKETS) as server:
                if name != OURS:
                    loop = BARE[name]
                    seen[name].append(bare(server, loop, connections, rate, options.seconds))
                    continue
                log = folder / f"oracle-{number}.bin"
                asking = oracle_beside(server, options.seconds + ORACLE_LEAD_S, log)
                try:
                    loaded = our_load(server, connections, rate, options.seconds)
                finally:
                    asking.wait(MARGIN_S)
                seen[name].append(seen_by_us(loaded))
                beside.append(times_of_oracle(log))
    return seen, beside


def cost_table(seen: dict[str, list[Seen]]) -> str:
    head = ["", "messages/s", "% of a CPU", "µs a message", "of asyncio's", "p50 ms", "p99 ms"]
    usual = [one.each_us for one in seen[next(iter(BARE))]]
    rows = [
        [
            name,
            f"{median(one.messages_per_s for one in found):.0f}",
            spread([one.cpu_percent for one in found], 0),
            spread([one.each_us for one in found], 0),
            spread([one.each_us / other for one, other in zip(found, usual, strict=True)], 2),
            spread([one.p50_s * 1e3 for one in found], 2),
            spread([one.p99_s * 1e3 for one in found], 2),
        ]
        for name, found in seen.items()
    ]
    return markdown(head, rows)


def truth(found: list[Seen], beside: list[tuple[float, float]]) -> str:
    """Ours against the oracle, round by round."""
    halves = [one.p50_s / other for one, (other, _) in zip(found, beside, strict=True)]
    tails = [one.p99_s / other for one, (_, other) in zip(found, beside, strict=True)]
    lost = sum(one.lost for one in found)
    return (
        f"Beside the oracle: p50 {spread(halves, 3)}, p99 {spread(tails, 3)} of what it saw; "
        f"{lost} messages lost."
    )


if __name__ == "__main__":
    main()
