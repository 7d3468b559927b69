"""Has a command made on an agent's machine, with the load made here."""

import base64
import codecs
import json
import os
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import sleep

from benchsuite import __version__
from benchsuite.agent.client import connected
from benchsuite.load.parent.hosts import Listening
from benchsuite.pythons.interpreter import whole_path
from benchsuite.system.guard import guarded
from benchsuite.system.process import running

LISTEN_S = 0.5  #: Between two looks at what it has said; an agent ends what nobody listens to.
EXPORT_S = 60.0  #: How long the agent may take to write the runs of a command to a file.


def made_there(
    place: Listening, name: str, words: Sequence[str], write: Callable[[str], object], folder: Path
) -> tuple[int, Path]:
    """Its exit status, and the file with its runs; Ctrl-C stops it, and it keeps what it has."""
    marker, file = secrets.token_hex(8), folder / "runs.json"
    with ExitStack() as stack:
        stack.enter_context(guarded(marker, folder))
        agent = stack.enter_context(connected(place))
        port = agent.ask(
            "run", wanted="running", version=__version__, name=name, words=json.dumps(words)
        )["port"]
        stack.callback(agent.send, "drop")
        load = [place.host, str(port), str(place.key_file.resolve())]
        stack.enter_context(
            running(
                [sys.executable, "-m", "benchsuite.load.hosts.worker", *load],
                name="the load host",
                log=folder / "load.log",
                env={**os.environ, "PYTHONPATH": whole_path(os.environ)},
                marker=marker,
            )
        )
        text, size, decoder = b"", 0, codecs.getincrementaldecoder("utf-8")("replace")
        ended = False
        while text or not ended:
            try:
                said = agent.ask("listen", wanted="said", start=size)
                text, ended = base64.b64decode(said["text"]), bool(said["ended"])
                size += len(text)
                write(decoder.decode(text))
                sleep(0.0 if text or ended else LISTEN_S)
            except KeyboardInterrupt:
                agent.send("stop")
        with file.open("wb") as runs:
            while part := agent.ask("fetch", wanted="part", limit_s=EXPORT_S, start=runs.tell())[
                "part"
            ]:
                runs.write(base64.b64decode(part))
        return int(said["status"]), file
