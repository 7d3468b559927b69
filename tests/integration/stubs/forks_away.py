"""Makes itself a daemon: two forks and a session of its own; the leader ends with 0."""

import os
import sys

from answering import serve

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        serve(int(sys.argv[1]))
    os._exit(0)
os.wait()
