"""What launchers share: arguments, several processes on one socket, tidy headers."""

import argparse
import os
import signal
import socket
import sys
from collections.abc import Callable
from pkgutil import resolve_name
from types import FrameType
from typing import Any

SIZES = {
    "--backlog": 2048,
    "--cleanup-interval": 30,
    "--channel-timeout": 5,
    "--connection-limit": 1000,
    "--keep-alive": 5,
    "--processes": 1,
    "--threads": 1,
}
"""What any of them can be told → its default."""


def fork(processes: int) -> None:
    """Returns in each of that many children; the parent stays to end them and never returns.

    A single process needs no parent: it is this one. When a child ends unasked, the others are
    ended too, and the parent ends as it did, because a server with fewer processes than asked for
    must not be measured.
    """
    if processes == 1:
        return
    children: set[int] = set()

    def end(signum: int, frame: FrameType | None) -> None:
        for child in children:
            os.kill(child, signal.SIGTERM)

    # No signal may arrive while a child still has its parent's handler or the set is incomplete.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.signal(signal.SIGTERM, end)
    for _ in range(processes):
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
            return
        children.add(child)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    worst = 0
    while children:
        pid, status = os.wait()
        children.discard(pid)
        worst = worst or os.waitstatus_to_exitcode(status)
        end(signal.SIGTERM, None)
    if worst < 0:  # SIGTERM is what all end by when they are asked to, and does nothing here
        os.kill(os.getpid(), -worst)
    sys.exit(max(worst, 0))


def started() -> tuple[Callable[..., Any], socket.socket, argparse.Namespace]:
    """In each of the processes the application, the socket to accept from, which never blocks, as
    other processes may share it, and the arguments.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("application", help="package.module:callable")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--bind", help="host:port")
    where.add_argument("--fd", type=int, help="file descriptor of a listening socket")
    for name, default in SIZES.items():
        parser.add_argument(name, type=int, default=default)
    given = parser.parse_args()
    if given.fd is not None:
        listener = socket.socket(fileno=given.fd)
    else:
        host, _, port = given.bind.rpartition(":")
        listener = socket.create_server((host, int(port)), backlog=given.backlog)
    listener.setblocking(False)
    fork(given.processes)
    return resolve_name(given.application), listener, given


def trimmed(application: Callable[..., Any]) -> Callable[..., Any]:
    """The same application without blanks around its headers' values, which are no part of these
    (RFC 9110, section 5.5). Django puts one before each cookie; Tornado takes it for an error, and
    its client waits for an answer that never comes.
    """

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            bare = [(name, value.strip(" \t")) for name, value in headers]
            return start_response(status, bare, exc_info)

        return application(environ, start)

    return answer
