"""The child process that keeps a command's databases: makes, seeds, clones and drops them.

    python -m benchsuite.isolation.databases.process FD REQUEST

It answers on the inherited pipe FD, in JSON lines, to commands on standard input, JSON lines too:

    child → {"event": "phase", "phase": …}    what it does now, until it is ready
          | {"event": "ready", "settings_changed", "facts"}
    parent → {"do": "clone", "token": …, "amended": {field: value}}
                                              child → {"event": "cloned", "instructions": path,
                                                       "settings_changed"}
    parent → {"do": "count", "token": …, "variables": {name: …}}
                                              child → {"event": "counted", "counts": {name: …}}
    parent → {"do": "rows", "token": …, "watched": [table, …]}
                                              child → {"event": "rows", "rows": {table: number},
                                                       "gone": [table, …]}
    parent → {"do": "drop", "token": …}       child → {"event": "dropped"}

Commands are numbered from 1 ("number"), and each answer has its command's number; "ready" has 0. An
{"event": "failed", "message": …} may stand in place of any answer. At the end of its standard
input, which also comes when the parent is killed, it drops everything and ends. With "left" in its
request, the tokens of another keeper's clones, it makes nothing and drops what that one left.
"""

import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from benchsuite.core.exceptions import BenchsuiteError, NobodyWaits
from benchsuite.core.specs import DatabaseSpec, WorkloadSpec
from benchsuite.isolation.instructions import Instructions

Message = dict[str, Any]


class Commands:
    """The parent's commands, read by a thread so that the parent's end is always noticed."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._making = True
        threading.Thread(target=self._read, daemon=True).start()

    def made(self) -> None:
        """From now on the parent's end is just the end of commands."""
        self._making = False

    def next(self) -> Message | None:
        """The next command; None at the end."""
        return self._queue.get()

    def _read(self) -> None:
        """Reads without a buffered file, whose lock would outlive the interpreter's end."""
        left = b""
        while chunk := os.read(self._source, 65536):
            *lines, left = (left + chunk).split(b"\n")
            for line in lines:
                self._queue.put(json.loads(line))
        self._queue.put(None)
        if self._making:
            os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, _stop)
    commands = Commands(_beside_standard_input())
    descriptor, path = sys.argv[1:]
    sys.argv = ["manage.py", "migrate"]  # what projects look at that do more when they serve
    request = json.loads(Path(path).read_text())
    with os.fdopen(int(descriptor), "w", buffering=1) as answers:
        keep(request, commands, answers)


def _beside_standard_input() -> int:
    """The parent's commands; those of the project find an empty standard input."""
    source = os.dup(sys.stdin.fileno())
    nobody = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nobody, sys.stdin.fileno())
    os.close(nobody)
    return source


def _stop(signum: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise NobodyWaits(0)


def keep(request: Message, commands: Commands, answers: TextIO) -> None:
    """Makes the databases, then serves commands until there are no more.

    Django is set up in between: the project's code meets no database but a throw-away one.
    """
    from benchsuite.isolation.databases.admin import DatabaseAdmin

    admin = DatabaseAdmin(
        workload_path=request["workload_path"],
        workload=WorkloadSpec.from_json(request["workload"]),
        database=DatabaseSpec.from_json(request["database"]),
        login=request["login"],
        rights=request["rights"],
        begin=lambda phase: _say(answers, {"event": "phase", "number": 0, "phase": phase}),
        instructions=Instructions.of_this_process(),
    )
    try:
        try:
            left = request.get("left")
            made = admin.make() if left is None else admin.take_over(left)
            commands.made()
            _say(answers, {"event": "ready", "number": 0, **made})
        except BenchsuiteError as error:
            commands.made()
            _say(answers, {"event": "failed", "number": 0, "message": str(error)})
            return
        while (command := commands.next()) is not None:
            _say(answers, {**_answered(admin, command), "number": command["number"]})
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        admin.end()


def _answered(admin: Any, command: Message) -> Message:
    try:
        if command["do"] == "clone":
            return {"event": "cloned", **admin.clone(command["token"], command["amended"])}
        if command["do"] == "count":
            os.environ.update(command["variables"])
            return {"event": "counted", "counts": admin.count(command["token"])}
        if command["do"] == "rows":
            return {"event": "rows", **admin.rows(command["token"], command["watched"])}
        admin.drop(command["token"])
    except BenchsuiteError as error:
        return {"event": "failed", "message": str(error)}
    return {"event": "dropped"}


def _say(answers: TextIO, message: Message) -> None:
    try:
        answers.write(json.dumps(message) + "\n")
    except BrokenPipeError:
        sys.exit(0)


if __name__ == "__main__":
    main()
