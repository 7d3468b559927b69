"""Several processes on one socket, for servers that run only one."""

import os
import signal
import sys
from types import FrameType


def fork(processes: int) -> None:
    """Returns in each of that many children; the parent stays to end them and never returns.

    A single process needs no parent: it is this one. When a child ends unasked, the others are
    ended too, and the parent exits with its status, because a server with fewer processes than
    asked for must not be measured.
    """
    if processes == 1:
        return
    children: set[int] = set()

    def end(signum: int, frame: FrameType | None) -> None:
        for child in children:
            os.kill(child, signal.SIGTERM)

    # No signal may arrive while a child still has its parent's handler or the set is incomplete.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.signal(signal.SIGTERM, end)
    for _ in range(processes):
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
            return
        children.add(child)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    worst = 0
    while children:
        pid, status = os.wait()
        children.discard(pid)
        worst = worst or os.waitstatus_to_exitcode(status)
        end(signal.SIGTERM, None)
    sys.exit(max(worst, 0))
