"""Hypercorn with semaphores named after the run: if killed, it leaves them in /dev/shm."""

import multiprocessing
import os
from typing import Any

from hypercorn.__main__ import main

if __name__ == "__main__":
    if prefix := os.environ.get("BENCHSUITE_SEMAPHORES"):
        # multiprocessing's prefix for their names, which it passes to its children.
        itself: Any = multiprocessing.current_process()
        itself._config["semprefix"] = f"/{prefix}"
    raise SystemExit(main())
