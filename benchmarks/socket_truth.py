"""Every count and time of our WebSockets, and of another client, against a server's own books.

    python -m benchmarks.socket_truth [--quick] [--seconds 5] [--connections 6]

The server (`benchmarks/socket_faults.py`: asyncio, frames by hand) misbehaves as it is told and
writes down all that it got and said. Our load and Tornado's client (`benchmarks/socket_tornado.py`)
ask it one after the other, in the same way: so many connections, each of which waits for its own
message to come back, and 50 messages on each. What a client counted must be what was said to it.
Times are beside those from the server's log, which end before the way back.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.machine import command_line, description
from benchmarks.socket_faults import RUN, Faults, FaultyServer
from benchmarks.socket_tornado import MESSAGES
from benchmarks.table import markdown
from benchsuite.core.samples import MESSAGE, STRAY, UNSOLICITED, Kind
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.job import Job
from benchsuite.load.parent import spool
from benchsuite.load.parent.driver import load_worker

TIMEOUT_S = 1.0
PATH = "/said"
ECHO = "benchsuite.workloads.ws_echo.WsEcho"
OURS, OTHER = "ours", "Tornado"

SCENES: Mapping[str, Faults] = {
    "echo after 8 ms": Faults(delay_s=0.008),
    "the same, ticks every 50 ms": Faults(delay_s=0.008, tick_s=0.05),
    "a room: all hear all": Faults(delay_s=0.008, room=True),
    "every 7th comes twice": Faults(delay_s=0.008, every=7, do="twice"),
    "the last once more while closing": Faults(delay_s=0.008, copy_at_close=True),
    "every 30th is swallowed": Faults(delay_s=0.008, every=30, do="nothing"),
    "cut at every 30th": Faults(delay_s=0.008, every=30, do="cut"),
    "closed after 20, slow handshakes": Faults(delay_s=0.008, life=20, handshake_s=0.1),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What one side saw."""

    sent: int
    right: int
    lost: int
    copies: int
    by_itself: int
    p50_s: float
    p99_s: float

    @property
    def counts(self) -> tuple[int, ...]:
        return self.sent, self.right, self.lost, self.copies, self.by_itself


def seen(counts: Mapping[str, int], times: list[float]) -> Seen:
    names = ("sent", "right", "lost", "copies", "by itself")
    halves = np.quantile(times, (0.5, 0.99))
    return Seen(*(counts.get(name, 0) for name in names), *map(float, halves))


def by_server(server: FaultyServer) -> Seen:
    """By its log, without the connection that checked the journey."""
    counts: Counter[str] = Counter()
    got: dict[tuple[int, bytes], float] = {}
    times = []
    for one in server.log:
        if one.connection == 1:
            continue
        counts[one.what] += 1
        if one.what == "got":
            got[one.connection, one.data] = one.moment
        elif one.what == "answer":
            times.append(one.moment - got[one.connection, one.data])
    lost = counts["swallowed"] + counts["cut"] + counts["closed"]
    told = {
        "sent": counts["got"],
        "right": counts["answer"],
        "lost": lost,
        "copies": counts["copy"],
        "by itself": counts["tick"] + counts["overheard"],
    }
    return seen(told, times)


def by_us(server: FaultyServer, options: argparse.Namespace, *, in_room: bool) -> Seen:
    """In a room others' messages are none that went astray, so there the journey says what is its
    own.
    """
    profile = LoadProfile(
        users=options.connections, warmup_s=0, duration_s=options.seconds, timeout_s=TIMEOUT_S
    )
    job = Job(
        base_url=server.base_url,
        run_header=RUN,
        workload_class="benchmarks.journeys.Say" if in_room else ECHO,
        workload=WorkloadSpec(options={"path": PATH, "messages": MESSAGES}),
        load=profile,
        spool="",
        unit=MESSAGE,
    )
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        with load_worker(spool=folder / "spool", log=folder / "log") as worker:
            worker.check(job)
            worker.run(lambda tick: None)
        samples, names = spool.read(folder / "spool")
    of = {one.scope: samples[samples["name"] == place] for place, one in enumerate(names)}
    nothing = samples[:0]
    messages = of[MESSAGE]
    right = messages[messages["kind"] == Kind.OK]
    strays = of.get(STRAY, nothing)
    counts = {
        "sent": len(messages),
        "right": len(right),
        "lost": len(messages) - len(right),
        "copies": int((strays["kind"] == Kind.DUPLICATED).sum()),
        "by itself": len(of.get(UNSOLICITED, nothing)),
    }
    return seen(counts, list(right["finish"] - right["start"]))


def by_the_other(server: FaultyServer, options: argparse.Namespace) -> Seen:
    argv = [
        *(sys.executable, "-m", "benchmarks.socket_tornado", "--port", str(server.port)),
        *("--path", PATH, "--connections", str(options.connections)),
        *("--seconds", f"{options.seconds:g}", "--timeout", f"{TIMEOUT_S:g}"),
    ]
    ended = subprocess.run(argv, stdout=subprocess.PIPE, check=True, timeout=options.seconds + 60)
    told = json.loads(ended.stdout)
    return seen(told["counts"], told["times"])


def row(scene: str, who: str, client: Seen, server: Seen) -> list[str]:
    names = zip(client.counts, server.counts, strict=True)
    counts = [str(ours) if ours == true else f"{ours} of {true}" for ours, true in names]
    times = [
        f"{1e3 * one:.2f} ({1e3 * (one - true):+.2f})"
        for one, true in ((client.p50_s, server.p50_s), (client.p99_s, server.p99_s))
    ]
    return [scene, who, *counts, *times]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a second each")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=6)
    options = parser.parse_args()
    if options.quick:
        options.seconds = 1.0
    print(f"{command_line()}\n{datetime.now(UTC):%Y-%m-%d}, {description()}\n")
    rows = []
    for scene, faults in SCENES.items():
        for who in (OURS, OTHER):
            with FaultyServer({PATH: faults}) as server:
                if who == OURS:
                    client = by_us(server, options, in_room=faults.room)
                else:
                    client = by_the_other(server, options)
            rows.append(row(scene, who, client, by_server(server)))
    head = ["", "client", "sent", "right", "lost", "copies", "by itself", "p50 ms", "p99 ms"]
    print(markdown(head, rows))


if __name__ == "__main__":
    main()
