"""Whether figures are true: programmed service times, and a target that stops for a second.

    python -m benchmarks.accuracy [--quick] [--only known|stall] [--rounds 5] [--seconds 8]

Known answers: a responder with programmed service times logs what it really did, and each
generator's percentiles are compared with that log. Ours must be within max(2 %, 0.2 ms) at every
whole percentile from p50 to p99, at 1 000 requests/s or more.

Stall: the responder is stopped (SIGSTOP) for a twentieth of a run at 200 requests/s, so that one
request in twenty is late and the true p99 is 0.8 of the stall. An independent oracle, slow and with
intended times, sees the same. Ours must be within 10 % of it.

Needs wrk and hey (Debian has both) and two CPUs: the responder is pinned to one, generators to the
other. Rounds are interleaved, and each waits a while for the machine to be quiet.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import oracle, ours, programs
from benchmarks.machine import command_line, description, own_cpus, wait_until_quiet
from benchmarks.ours import Loaded, Responding
from benchmarks.programs import Figures
from benchmarks.table import markdown
from benchsuite.core.specs import LoadProfile
from benchsuite.stats import histogram

PERCENTS = range(50, 100)
SHOWN = (50, 90, 95, 99)
RELATIVE, ABSOLUTE_S = 0.02, 0.0002
WARMUP_S = 1.0
OPEN_RATE = 1100.0

STALL_TIMES = "constant:1.5ms"
STALL_RATE, STALL_USERS = 200.0, 10
STALL_SHARE = 1 / 20  #: Of the run, in which the target is stopped.
ORACLE_RATE = 50.0
ORACLE_THREADS = 150  #: A stall up to 3 s long delays no other request of the oracle.
START_S = 2.5  #: Until another program has surely begun.


class Case(NamedTuple):
    times: str  #: As the responder takes it.
    connections: int  #: So many that a closed loop makes more than 1 000 requests/s.


CASES = (
    Case("constant:1.5ms", connections=2),
    Case("bimodal:5ms,50ms,0.075", connections=12),
    Case("pareto:1ms,1.5,200ms", connections=4),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One generator in one round: what it says, and what was true."""

    rate: float
    shown: Mapping[int, float]
    true: Mapping[int, float]

    def error(self, percent: int) -> float:
        return self.shown[percent] - self.true[percent]

    @property
    def strain(self) -> float:
        """The largest error in units of what is allowed: above 1 is too much."""
        return max(
            abs(self.error(one)) / max(RELATIVE * self.true[one], ABSOLUTE_S) for one in self.shown
        )


Trials = dict[str, list[Trial]]


def percentiles_of(seconds: NDArray[np.float64]) -> dict[int, float]:
    """Nearest rank over all of them, by NumPy and not by benchsuite."""
    ranks = np.quantile(seconds, [one / 100 for one in PERCENTS], method="inverted_cdf")
    return dict(zip(PERCENTS, ranks.tolist(), strict=True))


def our_load(target: Responding, on_go: Callable[[], None] = lambda: None, **load: Any) -> Loaded:
    profile = LoadProfile(warmup_s=WARMUP_S, **load)
    return ours.load(target.url, profile, cpu=own_cpus()[0], run_header=target.token, on_go=on_go)


def known_answers(case: Case, duration_s: float) -> dict[str, Callable[[Responding], Any]]:
    """Each generator under its name; ours returns `Loaded`, others `Figures`."""
    load: dict[str, Any] = {"duration_s": duration_s, "timeout_s": 5.0}
    foreign = {"connections": case.connections, "duration_s": duration_s}
    return {
        "ours, closed": lambda target: our_load(target, users=case.connections, **load),
        "ours, open": lambda target: our_load(target, model="open", arrival_rate=OPEN_RATE, **load),
        "wrk": lambda target: programs.wrk(target.url, **foreign),
        "hey": lambda target: programs.hey(target.url, **foreign),
        "Locust FastHttpUser": lambda target: programs.locust(
            target.url, user="Fast", users=case.connections, duration_s=duration_s
        ),
    }


def known_trial(case: Case, name: str, duration_s: float, folder: Path, seed: int) -> Trial:
    generate = known_answers(case, duration_s)[name]
    with ours.responding(case.times, folder, cpu=own_cpus()[1], seed=seed) as target:
        seen = generate(target)
    rows = target.times()
    if isinstance(seen, Loaded):
        if seen.failures:
            raise SystemExit(f"{seen.failures} of our requests failed")
        counted = histogram.of(seen.response_times)
        shown = histogram.values_at(counted, [float(one) for one in PERCENTS])
        begin, end = seen.done.window
        rows = rows[(rows[:, 0] >= begin) & (rows[:, 0] < end)]
    else:
        shown = seen.percentiles
    true = percentiles_of(rows[:, 1] - rows[:, 0])
    whole = {int(percent): value for percent, value in shown.items() if percent in PERCENTS}
    return Trial(rate=seen.rate, shown=whole, true=true)


class Stall:
    """Stops a process once for a while, from a thread."""

    def __init__(self, pid: int, length_s: float) -> None:
        self.begun = 0.0
        self._pid, self._length_s = pid, length_s
        self._thread: threading.Thread | None = None

    def after(self, seconds: float) -> None:
        self._thread = threading.Thread(target=self._stop_and_go, args=(monotonic() + seconds,))
        self._thread.start()

    def join(self) -> None:
        assert self._thread is not None
        self._thread.join()

    def _stop_and_go(self, moment: float) -> None:
        sleep(max(0.0, moment - monotonic()))
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGSTOP)
            self.begun = monotonic()
            sleep(max(0.0, self.begun + self._length_s - monotonic()))
            os.kill(self._pid, signal.SIGCONT)


def stalled(duration_s: float) -> dict[str, Callable[[Responding, Stall], Any]]:
    """Each generator under its name, as in `known_answers`."""
    think_s = STALL_USERS / STALL_RATE - 0.002
    middle_s = START_S + (duration_s - START_S) / 2

    def our(**load: Any) -> Callable[[Responding, Stall], Loaded]:
        return lambda target, stall: our_load(
            target, lambda: stall.after(WARMUP_S + duration_s / 2), duration_s=duration_s, **load
        )

    def foreign(
        program: Callable[..., Figures], **asked: Any
    ) -> Callable[[Responding, Stall], Figures]:
        def generate(target: Responding, stall: Stall) -> Figures:
            stall.after(middle_s)
            return program(target.url, duration_s=duration_s, **asked)

        return generate

    return {
        "ours, open": our(model="open", arrival_rate=STALL_RATE),
        "ours, closed": our(users=STALL_USERS, think_time_s=think_s),
        "wrk, 2 connections": foreign(programs.wrk, connections=2),
        "hey -q, 10 connections": foreign(programs.hey, connections=STALL_USERS, rate=STALL_RATE),
        "Locust constant_throughput, 10 users": foreign(
            programs.locust, user="Paced", users=STALL_USERS
        ),
    }


def stall_trial(name: str, duration_s: float, folder: Path) -> Trial:
    """The truth is the oracle's, over a window as long as the generator's with the stall in it."""
    log = folder / "oracle.bin"
    with ours.responding(STALL_TIMES, folder, cpu=own_cpus()[1]) as target:
        stall = Stall(target.process.pid, duration_s * STALL_SHARE)
        witness = subprocess.Popen(
            [
                *(sys.executable, "-P", oracle.__file__, "--port", str(target.port)),
                *("--rate", f"{ORACLE_RATE:g}", "--threads", str(ORACLE_THREADS)),
                *("--seconds", f"{2 * duration_s + 6:g}", "--log", str(log)),
            ]
        )
        try:
            seen = stalled(duration_s)[name](target, stall)
            stall.join()
            witness.send_signal(signal.SIGTERM)
            witness.wait(10)
        finally:
            witness.kill()
            witness.wait()
    begin = stall.begun - duration_s / 2
    rows = np.fromfile(log).reshape(-1, 3)
    rows = rows[(rows[:, 0] >= begin) & (rows[:, 0] < begin + duration_s)]
    if np.isnan(rows).any():
        raise SystemExit("the oracle lost a connection")
    shown = percentiles_of(seen.response_times) if isinstance(seen, Loaded) else seen.percentiles
    return Trial(rate=seen.rate, shown=shown, true=percentiles_of(rows[:, 2] - rows[:, 0]))


def known_table(trials: Trials) -> str:
    """Medians over the rounds, errors in parentheses."""
    rows = []
    for name, rounds in trials.items():
        cells = [name, f"{median(one.rate for one in rounds):.0f}"]
        for percent in SHOWN:
            with_it = [one for one in rounds if percent in one.shown]
            shown = [1e3 * one.shown[percent] for one in with_it]
            errors = [1e3 * one.error(percent) for one in with_it]
            cells.append(f"{median(shown):.2f} ({median(errors):+.2f})" if shown else "—")
        strains = [one.strain for one in rounds]
        within = f"{sum(strain <= 1 for strain in strains)} of {len(strains)}"
        rows.append([*cells, spread(strains, 1), within])
    head = ["ms (error)", "requests/s", *(f"p{one}" for one in SHOWN), "strain", "within"]
    return markdown(head, rows)


def stall_table(trials: Trials) -> str:
    rows = [
        [
            name,
            f"{median(one.rate for one in rounds):.0f}",
            *(f"{1e3 * median(one.shown[percent] for one in rounds):.1f}" for percent in (50, 99)),
            f"{1e3 * median(one.true[99] for one in rounds):.1f}",
            spread([one.shown[99] / one.true[99] for one in rounds], 3),
        ]
        for name, rounds in trials.items()
    ]
    head = ["", "requests/s", "p50 ms", "p99 ms", "true p99 ms", "shown / true"]
    return markdown(head, rows)


def spread(values: list[float], digits: int) -> str:
    low, middle, high = min(values), median(values), max(values)
    return f"{middle:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def rounds_of(count: int, names: list[str], patience_s: float) -> Iterator[tuple[int, str]]:
    """Each name once a round, every other round backwards; says how busy the machine was."""
    for number in range(count):
        for name in names if number % 2 == 0 else reversed(names):
            if patience_s:
                busy = wait_until_quiet(patience_s)
                print(f"round {number + 1}, {name}: others {busy:.0%}", file=sys.stderr)
            yield number, name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--only", choices=("known", "stall"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each known answer")
    parser.add_argument("--stall-rounds", type=int, default=3)
    parser.add_argument("--stall-seconds", type=float, default=20.0)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for quiet")
    options = parser.parse_args()
    if options.quick:
        options.rounds = options.stall_rounds = 1
        options.seconds, options.stall_seconds, options.patience = 3.0, 6.0, 0.0
    if commands := programs.missing("wrk", "hey"):
        sys.exit(f"This compares with other programs that are not here: {'; '.join(commands)}.")
    print(f"{command_line()}\n{datetime.now(UTC):%Y-%m-%d}, {description()}")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        for case in CASES if options.only != "stall" else ():
            trials: Trials = {name: [] for name in known_answers(case, 0.0)}
            for seed, name in rounds_of(options.rounds, list(trials), options.patience):
                trials[name].append(known_trial(case, name, options.seconds, folder, seed))
            print(f"\n{case.times}, {options.rounds} rounds of {options.seconds:g} s\n")
            print(known_table(trials), flush=True)
        if options.only != "known":
            trials = {name: [] for name in stalled(0.0)}
            for _, name in rounds_of(options.stall_rounds, list(trials), options.patience):
                trials[name].append(stall_trial(name, options.stall_seconds, folder))
            length_s = options.stall_seconds * STALL_SHARE
            print(
                f"\nStopped for {length_s:g} s of {options.stall_seconds:g} s at {STALL_RATE:g} "
                f"requests/s, {options.stall_rounds} rounds; p99 must be {800 * length_s:.0f} ms\n"
            )
            print(stall_table(trials), flush=True)


if __name__ == "__main__":
    main()
