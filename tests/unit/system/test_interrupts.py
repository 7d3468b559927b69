"""Signals, alarms and the log of a program."""

import select
import signal
import threading
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic

import pytest

from benchsuite.system import logfile
from benchsuite.system.interrupts import held_back
from benchsuite.system.timers import TimerFd


def test_ctrl_c_waits_for_the_end_of_the_block():
    reached = False
    with pytest.raises(KeyboardInterrupt), held_back() as arrived:  # noqa: PT012 - the point
        assert not arrived()
        signal.raise_signal(signal.SIGINT)
        assert arrived()
        reached = True
    assert reached
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_first_of_several_is_delivered_once():
    delivered = []
    signals = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(one, lambda number, _: delivered.append(number)) for one in signals]
    try:
        with held_back():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGTERM)
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)
    assert delivered == [signal.SIGTERM]


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with held_back() as arrived:
            signal.raise_signal(signal.SIGHUP)
            assert not arrived()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_other_threads_are_never_interrupted():
    seen = []

    def work():
        with held_back() as arrived:
            seen.append(arrived())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


@pytest.fixture
def timer():
    with closing(TimerFd()) as made:
        yield made


def rings(timer, wait_s=0.0):
    return bool(select.select([timer.file], [], [], wait_s)[0])


def test_it_rings_at_a_moment_that_has_passed(timer):
    timer.arm(monotonic() - 1)
    assert rings(timer, 5.0)
    timer.clear()
    assert not rings(timer)


def test_it_never_rings_early(timer):
    moment = monotonic() + 0.01
    timer.arm(moment)
    assert rings(timer, 5.0)
    assert monotonic() >= moment


def test_only_the_last_moment_counts(timer):
    timer.arm(monotonic() - 1)
    timer.arm(monotonic() + 60)
    assert not rings(timer)
    timer.clear()


def logged(text, look, *arguments):
    with NamedTemporaryFile() as file:
        file.write(text if isinstance(text, bytes) else text.encode())
        file.flush()
        return look(Path(file.name), *arguments)


def first_error(text):
    return logged(text, logfile.first_error)


def test_values(golden):
    golden.values()
