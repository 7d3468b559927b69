"""Stays, with an orphan in a session of its own that ignores SIGTERM, as circus can leave one."""

import os
import signal
import sys

from answering import serve

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()
    os._exit(0)
os.wait()
serve(int(sys.argv[1]))
