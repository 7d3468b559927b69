"""An agent of a test's own beside a program that it watches, and a command's side of it."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from benchsuite.agent.client import Watching, connected
from benchsuite.core.results import Reading
from tests.integration.command import Command, wait_for
from tests.integration.hosts.workers import Place, Worker, place

PROGRAM = (
    "import sys; from pathlib import Path;"
    "from benchsuite.agent.program import Agent, Target, serve;"
    "from benchsuite.load.hosts.keys import Listening;"
    "host, port, key = sys.argv[1:]; agent = Agent(Target(names=('watched.py',)), print);"
    "serve(Listening(host, int(port), Path(key)), agent)"
)


@contextmanager
def listening(command: Command, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`benchagent` with these words, from when it listens."""
    with command.start("benchagent", *words) as program:
        assert program.stdout is not None
        assert "listens on" in program.stdout.readline()
        try:
            yield program
        finally:
            program.terminate()
            program.communicate(timeout=30)


BUSY = "import time\nwhile True:\n    end = time.monotonic() + 0.2\n"
BUSY += "    while time.monotonic() < end: pass\n    time.sleep(0.2)\n"


@dataclass
class Watched:
    """An agent that watches, and what it has told."""

    place: Place
    agent: Worker
    watching: Watching
    readings: list[Reading] = field(default_factory=list)

    def seconds(self, *steps: Callable[[], object]) -> None:
        """A second for each, after it was taken."""
        for step in steps:
            step()
            sleep(1.0)
            self.readings += self.watching.readings()

    def ended(self, begun: float) -> None:
        self.readings += self.watching.ended((begun, monotonic()))


@contextmanager
def watched(folder: Path, host: str = "127.0.0.1", before: Sequence[str] = ()) -> Iterator[Watched]:
    """A program that is busy for half of the time; an agent behind what `before` begins."""
    (folder / "watched.py").write_text(BUSY)
    with subprocess.Popen([sys.executable, str(folder / "watched.py")]) as program:
        try:
            with place(folder) as made:
                made.host = host
                agent = made.start(before=before, program=(sys.executable, "-u", "-c", PROGRAM))
                wait_for("the agent", lambda: "listens on" in agent.words)
                with connected(made.listening) as watching, watching.run():
                    yield Watched(made, agent, watching)
        finally:
            program.kill()
