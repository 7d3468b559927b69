"""What breaks a run while it is being made; all of it ends with its block, or by itself."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from unittest.mock import patch

import psutil

from benchsuite.runner.monitor import Monitor
from benchsuite.runner.session import Session
from benchsuite.telemetry.base import Clocks

HOST = "127.0.0.1:"
APPLICATIONS = ("benchsuite.isolation.wsgi", "benchsuite.isolation.asgi")

LONGEST_S = 60
"""A hog that everybody has forgotten ends by itself."""

HOG = f"""
import os, sys, time
if len(sys.argv) > 1:
    os.sched_setaffinity(0, {{int(sys.argv[1])}})
end = time.monotonic() + {LONGEST_S}
while time.monotonic() < end:
    pass
"""

AWAY = """
import subprocess, sys
quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
print(subprocess.Popen(sys.argv[1:], start_new_session=True, **quiet).pid)
"""

STRANGER = """
import socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(100)
print("listening", flush=True)
while True:
    connection, _ = listener.accept()
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 11\\r\\nConnection: close\\r\\n")
    connection.sendall(b"\\r\\nall is well")
    connection.close()
"""


def load_process() -> psutil.Process:
    """The one that runs Locust."""
    return next(one for one in _ours() if "benchsuite.load.process.worker" in one.cmdline())


def server_processes() -> list[psutil.Process]:
    """All of the server's, the first one first."""
    return [
        one
        for one in _ours()
        if any(application in word for word in one.cmdline() for application in APPLICATIONS)
    ]


def busiest(processes: Sequence[psutil.Process]) -> psutil.Process:
    """The one with the most connections: kept ones may all be of one process."""
    return max(processes, key=lambda one: len(one.net_connections()))


def front_process(name: str) -> psutil.Process:
    """The first one of the front."""
    return next(one for one in _ours() if one.name() == name)


def _ours() -> Iterator[psutil.Process]:
    for one in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            one.cmdline()
            yield one


def port() -> int:
    """On which the server listens."""
    words = (word for one in server_processes() for word in one.cmdline())
    return next(int(word.removeprefix(HOST)) for word in words if word.startswith(HOST))


def pin(processes: Sequence[psutil.Process], cpus: Sequence[int]) -> None:
    for process in processes:
        for thread in process.threads():
            with suppress(ProcessLookupError):
                os.sched_setaffinity(thread.id, cpus)


def prefer(process: psutil.Process) -> None:
    """It goes before all others; only root may say so, and only a busy machine needs it."""
    # Sessions share the CPUs (sched(7), autogroup): a process's own niceness counts inside of one.
    with suppress(OSError):
        Path(f"/proc/{process.pid}/autogroup").write_text("-20")


def leave_descriptors(process: psutil.Process, spare: int) -> None:
    """It may open so many files more than it has open."""
    most = process.num_fds() + spare
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def hogs(count: int, cpu: int) -> Iterator[None]:
    """Processes that take whatever they get of one CPU."""
    command = [sys.executable, "-S", "-c", HOG, str(cpu)]
    # Sessions share the CPUs (sched(7), autogroup): in its own each gets as much as the load.
    started = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


@contextmanager
def neighbours() -> Iterator[None]:
    """As many hogs as CPUs; none comes from this process, as other people's do not."""
    command = [sys.executable, "-S", "-c", AWAY, sys.executable, "-S", "-c", HOG]
    away = [
        psutil.Process(int(subprocess.run(command, capture_output=True, check=True).stdout))
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for one in away:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(away, timeout=5)


@contextmanager
def clock_set(step_s: float) -> Iterator[Callable[[], None]]:
    """Gives what sets the wall clock that runs see; the machine's own is everybody's."""
    steps = [0.0]
    real = Clocks()
    clocks = Clocks(wall=lambda: real.wall() + sum(steps))
    where = sys.modules[Session.__module__]
    with patch.object(where, "Monitor", partial(Monitor, clocks=clocks)):
        yield lambda: steps.append(step_s)


def costly_certificate(path: Path, host: str) -> None:
    """Key and certificate in one file, as a front's; a handshake takes it 3 ms instead of 0.1."""
    key = path.with_suffix(".key")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:4096", "-nodes", "-subj", f"/CN={host}"]
    command += ["-addext", f"subjectAltName=IP:{host}", "-keyout", str(key), "-out", str(path)]
    subprocess.run(command, capture_output=True, check=True, timeout=60)
    with path.open("a") as both:
        both.write(key.read_text())


@contextmanager
def stranger(port: int) -> Iterator[None]:
    """Another server on the same port, which answers 200 and the right words."""
    command = [sys.executable, "-S", "-c", STRANGER, str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "listening\n"
            yield
        finally:
            process.kill()


@contextmanager
def held_back() -> Iterator[Callable[[int], None]]:
    """Gives what stops a process for three quarters of the time, as cpulimit does.

    Not in step with the telemetry, which looks once a second.
    """
    over = threading.Event()
    threads: list[threading.Thread] = []

    def stop_and_go(pid: int) -> None:
        with suppress(ProcessLookupError):
            while not over.is_set():
                os.kill(pid, signal.SIGSTOP)
                time.sleep(0.09)
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.03)

    def limit(pid: int) -> None:
        threads.append(threading.Thread(target=stop_and_go, args=(pid,)))
        threads[-1].start()

    try:
        yield limit
    finally:
        over.set()
        for thread in threads:
            thread.join()
