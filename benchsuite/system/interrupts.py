"""Ctrl-C and SIGTERM: treated alike, and delayed during critical sections."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def hook() -> None:
    """Ctrl-C that nobody catches is a word, and no traceback; Python then ends as signals do."""
    before = sys.excepthook

    def hooked(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            before(kind, error, trace)
        elif sys.stderr is not None:
            sys.stderr.write("Interrupted.\n")

    sys.excepthook = hooked


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does, unless they are ignored, as `nohup` wants.
    Only in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        signal_number: signal.signal(signal_number, signal.default_int_handler)
        for signal_number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(signal_number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)


@contextmanager
def held_back() -> Iterator[Callable[[], bool]]:
    """Delays signals until the block ends, which must be bounded in time, then delivers the first;
    yields "has one arrived?". Only in the main thread, which alone they interrupt.
    """
    arrived: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    earlier = {}
    try:
        for signum in SIGNALS:
            handler = signal.getsignal(signum)
            # None is a handler that was not set by Python and could not be put back.
            if handler is not None and handler is not signal.SIG_IGN:
                earlier[signum] = handler
                signal.signal(signum, lambda number, _: arrived.append(number))
        yield lambda: bool(arrived)
    finally:
        for signum, handler in earlier.items():
            signal.signal(signum, handler)
        if arrived:
            signal.raise_signal(arrived[0])
