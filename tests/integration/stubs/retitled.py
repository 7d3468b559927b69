"""Writes over its environment, as nginx and setproctitle do; its child also ignores SIGTERM."""

import ctypes
import os
import signal
import sys
from pathlib import Path

from answering import serve

# Fields 50 and 51 of /proc/PID/stat (proc(5)): where the environment begins and ends. What Python
# read from it at its start stays.
fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
start, end = int(fields[47]), int(fields[48])
ctypes.memset(start, 0, end - start)
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()
serve(int(sys.argv[1]))
