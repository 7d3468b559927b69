"""A unit test starts no process and connects to nothing (Unix sockets aside); trying is a fault."""

import socket
import sys

import pytest

STARTS = {
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "subprocess.Popen",
}
"""Audit events (docs.python.org/3/library/audit_events.html) of a process that begins."""


class StartedSomething(BaseException):
    """Not an Exception: the code under test must not take it for an error of its own."""


class _Watch:
    """An audit hook can't be taken off again, so there is one, and it is switched."""

    def __init__(self):
        self.on = False
        self.installed = False

    def __call__(self, event, arguments):
        if not self.on:
            return
        if event in STARTS:
            raise StartedSomething(f"A unit test starts no process, and this one tried: {event}.")
        if event == "socket.connect" and arguments[0].family != socket.AF_UNIX:
            raise StartedSomething(f"A unit test connects to nothing: {arguments[1]}.")


_watch = _Watch()


@pytest.fixture(autouse=True)
def starts_nothing():
    if not _watch.installed:
        sys.addaudithook(_watch)
        _watch.installed = True
    _watch.on = True
    yield
    _watch.on = False
