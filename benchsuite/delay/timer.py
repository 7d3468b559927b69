"""Calls at moments of the monotonic clock, to some hundredths of a millisecond.

An event loop's own timers count in whole milliseconds (epoll does), and a page that asks its
database eight times would be late eight times. A timerfd is exact.
"""

import asyncio
import ctypes
import heapq
import itertools
import os
from collections.abc import Callable
from contextlib import suppress
from time import CLOCK_MONOTONIC, monotonic

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


class Timer:
    """One timerfd for any number of calls; after `close()` there are no more."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._file: int = _libc.timerfd_create(CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._file < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create failed")
        self._loop = loop
        self._closed = False
        self._loop.add_reader(self._file, self._ring)
        self._calls: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        """Keeps calls of one moment in order, and callables from being compared."""

    def at(self, moment: float, call: Callable[[], None]) -> None:
        """Calls at that moment of `time.monotonic()`, soon when it has passed."""
        if self._closed:  # a connection that was accepted just before the end
            return
        heapq.heappush(self._calls, (moment, next(self._numbers), call))
        if self._calls[0][0] == moment:
            self._set(moment)

    def close(self) -> None:
        self._closed = True
        self._loop.remove_reader(self._file)
        os.close(self._file)
        self._calls.clear()

    def _ring(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._file, 8)
        calls = self._calls
        while calls and calls[0][0] <= monotonic():
            heapq.heappop(calls)[2]()
        if calls:
            self._set(calls[0][0])

    def _set(self, moment: float) -> None:
        # Rounded up: to be woken too early would mean to be woken twice.
        seconds, nanoseconds = divmod(int(moment * 1e9) + 1, 1_000_000_000)
        setting = _Setting(0, 0, seconds, nanoseconds)
        if _libc.timerfd_settime(self._file, ABSOLUTE, ctypes.byref(setting), None):
            raise OSError(ctypes.get_errno(), "timerfd_settime failed")
