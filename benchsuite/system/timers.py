"""Rings at a moment of the monotonic clock, to some hundredths of a millisecond: the timers of
event loops count in whole milliseconds, and Python has timerfd only from 3.13 on.
"""

import ctypes
import os
import struct
from contextlib import suppress
from time import CLOCK_MONOTONIC

ABSOLUTE = 1  #: TFD_TIMER_ABSTIME
_libc = ctypes.CDLL(None, use_errno=True)
_SETTING = struct.Struct("4l")  #: itimerspec: interval and moment, each seconds and nanoseconds.


class TimerFd:
    """A file descriptor that is readable from its moment on, until it is cleared."""

    def __init__(self) -> None:
        self.file: int = _libc.timerfd_create(CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self.file < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create failed")

    def arm(self, moment: float) -> None:
        """Rings at that moment of `time.monotonic()` and no other; at once when it has passed."""
        # Rounded up: to be woken too early would mean to be woken twice.
        seconds, nanoseconds = divmod(int(moment * 1e9) + 1, 1_000_000_000)
        setting = _SETTING.pack(0, 0, seconds, nanoseconds)
        if _libc.timerfd_settime(self.file, ABSOLUTE, setting, None):
            raise OSError(ctypes.get_errno(), "timerfd_settime failed")

    def clear(self) -> None:
        """Makes it unreadable again, if it rang."""
        with suppress(BlockingIOError):
            os.read(self.file, 8)

    def close(self) -> None:
        os.close(self.file)
