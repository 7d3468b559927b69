"""Ends at SIGTERM and leaves two children behind, one of which only SIGKILL ends."""

import os
import signal
import sys

from answering import serve


def leave(*_: object) -> None:
    os._exit(0)


for ignores in (False, True):
    if os.fork() == 0:
        if ignores:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()
signal.signal(signal.SIGTERM, leave)
serve(int(sys.argv[1]))
