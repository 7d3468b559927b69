"""The child process that keeps a command's databases: makes, seeds, clones and drops them.

    python -m benchsuite.isolation.databases.process FD REQUEST

It answers on the inherited pipe FD, in JSON lines, to commands on standard input, JSON lines too:

    child → {"number": 0, "phase": …}    what it does now, until it is ready
    parent → {"number": from 1 on, "do": "clone" | "count" | "rows" | "drop", and its arguments}
    child → {"number": of the command, and what that method of `DatabaseAdmin` returns}
          | {"number": of the command, "failed": message}

What `make()` returns has the number 0. At the end of its standard input, which also comes when the
parent is killed, it drops everything and ends. With "left" in its request, the tokens of another
keeper's clones, it makes nothing and drops what that one left.
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
from benchsuite.isolation.facts import Order
from benchsuite.isolation.instructions import Instructions

Message = dict[str, Any]


class Commands:
    """The parent's commands, read by a thread so that the parent's end is always noticed."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self.next = self._queue.get  #: The next command; None at the end.
        self.making = True  #: Until then the parent's end is the end of this process.
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Reads without a buffered file, whose lock would outlive the interpreter's end."""
        left = b""
        while chunk := os.read(self._source, 65536):
            *lines, left = (left + chunk).split(b"\n")
            for line in lines:
                self._queue.put(json.loads(line))
        self._queue.put(None)
        if self.making:
            os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, _stop)
    # The parent's commands; those of the project find an empty standard input.
    source = os.dup(sys.stdin.fileno())
    nobody = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nobody, sys.stdin.fileno())
    os.close(nobody)
    commands = Commands(source)
    descriptor, path = sys.argv[1:]
    sys.argv = ["manage.py", "migrate"]  # what projects look at that do more when they serve
    order = Order.from_json(json.loads(Path(path).read_text()))
    with os.fdopen(int(descriptor), "w", buffering=1) as answers:
        keep(order, commands, answers)


def _stop(signum: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise NobodyWaits(0)


def keep(order: Order, commands: Commands, answers: TextIO) -> None:
    """Makes the databases, then serves commands until there are no more. Django is set up in
    between: the project's code meets no database but a throw-away one.
    """
    from benchsuite.isolation.databases.admin import DatabaseAdmin

    def say(number: int, **message: Any) -> None:
        try:
            answers.write(json.dumps({"number": number, **message}) + "\n")
        except BrokenPipeError:
            sys.exit(0)

    admin = DatabaseAdmin(order, Instructions.of_this_process(), lambda phase: say(0, phase=phase))
    command: Message | None = {"number": 0, "do": "make" if order.left is None else "take_over"}
    try:
        while command is not None:
            number, do = command.pop("number"), command.pop("do")
            try:
                answer = getattr(admin, do)(**command) or {}
            except BenchsuiteError as error:
                answer = {"failed": str(error)}
            commands.making = False
            say(number, **answer)
            if number == 0 and "failed" in answer:
                return
            command = commands.next()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)  # what commands of the project have left running
        admin.end()


if __name__ == "__main__":
    main()
