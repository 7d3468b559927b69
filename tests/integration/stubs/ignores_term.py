"""Neither SIGTERM nor SIGINT ends it, nor its child."""

import os
import signal
import sys

from answering import serve

signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
if os.fork() == 0:
    while True:
        signal.pause()
serve(int(sys.argv[1]))
