"""Commands that are made on the machine of an agent, while this one makes the load."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError

from benchsuite.agent.commanding import made_there
from benchsuite.core.exceptions import UsageError
from benchsuite.management.options.place import Place
from benchsuite.management.options.table import read
from benchsuite.system import scratch

HERE = ("--agent", "--key-file")  #: Options that name what is on this machine.
NOT_THERE = ("json", "html", "listen", "load_hosts", "bind")


def is_elsewhere(options: Mapping[str, Any]) -> bool:
    """Whether an agent starts the servers of a command; what already runs, it only watches."""
    stored = options.get("again") or options.get("resume")
    return options["agent"] is not None and not options["target"] and not stored


def make(name: str, words: Sequence[str], options: Mapping[str, Any]) -> None:
    """Has it made there; its runs are stored here, too. Raises CommandError with its status."""
    for key in NOT_THERE:
        if options.get(key):
            raise UsageError(
                f"--{key.replace('_', '-')} can't be had where an agent starts the server: leave "
                "it out; the runs are stored here afterwards."
            )
    place = read(Place, dict(options)).watching
    if place is None:
        raise UsageError("--agent needs --key-file: add it.")
    with scratch.folder() as folder:
        status, file = made_there(place, name, [*_others(words)], _write, folder)
        if file.stat().st_size:
            call_command("loadbench", str(file))
    if status:
        raise CommandError(f"It ended with status {status} there.", returncode=status)


def _others(words: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if not is_value and name not in HERE:
            yield word
        is_value = not is_value and name in HERE and not equals


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
