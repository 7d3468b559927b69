"""How much work takes so many seconds on this machine, under this Python: found once and kept."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import thread_time
from timeit import repeat

from benchsuite.system import folders

FIRST = 100_000  #: The size that is tried first.
TRIES = 6  #: Until a size takes the wanted time.
TIMES = 3  #: That each is timed; the fastest counts, as others can only slow it down.
NEAR = 0.02  #: A size that is so near is kept.
DIGITS = 3  #: Of a size that is found: more would be noise.


def size_for(seconds: float, work: Callable[[int], object], *, name: str) -> int:
    """The size of work that takes that much CPU time; `name` is what it is remembered by."""
    cpuinfo = Path("/proc/cpuinfo").read_text().splitlines()
    models = {line.partition(":")[2].strip() for line in cpuinfo if line.startswith("model name")}
    # what another size may come of
    here = [name, seconds, platform.machine(), *sorted(models), sys.executable, sys.version]
    text = json.dumps(here)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    known = folders.cache_folder() / "calibrations" / f"{digest}.json"
    with suppress(OSError, ValueError, KeyError):
        return int(json.loads(known.read_text())["size"])
    size = FIRST
    for _ in range(TRIES):
        times_s = repeat(partial(work, size), timer=thread_time, number=1, repeat=TIMES)
        took_s = max(min(times_s), 1e-6)
        before, size = size, max(1, round(size * seconds / took_s))
        if abs(size - before) <= NEAR * before:
            break
    size = round(size, DIGITS - len(str(size)))
    with suppress(OSError):  # where it can't be kept, it is found anew each time
        known.parent.mkdir(parents=True, exist_ok=True)
        new = known.with_suffix(f".{os.getpid()}")
        folders.write_private(new, json.dumps({"size": size}))
        new.replace(known)
    return size
