"""python beside.py LOCK MANAGE WORDS…: a manage.py with a lock of its own.

A command then waits for the runs of its own test, and not for those of tests that run beside it.
"""

import runpy
import sys

from benchsuite.system import lock


def main() -> None:
    _, lock.NAME, manage, *words = sys.argv
    sys.argv = [manage, *words]
    sys.path[0] = manage.rpartition("/")[0]
    runpy.run_path(manage, run_name="__main__")


if __name__ == "__main__":
    main()
