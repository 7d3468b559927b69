"""Command lines: as somebody types one here, for what to do next, and as argparse refuses one."""

import argparse
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Never

from benchsuite.core.exceptions import meant

PROGRAM_VARIABLE = "BENCHSUITE_PROGRAM"
"""How the program of its own was called, such as `benchsuite`; unset for manage.py."""
PYTHON_VARIABLE = "BENCHSUITE_PYTHON"
"""The project's Python, where that program has another one; unset for manage.py."""

SHORT = {
    "runbench": "run",
    "tunebench": "tune",
    "runstudy": "study",
    "comparebench": "compare",
    "checkbench": "check",
    "listbench": "list",
    "dumpbench": "dump",
    "loadbench": "load",
    "benchworker": "worker",
    "benchagent": "agent",
}
"""Management command → its name in that program; the others have the same name there."""
NAMES = re.compile(rf"(?<![\w/.-])(?<!manage\.py )({'|'.join(SHORT)})(?![\w/-]|\.\w)")


def command(name: str, *words: object) -> str:
    """The line that calls a management command with these words, quoted for a shell."""
    program = os.environ.get(PROGRAM_VARIABLE)
    start = f"{program} {SHORT.get(name, name)}" if program else f"python manage.py {name}"
    return shlex.join([*shlex.split(start), *map(str, words)])


def option_words(name: str, value: Any, write: Callable[[Any], str]) -> list[str]:
    """An option as it is typed: once for each of several, and for each pair of a mapping."""
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, Mapping):
        return [f"--{name}={key}={write(part)}" for key, part in value.items()]
    several = value if isinstance(value, list | tuple) else [value]
    return [f"--{name}={write(part)}" for part in several]


def as_called(text: str) -> str:
    """Sentences for who calls the program: "checkbench" is "benchsuite check" there."""
    if not os.environ.get(PROGRAM_VARIABLE):
        return text
    return NAMES.sub(lambda name: f"benchsuite {SHORT[name[0]]}", text)


def with_guess(message: str, options: Iterable[str]) -> str:
    """Argparse's own message, with the option or the value that may have been meant."""
    near = ""
    if option := re.match(r"unrecognized arguments: (--[\w-]+)", message):
        near = meant(option[1], options)
    elif value := re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message):
        near = meant(value[1], [name.strip(" '") for name in value[2].split(",")])
    return f"{message}; did you mean {near}?" if near else message


class Parser(argparse.ArgumentParser):
    """Takes no abbreviation for an option, which another one may be called tomorrow."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, allow_abbrev=False, **options)

    def error(self, message: str) -> Never:
        super().error(with_guess(message, self._option_string_actions))
