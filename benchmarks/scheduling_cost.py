"""What a look at the threads of a target costs (telemetry/scheduling.py).

python -m benchmarks.scheduling_cost [--looks 200] [--threads 8,64,256]
"""

import argparse
import os
import threading
import time

from benchmarks.machine import description
from benchsuite.system.procfs import read_stat
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.scheduling import Scheduling


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--looks", type=int, default=200)
    parser.add_argument("--threads", default="8,64,256")
    options = parser.parse_args()
    print(description())
    enough = threading.Event()
    waiting: list[threading.Thread] = []
    for count in map(int, options.threads.split(",")):
        while len(waiting) < count:
            waiting.append(threading.Thread(target=enough.wait))
            waiting[-1].start()
        stat = read_stat(os.getpid())
        assert stat is not None
        device = Scheduling()
        begin = time.thread_time()
        for look in range(options.looks):
            device.sample(Snapshot(at=float(look), stats=(stat,)))
        each_s = (time.thread_time() - begin) / options.looks
        each_us = 1e6 * each_s
        print(f"{count} threads: {each_us:.0f} us a look, {100 * each_s:.3f} % of a CPU")
    enough.set()
    for thread in waiting:
        thread.join()


if __name__ == "__main__":
    main()
