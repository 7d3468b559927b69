"""The arguments of every launcher: the application, and where to listen."""

import argparse
import socket
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import Any


def arguments(program: str) -> argparse.ArgumentParser:
    """A parser of the common arguments: `module:callable`, and a port or an inherited socket."""
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("application", help="package.module:callable")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--bind", help="host:port")
    where.add_argument("--fd", type=int, help="file descriptor of a listening socket")
    parser.add_argument("--backlog", type=int, default=2048)
    return parser


def listener(told: argparse.Namespace) -> socket.socket:
    """The socket to accept from; it never blocks, because other processes may share it."""
    if told.fd is not None:
        inherited = socket.socket(fileno=told.fd)
        inherited.setblocking(False)
        return inherited
    host, _, port = told.bind.rpartition(":")
    made = socket.create_server((host, int(port)), backlog=told.backlog)
    made.setblocking(False)
    return made


def application(path: str) -> Callable[..., Any]:
    """The callable that `package.module:callable` names."""
    module, _, name = path.partition(":")
    found: Callable[..., Any] = attrgetter(name)(import_module(module))
    return found
