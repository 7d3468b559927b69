"""Commands that are made on the machine of an agent, while this one makes the load."""

import json
import os
import secrets
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import sleep
from typing import Any, TextIO

from django.core.management import call_command
from django.core.management.base import CommandError

from benchsuite import __version__
from benchsuite.agent.client import connected
from benchsuite.load.hosts.keys import Listening
from benchsuite.management.options.parsing import goes_on, read
from benchsuite.management.options.place import Place
from benchsuite.management.output import beside
from benchsuite.models import Run
from benchsuite.pythons.interpreter import whole_path
from benchsuite.system import folders
from benchsuite.system.guard import guarded
from benchsuite.system.process import running

HERE = ("--agent", "--key-file", "--json", "--html")  #: Options that name what is on this machine.
LISTEN_S = 0.5  #: Between two looks at what it has said; an agent ends what nobody listens to.
EXPORT_S = 60.0  #: How long the agent may take to write the runs of a command to a file.


def delegated(
    name: str,
    words: Sequence[str],
    options: Mapping[str, Any],
    write: Callable[[Sequence[Run]], None] = lambda runs: None,
) -> bool:
    """Whether an agent is to start its servers, and has made it there. Its runs are stored here,
    too, and `write` writes the files of --json and --html. Raises CommandError with its status.
    """
    place = read(Place, options).watching  # which only watches what already runs
    if place is None or options.get("target") or goes_on(options):
        return False
    screen = beside(options.get("json"), options.get("html"))
    with folders.scratch() as folder:
        status, exported = _made(place, name, _others(words), folder, screen)
        if exported:
            (folder / "runs.json").write_text(exported)
            call_command("loadbench", str(folder / "runs.json"), stdout=screen)
            keys = [run["id"] for run in json.loads(exported)]
            write(list(Run.objects.filter(pk__in=keys).order_by("started_at", "pk")))
    if status:
        raise CommandError(f"It ended with status {status} there.", returncode=status)
    return True


def _made(
    place: Listening, name: str, words: Sequence[str], folder: Path, screen: TextIO
) -> tuple[int, str]:
    """The exit status, and what loadbench reads; Ctrl-C stops it, and it keeps what it has."""
    marker, runs = secrets.token_hex(8), ""
    with ExitStack() as stack:
        stack.enter_context(guarded(marker, folder))
        agent = stack.enter_context(connected(place))
        port = agent.ask("run", "running", version=__version__, name=name, words=words)["port"]
        stack.callback(agent.send, "drop")
        load = [place.host, str(port), str(place.key_file.resolve())]
        argv = [sys.executable, "-m", "benchsuite.load.hosts.worker", *load]
        env = {**os.environ, "PYTHONPATH": whole_path(os.environ)}
        log = folder / "load.log"
        stack.enter_context(running(argv, name="load host", log=log, env=env, marker=marker))
        output: Mapping[str, Any] = {"text": "", "next": 0, "ended": 0}
        while output["text"] or not output["ended"]:
            try:
                output = agent.ask("listen", "said", start=output["next"])
                screen.write(output["text"])
                screen.flush()
                sleep(0.0 if output["text"] else LISTEN_S)
            except KeyboardInterrupt:
                agent.send("stop")
        while part := agent.ask("fetch", "runs", limit_s=EXPORT_S, start=len(runs))["runs"]:
            runs += part
        return output["status"], runs


def _others(words: Sequence[str]) -> list[str]:
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    for option in HERE:
        parser.add_argument(option)
    return parser.parse_known_args(words)[1]
