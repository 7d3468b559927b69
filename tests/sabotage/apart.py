"""Makes a run in a process of its own, which may be stopped, limited, or cut off.

python -m tests.sabotage.apart TASK OUTPUT
"""

import os
import pickle
import signal
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

from benchsuite.core.results import RunResult
from tests.integration.command import ROOT

PAUSE_S = 2.5
LONGEST_S = 60
PORTS = 32

PROGRAM = f"""
import fcntl, os, socket, struct, sys
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))
with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as file:
    file.write("40000 {40000 + PORTS - 1}")
os.execvp(sys.argv[1], sys.argv[1:])
"""

FEW_PORTS = ("unshare", "--map-root-user", "--net", sys.executable, "-S", "-c", PROGRAM)
"""What starts a command in a network of its own, with few ports to connect from."""


def has_ports_of_its_own() -> bool:
    """Whether this user may have such a network."""
    return subprocess.run([*FEW_PORTS, "true"], capture_output=True, check=False).returncode == 0


class Task(StrEnum):
    PLAIN = "plain"
    PAUSE = "pause"
    """Stops itself in the window."""
    PORTS = "ports"
    """Opens a new connection for each request."""


def run_apart(task, folder, join=None, prefix=()):
    """Its result; `join` is called in the new process first, `prefix` starts it."""
    output = folder / "result"
    subprocess.run(
        [*prefix, sys.executable, "-m", "tests.sabotage.apart", task, str(output)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "testproject.settings.console"},
        preexec_fn=join,
        check=True,
        timeout=LONGEST_S,
    )
    return pickle.loads(output.read_bytes())


def _pause() -> None:
    """Stops this process; another one wakes it."""
    command = ["sh", "-c", f"sleep {PAUSE_S}; kill -CONT {os.getpid()}"]
    with subprocess.Popen(command):
        os.kill(os.getpid(), signal.SIGSTOP)


def _run(task: Task) -> RunResult:
    from tests.sabotage.runs import laboratory

    with laboratory() as lab:
        if task is Task.PAUSE:
            return lab.run(at_second={1.5: _pause}, duration_s=3.5)
        if task is Task.PORTS:
            return lab.run(keep_alive=False)
        return lab.run()


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(pickle.dumps(_run(Task(sys.argv[1]))))
