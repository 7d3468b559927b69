"""Hypercorn, whose semaphores bear a name of the run: killed, it leaves them in /dev/shm."""

import multiprocessing
import os
from typing import Any

from hypercorn.__main__ import main

PREFIX = "BENCHSUITE_SEMAPHORES"

if __name__ == "__main__":
    if prefix := os.environ.get(PREFIX):
        # What multiprocessing begins their names with, and hands on to its children.
        itself: Any = multiprocessing.current_process()
        itself._config["semprefix"] = f"/{prefix}"
    raise SystemExit(main())
