"""One run at a time on a machine: two would measure each other."""

import errno
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from benchsuite.core.exceptions import StartError

POLL_S = 0.2

NAME = f"benchsuite-{os.getuid()}"  #: Of the socket that is the lock.


@contextmanager
def alone(on_wait: Callable[[int | None], None]) -> Iterator[None]:
    """Waits until no other run of this user is in progress, then keeps others out.

    The lock is a listening Unix socket in Linux's abstract namespace: it leaves no file, and the
    kernel frees it however its holder ends. `on_wait` is called once, with the holder's process ID,
    if it has to wait.
    """
    told = False
    address = f"\0{NAME}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as holder:
        while True:
            try:
                holder.bind(address)
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise StartError(
                        f"No Unix socket can be created to keep other runs out: {error.strerror}; "
                        "allow this process sockets if a sandbox forbids them."
                    ) from error
                if not told:
                    on_wait(_holder(address))
                    told = True
                time.sleep(POLL_S)
        holder.listen(8)
        yield


def _holder(address: str) -> int | None:
    """The process that holds the lock, or None if it has just been released."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visitor:
        try:
            visitor.connect(address)
        except OSError:
            return None
        credentials = visitor.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
        )
        return int(struct.unpack("3i", credentials)[0])
