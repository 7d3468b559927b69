"""Wakes a greenlet at a moment of the monotonic clock, to some hundredths of a millisecond.

The event loop's own timers count in whole milliseconds (epoll does): an arrival would be sent half
a millisecond late on average, which is much of the answer of a fast page. A timerfd is exact.
"""

import ctypes
import os
from time import CLOCK_MONOTONIC, monotonic
from typing import Any

import gevent
from gevent import get_hub

READABLE = 1
ABSOLUTE = 1
"""TFD_TIMER_ABSTIME"""

_libc = ctypes.CDLL(None, use_errno=True)


class _Setting(ctypes.Structure):
    """struct itimerspec: interval (none) and moment."""

    _fields_ = (
        ("interval_s", ctypes.c_long),
        ("interval_ns", ctypes.c_long),
        ("moment_s", ctypes.c_long),
        ("moment_ns", ctypes.c_long),
    )


class Alarm:
    """One alarm clock, for one greenlet at a time."""

    def __init__(self) -> None:
        self._file: int = _libc.timerfd_create(CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._file < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create failed")
        self._readable: Any = get_hub().loop.io(self._file, READABLE)

    def wait_until(self, moment: float) -> None:
        """Lets others have their turn in any case, also when the moment has passed."""
        if moment <= monotonic():
            gevent.sleep(0)
            return
        seconds, nanoseconds = divmod(int(moment * 1e9) + 1, 1_000_000_000)
        setting = _Setting(0, 0, seconds, nanoseconds)
        if _libc.timerfd_settime(self._file, ABSOLUTE, ctypes.byref(setting), None):
            raise OSError(ctypes.get_errno(), "timerfd_settime failed")
        get_hub().wait(self._readable)
        os.read(self._file, 8)
