"""Fails the session when a test left a process, a listening port or a file of a run behind.

The session puts a mark of its own into the environment, by which it knows its descendants even when
they ran away, and gives them a temp folder of its own. Other sessions on the same machine are
neither seen nor disturbed. Each worker of pytest-xdist is such a session, and tells the first one.
"""

import os
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

SESSION_VARIABLE = "BENCHSUITE_TEST_SESSION"
PATIENCE_S = 5.0
"""How long what is on its way out may take; nothing is ever waited for when all is well."""


class Session:
    """The mark and the temp folder of one session of tests."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        # Not within the folder of another session: paths of Unix sockets must be short.
        outside = os.environ.get("PYTEST_DEBUG_TEMPROOT")
        self.folder = Path(tempfile.mkdtemp(prefix="bst-", dir=outside))
        self.folder.chmod(0o1777)  # as /tmp is: PostgreSQL runs as another user
        self.left: list[str] = []
        self._patch = pytest.MonkeyPatch()
        self._patch.setenv("PYTEST_DEBUG_TEMPROOT", outside or tempfile.gettempdir())
        self._patch.setenv(SESSION_VARIABLE, self.mark)
        self._patch.setenv("TMPDIR", str(self.folder))
        tempfile.tempdir = None

    def close(self) -> None:
        self._patch.undo()
        tempfile.tempdir = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def what_is_left(self) -> list[str]:
        """Words for each thing that is still there after a moment of patience."""
        deadline = time.monotonic() + PATIENCE_S
        while (left := list(self._look())) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left

    def end_processes(self) -> None:
        """So that a failing session does not burden the next one."""
        for process in self._descendants():
            with suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)

    def _descendants(self) -> Iterator[psutil.Process]:
        own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
        children = {child.pid for child in psutil.Process().children(recursive=True)}
        mark = f"{SESSION_VARIABLE}={self.mark}".encode()
        for process in psutil.process_iter():
            if process.pid in own:
                continue
            with suppress(psutil.Error, OSError):
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                variables = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
                if process.pid in children or mark in variables:
                    yield process

    def _look(self) -> Iterator[str]:
        for process in self._descendants():
            with suppress(psutil.Error):
                command = " ".join(process.cmdline())[:200]
                ports = ", ".join(map(str, _ports(process)))
                yield f"process {process.pid}{f' listening on {ports}' * bool(ports)}: {command}"
        for port in _ports(psutil.Process()):
            yield f"port {port}, in the process of the tests itself"
        for path in sorted(self.folder.glob("*benchsuite*")):
            yield f"in the temp folder: {path.name}"


def _ports(process: psutil.Process) -> list[int]:
    """On which it listens."""
    connections = process.net_connections()
    return [one.laddr.port for one in connections if one.status == psutil.CONN_LISTEN]


_session = pytest.StashKey[Session]()
CACHED = "benchsuite/left_over"  #: Where `.ci/run` sees what no second try can mend.
LEFT = "benchsuite_left_over"
"""What a worker calls it when it tells."""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_session] = Session()


def pytest_unconfigure(config: pytest.Config) -> None:
    if _session in config.stash:
        config.stash[_session].close()


def pytest_testnodedown(node: Any) -> None:
    """A worker has ended; `node` is xdist's controller of it."""
    told = getattr(node, "workeroutput", {})
    node.config.stash[_session].left += told.get(LEFT, [])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    state = session.config.stash[_session]
    state.left += state.what_is_left()
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[LEFT] = state.left
    if state.left:
        state.end_processes()
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if cache := getattr(session.config, "cache", None):
            cache.set(CACHED, state.left)


def pytest_terminal_summary(terminalreporter, config):
    left = config.stash[_session].left
    if left:
        terminalreporter.section("left behind by the tests (this fails the session)", red=True)
        for line in left:
            terminalreporter.write_line(line)
