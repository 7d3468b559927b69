"""What timing the fixed piece of work costs, and how evenly it is timed (telemetry/speed.py).

python -m benchmarks.speed_cost [--looks 200]
"""

import argparse
import os
import statistics
import time

from benchmarks.machine import description
from benchsuite.telemetry.speed import timed_on

PARTS = 2
"""Target and load, each once a second."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--looks", type=int, default=200)
    looks: int = parser.parse_args().looks
    cpus = sorted(os.sched_getaffinity(0))
    times, begin = [], time.thread_time()
    for look in range(looks):
        times.append(timed_on(cpus[look % len(cpus)]))
    each_s = (time.thread_time() - begin) / looks
    low, *_, high = statistics.quantiles(times, n=20)
    middle = statistics.median(times)
    print(description())
    print(
        f"a piece of work: {middle * 1e6:.0f} us, 90 % between {low * 1e6:.0f} and {high * 1e6:.0f}"
    )
    print(f"a look: {each_s * 1e6:.0f} us; a run: {100 * PARTS * each_s:.3f} % of a CPU")


if __name__ == "__main__":
    main()
