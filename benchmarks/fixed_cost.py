"""What a run costs besides its load: `runbench` of gunicorn-sync, no warm-up, 5 s, several times.

    python -m benchmarks.fixed_cost [--runs 5]

Prints the wall time of each whole command less the 5 s of its window, then the median and the
extremes. The goal is 2 s on a quiet machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DURATION_S = 5
COMMAND = (
    "runbench",
    "--server=gunicorn-sync",
    "--workload=plain",
    "--users=10",
    "--warmup=0",
    f"--duration={DURATION_S}",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "DATABASE_URL": f"sqlite:///{folder}/results.sqlite3"}
        manage(env, "migrate", "--verbosity=0")
        costs = []
        for number in range(1, runs + 1):
            began = time.monotonic()
            manage(env, *COMMAND)
            costs.append(time.monotonic() - began - DURATION_S)
            print(f"run {number}: {costs[-1]:.2f} s besides the window", flush=True)
    print(
        f"median {statistics.median(costs):.2f} s, from {min(costs):.2f} to {max(costs):.2f} s "
        f"({runs} runs, load average {os.getloadavg()[0]:.2f})"
    )


def manage(env: dict[str, str], *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with status {done.returncode}:\n{done.stderr}")


if __name__ == "__main__":
    main()
