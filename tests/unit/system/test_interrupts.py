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


def first_error(text):
    with NamedTemporaryFile() as file:
        log = Path(file.name)
        log.write_text(text)
        return logfile.first_error(log)


def test_values(golden):
    golden.values()


def test_tail(tmp_path):
    log = tmp_path / "log"
    log.write_text("\n".join(str(number) for number in range(100_000)) + "\n\n")
    assert logfile.tail(log, 3) == "99997\n99998\n99999"


def test_tail_of_what_is_no_text_and_of_no_log(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"caf\xe9\n")
    assert logfile.tail(log) == "caf�"
    assert logfile.tail(tmp_path / "none") == ""
    assert logfile.first_error(tmp_path / "none") is None


def test_what_was_written_since(tmp_path):
    path = tmp_path / "log"
    path.write_text("before\n")
    size = path.stat().st_size
    assert logfile.since(path, size) == ""
    path.write_text("before\nFATAL: too many clients already\n")
    assert logfile.since(path, size) == "FATAL: too many clients already\n"
    assert logfile.since(tmp_path / "none", 0) == ""


def test_lines_are_counted_however_many_there_are(tmp_path):
    path = tmp_path / "log"
    path.write_text("FATAL: reserved\n")
    size = path.stat().st_size
    assert logfile.count(path, size, ["reserved", "too many"]) == 0
    path.write_text("FATAL: reserved\n" + 5000 * ("FATAL: reserved\nDETAIL: …\nFATAL: too many\n"))
    assert logfile.count(path, size, ["reserved", "too many"]) == 10_000
    assert logfile.count(tmp_path / "none", 0, ["reserved"]) == 0
