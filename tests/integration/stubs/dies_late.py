"""Answers, and dies a moment later."""

import os
import sys
import threading

from answering import serve


def die() -> None:
    print("out of luck", flush=True)
    os._exit(7)


threading.Timer(0.5, die).start()
serve(int(sys.argv[1]))
