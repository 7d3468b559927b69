"""What launchers share: arguments, several processes on one socket, tidy headers."""

import argparse
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from types import FrameType
from typing import Any


def fork(processes: int) -> None:
    """Returns in each of that many children; the parent stays to end them and never returns.

    A single process needs no parent: it is this one. When a child ends unasked, the others are
    ended too, and the parent exits with its status, because a server with fewer processes than
    asked for must not be measured.
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
    sys.exit(max(worst, 0))


def arguments(program: str) -> argparse.ArgumentParser:
    """A parser of the common arguments: `module:callable`, and a port or an inherited socket."""
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("application", help="package.module:callable")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--bind", help="host:port")
    where.add_argument("--fd", type=int, help="file descriptor of a listening socket")
    parser.add_argument("--backlog", type=int, default=2048)
    return parser


def listener(given: argparse.Namespace) -> socket.socket:
    """The socket to accept from; it never blocks, because other processes may share it."""
    if given.fd is not None:
        inherited = socket.socket(fileno=given.fd)
        inherited.setblocking(False)
        return inherited
    host, _, port = given.bind.rpartition(":")
    made = socket.create_server((host, int(port)), backlog=given.backlog)
    made.setblocking(False)
    return made


def application(path: str) -> Callable[..., Any]:
    """The callable that `package.module:callable` names."""
    module, _, name = path.partition(":")
    served: Callable[..., Any] = attrgetter(name)(import_module(module))
    return served


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
