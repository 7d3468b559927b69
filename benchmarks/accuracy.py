"""Whether figures are true: programmed service times, and a target that stops for a second.

    python -m benchmarks.accuracy [--quick] [--only known|stall] [--rounds 5] [--seconds 8]

Known answers: a responder with programmed service times logs what it really did, and each
generator's percentiles are held against that log. Ours must be within max(2 %, 0.2 ms) at every
whole percentile from p50 to p99, at 1 000 requests/s or more.

Stall: the responder is stopped (SIGSTOP) for a twentieth of a run at 200 requests/s, so that one
request in twenty is late and the true p99 is 0.8 of the stall. An oracle of its own, slow and with
intended times, sees the same. Ours must be within 10 % of it.

Needs wrk and hey (Debian has both) and two CPUs: the responder is pinned to one, generators to the
other. Rounds are interleaved, and each waits a while for the machine to be quiet.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import known, programs, stall
from benchmarks.machine import command_line, description, wait_until_quiet


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
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        if options.only != "stall":
            show_known(options, Path(folder))
        if options.only != "known":
            show_stall(options, Path(folder))


def show_known(options: argparse.Namespace, folder: Path) -> None:
    for case in known.CASES:
        trials: dict[str, list[known.Trial]] = {name: [] for name in known.GENERATORS}
        for seed, name in rounds(options.rounds, list(trials), options.patience):
            trials[name].append(known.trial(name, case, options.seconds, folder, seed))
        print(f"\n{case.times}, {options.rounds} rounds of {options.seconds:g} s\n")
        print(known.table(trials), flush=True)


def show_stall(options: argparse.Namespace, folder: Path) -> None:
    trials: dict[str, list[stall.Trial]] = {name: [] for name in stall.GENERATORS}
    for _, name in rounds(options.stall_rounds, list(trials), options.patience):
        trials[name].append(stall.trial(name, options.stall_seconds, folder))
    length_s = options.stall_seconds * stall.SHARE
    print(
        f"\nStopped for {length_s:g} s of {options.stall_seconds:g} s at {stall.RATE:g} "
        f"requests/s, {options.stall_rounds} rounds; p99 must be {800 * length_s:.0f} ms\n"
    )
    print(stall.table(trials), flush=True)


def rounds(count: int, names: list[str], patience_s: float) -> Iterator[tuple[int, str]]:
    """Each name once a round, every other round backwards; says how busy the machine was."""
    for number in range(count):
        for name in names if number % 2 == 0 else reversed(names):
            busy = wait_until_quiet(patience_s) if patience_s else None
            if busy is not None:
                print(f"round {number + 1}, {name}: others {busy:.0%}", file=sys.stderr)
            yield number, name


if __name__ == "__main__":
    main()
