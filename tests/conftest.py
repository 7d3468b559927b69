"""What holds for all tests: nothing is skipped in silence, nothing is left behind."""

import os
import signal
import sys

pytest_plugins = ["tests.strictness", "tests.left_over"]

# They start thousands of Pythons, and each would compile benchsuite anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A job in the background ignores SIGINT, one of nohup SIGHUP, and so would each process of theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
