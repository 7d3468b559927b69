"""A program of ours in namespaces of its own: its processes, ports and shared memory are all there.

So what is left can be counted without marks, nobody else's run is waited for or disturbed, and
whatever happens ends with the namespace.
"""

import os
import subprocess
import sys

MARK = "BENCHSUITE_CHAOS_ALONE"
NAMESPACES = ("--mount", "--net", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child")
# The shell is process 1 and reaps who lost his parent; so it must not become the program.
PREPARE = 'ip link set lo up && mount -t tmpfs tmpfs /dev/shm && "$@"; exit $?'


def is_alone() -> bool:
    return MARK in os.environ


def again_alone(argv: list[str]) -> int:
    """Runs this command line in namespaces of its own; its exit status."""
    whose = [] if os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]
    command = ["unshare", *whose, *NAMESPACES, "sh", "-c", PREPARE, "sh", sys.executable, *argv]
    return subprocess.call(command, env={**os.environ, MARK: "1"})
