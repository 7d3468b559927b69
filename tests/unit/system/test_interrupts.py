import signal
import threading

import pytest

from benchsuite.system.interrupts import held_back


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
