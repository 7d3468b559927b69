import os
import signal

from benchsuite.system import procfs
from benchsuite.system.procfs import Stat, all_pids, carries, read_bytes, read_stat, send_signal


def test_this_process():
    stat = read_stat(os.getpid())
    assert stat is not None
    assert stat.alive
    assert stat.ppid == os.getppid()
    assert stat.session == os.getsid(0)
    assert stat.threads == len(os.listdir("/proc/self/task"))
    assert os.getpid() in all_pids()


def test_a_name_with_spaces_and_parentheses(monkeypatch):
    line = b"7 (a) R 1 (b)) S 3 4 5 0 -1 0 1 2 3 4 11 12 13 14 20 0 6 0 99 1 2\n"
    monkeypatch.setattr(procfs, "read_bytes", lambda path: line)
    assert read_stat(7) == Stat(7, "S", 3, 5, 23, 27, 6, 99, 3)


def test_nobody():
    assert read_stat(2**22 + 1) is None
    assert not carries(2**22 + 1, b"A=b")
    assert read_bytes("/no/such/file") is None


def test_the_mark_is_a_whole_assignment(monkeypatch):
    monkeypatch.setattr(procfs, "read_bytes", lambda path: b"A=run-1\0XB=run-2\0")
    assert carries(1, b"A=run-1")
    assert not carries(1, b"A=run-")
    assert not carries(1, b"B=run-2")


def test_a_pid_that_was_used_again_is_not_signalled():
    received = []
    before = signal.signal(signal.SIGHUP, lambda number, _: received.append(number))
    try:
        me = read_stat(os.getpid())
        assert me is not None
        send_signal(me._replace(started=me.started - 1), signal.SIGHUP)
        assert received == []
        send_signal(me, signal.SIGHUP)
        assert received == [signal.SIGHUP]
    finally:
        signal.signal(signal.SIGHUP, before)


def test_without_pidfd(monkeypatch):
    def refuse(pid: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    test_a_pid_that_was_used_again_is_not_signalled()


def test_signalling_nobody_is_no_error():
    send_signal(Stat(2**22 + 1, "S", 1, 1, 0, 0, 1, 1), signal.SIGTERM)
