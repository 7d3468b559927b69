"""A command that an agent starts for one on another machine, and what it leaves."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

from benchsuite.agent.messages import packed
from benchsuite.core.commands import PROGRAM_VARIABLE, SHORT
from benchsuite.core.exceptions import UsageError
from benchsuite.core.units import listed
from benchsuite.system import folders
from benchsuite.system.guard import guarded
from benchsuite.system.process import running

COMMANDS = ("runbench", "runstudy", "tunebench")
CHUNK = 1_000_000  #: Characters that are sent at a time.


class Started:
    """A command of this project, as it would be called here, until its runs are fetched."""

    def __init__(self, name: str, words: Sequence[str]) -> None:
        if name not in COMMANDS:
            raise UsageError(f"An agent starts {listed(COMMANDS)}, not {name}.")
        self._since, self._runs = datetime.now(UTC).isoformat(), ""
        marker, env = secrets.token_hex(8), {**os.environ, "PYTHONUNBUFFERED": "1"}
        if PROGRAM_VARIABLE in env:  # these settings are the program's own, not the project's
            env.pop("DJANGO_SETTINGS_MODULE", None)
        with ExitStack() as stack:
            self._folder = stack.enter_context(folders.scratch())
            stack.enter_context(guarded(marker, self._folder))
            self._log, argv = self._folder / "command.log", _argv(name, *words)
            self._process = stack.enter_context(
                running(argv, name=name, log=self._log, env=env, grace_s=10.0, marker=marker)
            )
            self._stack = stack.pop_all()

    def answer(self, data: dict[str, Any]) -> bytes | None:
        """To who listens to it, and fetches its runs when it has ended."""
        start = data.get("start", 0)
        if data["kind"] == "listen":
            return self._said(start)
        if data["kind"] == "fetch":
            self._runs = self._runs or self._exported()
            return packed("runs", start=start, runs=self._runs[start : start + CHUNK])
        if data["kind"] == "stop" and self._process.poll() is None:
            # as Ctrl-C does, which may be ignored here: what was measured by then is kept
            os.kill(self._process.pid, signal.SIGTERM)
        return None

    def _said(self, start: int) -> bytes:
        """The lines that it has written from that byte on, and how it has ended."""
        status = self._process.poll()
        with self._log.open("rb") as log:
            log.seek(start)
            lines = log.read(CHUNK)
        if status is None:
            lines = lines[: lines.rfind(b"\n") + 1]
        text, ended = lines.decode(errors="replace"), int(status is not None)
        end, code = start + len(lines), (status or 0) % 256
        return packed("said", start=start, text=text, next=end, ended=ended, status=code)

    def _exported(self) -> str:
        """What `loadbench` reads of its runs; empty where there are none."""
        path = self._folder / "runs.json"
        argv = _argv("dumpbench", str(path), f"--since={self._since}")
        subprocess.run(argv, timeout=55.0, capture_output=True, check=False)  # who asks waits 60 s
        return path.read_text() if path.exists() else ""

    def close(self) -> None:
        """Ends all of it: killed, a command's own guard ends what it has started."""
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGKILL)
        self._stack.close()


def _argv(name: str, *words: str) -> list[str]:
    """Called as the agent was: by manage.py, or by the program with its own options."""
    program, *called = sys.argv
    start = ["-m", "benchsuite"] if program.endswith("__main__.py") else [program]
    verbs = {"benchagent": name, SHORT["benchagent"]: SHORT[name]}
    verb = next(word for word in called if word in verbs)
    return [sys.executable, *start, *called[: called.index(verb)], verbs[verb], *words]
