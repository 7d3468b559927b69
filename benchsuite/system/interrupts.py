"""Ctrl-C and SIGTERM: treated alike, and delayed during critical sections."""

import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

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
def _handled(
    signals: Collection[signal.Signals], by: Callable[[int, FrameType | None], object]
) -> Iterator[None]:
    """Those that are not ignored; only in the main thread, which alone they interrupt."""
    before = {}
    try:
        for number in signals if threading.current_thread() is threading.main_thread() else ():
            handler = signal.getsignal(number)
            # None is a handler that was not set by Python and could not be put back.
            if handler is not None and handler is not signal.SIG_IGN:
                before[number] = handler
                signal.signal(number, by)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM and SIGHUP, if they are not ignored, as by `nohup`, end the block as Ctrl-C does."""
    with _handled((signal.SIGTERM, signal.SIGHUP), signal.default_int_handler):
        yield


@contextmanager
def held_back() -> Iterator[Callable[[], bool]]:
    """Delays signals in the block, a short one, then delivers the first; yields "has one come?"."""
    arrived: list[int] = []
    try:
        with _handled(SIGNALS, lambda number, _: arrived.append(number)):
            yield lambda: bool(arrived)
    finally:
        if arrived:
            signal.raise_signal(arrived[0])
