"""The cost of two telemetry devices (telemetry/devices.py): timing a piece of work, and looking
at the threads of a target.
python -m benchmarks.telemetry_cost [--looks 200] [--threads 8,64,256]
"""

import argparse
import os
import statistics
import threading
import time

from benchmarks.machine import description
from benchsuite.system.procfs import read_stat
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.devices import Scheduling, timed_on

PARTS = 2  #: Target and load, each once a second.


def speed(looks: int) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    begin = time.thread_time()
    times = [1e6 * timed_on(cpus[look % len(cpus)]) for look in range(looks)]
    each_s = (time.thread_time() - begin) / looks
    low, *_, high = statistics.quantiles(times, n=20)
    middle = statistics.median(times)
    print(f"a piece of work: {middle:.0f} us, 90 % between {low:.0f} and {high:.0f}")
    print(f"a look: {each_s * 1e6:.0f} us; a run: {100 * PARTS * each_s:.3f} % of a CPU")


def scheduling(looks: int, threads: list[int]) -> None:
    enough = threading.Event()
    waiting: list[threading.Thread] = []
    for count in threads:
        while len(waiting) < count:
            waiting.append(threading.Thread(target=enough.wait))
            waiting[-1].start()
        stat = read_stat(os.getpid())
        assert stat is not None
        device = Scheduling()
        begin = time.thread_time()
        for look in range(looks):
            device.sample(Snapshot(at=float(look), stats=(stat,)))
        each_s = (time.thread_time() - begin) / looks
        print(f"{count} threads: {1e6 * each_s:.0f} us a look, {100 * each_s:.3f} % of a CPU")
    enough.set()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--looks", type=int, default=200)
    parser.add_argument("--threads", default="8,64,256")
    options = parser.parse_args()
    print(description())
    speed(options.looks)
    scheduling(options.looks, [int(count) for count in options.threads.split(",")])


if __name__ == "__main__":
    main()
