"""Has a child that writes over its environment, as nginx and setproctitle do."""

import ctypes
import os
import signal
import sys
from pathlib import Path

from answering import serve

if os.fork() == 0:
    # Fields 50 and 51 of /proc/PID/stat (proc(5)): where the environment begins and ends.
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    ctypes.memset(start, 0, end - start)
    while True:
        signal.pause()
serve(int(sys.argv[1]))
