"""Hooks of Circus, by which it ends when it is told to and when its server can't start."""

import os
import signal
import time
from typing import Any

from circus.exc import ConflictError

YOUNG_S = 30.0
"""How old a process must be for its end to be an accident, after which another one is started."""
AGAIN_S = 0.05


def before_start(watcher: Any, arbiter: Any, hook_name: str, **more: Any) -> bool:
    """Makes SIGTERM end it whatever it is at: busy with its processes, it would ignore it."""

    def end() -> None:
        try:
            arbiter.stop()
        except ConflictError:
            arbiter.loop.call_later(AGAIN_S, end)

    signal.signal(signal.SIGTERM, lambda signum, frame: arbiter.loop.add_callback_from_signal(end))
    return True


def before_reap(
    watcher: Any, arbiter: Any, hook_name: str, *, process_pid: int, **more: Any
) -> bool:
    """Called for each process that has ended: one that did so young and unasked ends Circus.

    Circus would start it again and again, and never say that the project can't be loaded.
    """
    process = watcher.processes[process_pid]
    if not watcher.is_stopping() and time.time() - process.started < YOUNG_S:
        os.kill(os.getpid(), signal.SIGTERM)
    return True


def before_stop(watcher: Any, arbiter: Any, hook_name: str, **more: Any) -> bool:
    """Keeps it from looking after processes that it is ending, at which it fails loudly."""
    arbiter.ctrl.caller.stop()
    return True
