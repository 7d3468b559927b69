"""Hooks of Circus that end it when told to, and when its server can't start."""

import os
import signal
import time
from typing import Any

from circus.exc import ConflictError

YOUNG_S = 30.0  #: Age from which the end of a process is an accident, and another one is started.


def before_start(watcher: Any, arbiter: Any, hook_name: str, **more: Any) -> bool:
    """Makes SIGTERM always end it: busy with its processes, it would ignore the signal."""

    def end() -> None:
        try:
            arbiter.stop()
        except ConflictError:
            arbiter.loop.call_later(0.05, end)

    signal.signal(signal.SIGTERM, lambda signum, frame: arbiter.loop.add_callback_from_signal(end))
    return True


def before_reap(
    watcher: Any, arbiter: Any, hook_name: str, *, process_pid: int, **more: Any
) -> bool:
    """Ends Circus, in a run, after a process that ended early and unasked: it would start it again
    forever, and never report that the project can't be loaded.
    """
    young = time.time() - watcher.processes[process_pid].started < YOUNG_S
    if young and "BENCHSUITE_RUN" in os.environ and not watcher.is_stopping():
        os.kill(os.getpid(), signal.SIGTERM)
    return True


def before_stop(watcher: Any, arbiter: Any, hook_name: str, **more: Any) -> bool:
    """Keeps it from checking processes that it is ending, which would log errors."""
    arbiter.ctrl.caller.stop()
    return True
