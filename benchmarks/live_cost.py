"""What it costs to be watched: CPU time of a command that writes each second down, and of one that
doesn't, in turns; and of consoles that show it.

python -m benchmarks.live_cost [--pairs 8] [--duration 15]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

from benchmarks.console import ROOT, console
from benchmarks.machine import description

TOKEN_OF = "BENCHSUITE_TOKEN"


def command(duration: str, *, is_written: bool) -> None:
    """One run in this process; prints percent of a core from its first second to its last one: of
    all threads, and of what is written down.
    """
    from django.core.management import call_command

    from benchsuite.management import session
    from benchsuite.management.session import Recording

    seen: list[tuple[float, float]] = []
    own_s = 0.0

    class Timed(Recording):
        def _write(self, **line: object) -> None:
            if is_written:
                super()._write(**line)

        def _second(self, tick: Any) -> list[float | bool | None]:
            return super()._second(tick) if is_written else []

        def tick(self, tick: Any) -> None:
            nonlocal own_s
            seen.append((time.monotonic(), time.process_time()))
            before = time.thread_time()
            super().tick(tick)
            own_s += time.thread_time() - before

    session.Recording = Timed  # type: ignore[misc]
    load = ("--users=10", "--warmup=1", f"--duration={duration}")
    call_command("runbench", "--server=waitress", *load, f"--json={os.devnull}")
    (begin, first), *_, (end, last) = seen
    passed_s = end - begin
    print(json.dumps([100 * (last - first) / passed_s, 100 * own_s / passed_s]))


def in_turns(pairs: int, duration: str) -> None:
    """Ratios of one pair each, so that a slow minute of the machine weighs on both."""
    figures: dict[str, list[list[float]]] = {"with": [], "without": []}
    for pair in range(pairs):
        for kind in ("with", "without")[:: 1 if pair % 2 else -1]:
            words = [sys.executable, "-m", "benchmarks.live_cost", "--child", kind]
            ended = subprocess.run(
                [*words, "--duration", duration], capture_output=True, text=True, check=False
            )
            if ended.returncode:
                sys.exit(ended.stderr)
            figures[kind].append(json.loads(ended.stdout.splitlines()[-1]))
    whole = {kind: [one[0] for one in some] for kind, some in figures.items()}
    written, not_written = whole["with"], whole["without"]
    ratios = [one / other for one, other in zip(written, not_written, strict=True)]
    more = [one - other for one, other in zip(written, not_written, strict=True)]
    own = [one for _, one in figures["with"]]
    print(f"the command, {pairs} pairs of runs of {duration} s:")
    for name, some, unit in (
        ("with", written, " % of a core"),
        ("without", not_written, " % of a core"),
        ("ratio", ratios, ""),
        ("difference", more, " % of a core"),
        ("of that in the calls themselves", own, " % of a core"),
    ):
        low, high = min(some), max(some)
        print(f"  {name}: {statistics.median(some):.3g}{unit} ({low:.3g} to {high:.3g})")


@contextmanager
def written(total: int) -> Iterator[str]:
    """The path of a run of this process, which writes a second each second."""
    from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
    from benchsuite.load.job import Tick
    from benchsuite.management.session import Recording
    from benchsuite.store import begun
    from benchsuite.system.journal import Journal

    spec = RunSpec(server=ServerSpec(server="waitress"), load=LoadProfile(duration_s=total))
    row = begun(spec, batch=uuid4(), started_at=datetime.now(UTC), server_facts={})
    row.save()
    silent = SimpleNamespace(title="waitress", place=1, total=1, left_s=1.0, tick=lambda tick: None)
    enough = threading.Event()
    with closing(Journal(row.batch)) as opened:
        recording = Recording(silent, opened, row, spec.load)  # type: ignore[arg-type]

        def write() -> None:
            elapsed_s = 0
            while not enough.wait(1.0):
                elapsed_s += 1
                recording.tick(
                    Tick(
                        elapsed_s=elapsed_s,
                        users=10,
                        requests=400 * elapsed_s,
                        failures=0,
                        rate=400.0,
                        p50_s=0.02,
                        p95_s=0.04,
                        cpu_percent=50.0,
                    )
                )

        writer = threading.Thread(target=write)
        writer.start()
        yield f"/results/live/run/{row.pk}/"
        enough.set()
        writer.join()


def looked_at(seconds: float) -> None:
    """Consoles with a page that draws itself: percent of a core."""
    from websockets.sync.client import connect
    from websockets.typing import Origin

    from benchsuite.system.network import free_port

    for kind in ("daphne", "runserver"):
        port = free_port()
        words = ["manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"]
        if kind == "daphne":
            program = str(Path(sys.executable).with_name("daphne"))
            words = [program, "-v0", f"-p{port}", "testproject.asgi_console:application"]
        with (
            written(int(seconds) + 30) as path,
            subprocess.Popen(
                [sys.executable, *words],
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as process,
        ):
            time.sleep(6.0)  # for its imports
            cookie = {"Cookie": f"benchsuite-{port}={os.environ[TOKEN_OF]}"}
            idle = _share(process.pid, lambda: time.sleep(1.0), seconds / 2)
            if kind == "daphne":
                with connect(
                    f"ws://127.0.0.1:{port}{path}",
                    additional_headers=cookie,
                    origin=Origin(f"http://127.0.0.1:{port}"),
                ) as socket:
                    share = _share(process.pid, socket.recv, seconds)
            else:
                asked = Request(f"http://127.0.0.1:{port}{path}?since=0", headers=cookie)

                def ask(asked: Request = asked) -> None:
                    with urlopen(asked) as answer:
                        answer.read()
                    time.sleep(1.0)

                share = _share(process.pid, ask, seconds)
            how = "by WebSocket" if kind == "daphne" else "by asking each second"
            print(f"{kind}, {how}: {share:.2g} % of a core; with no page open {idle:.2g} %")
            process.terminate()


def _share(pid: int, look: Any, seconds: float) -> float:
    from benchsuite.system.procfs import read_stat

    def used_s() -> float:
        stat = read_stat(pid)
        assert stat is not None
        return stat.own_ticks / os.sysconf("SC_CLK_TCK")

    look()
    begin, before = time.monotonic(), used_s()
    while time.monotonic() - begin < seconds:
        look()
    return 100 * (used_s() - before) / (time.monotonic() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--duration", default="15")
    parser.add_argument("--child", choices=("with", "without"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    with console():
        if options.child:
            command(options.duration, is_written=options.child == "with")
            return
        print(description())
        in_turns(options.pairs, options.duration)
        looked_at(2 * float(options.duration))


if __name__ == "__main__":
    main()
