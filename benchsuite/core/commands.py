"""A command as somebody types it here, for what to do next."""

import os
import shlex

PROGRAM_VARIABLE = "BENCHSUITE_PROGRAM"
"""How the program of its own was called, such as `benchsuite`; unset for manage.py."""

SHORT = {
    "runbench": "run",
    "tunebench": "tune",
    "runstudy": "study",
    "comparebench": "compare",
    "checkbench": "check",
    "listbench": "list",
    "dumpbench": "dump",
    "loadbench": "load",
}
"""Management command → its name in that program; the others have the same name there."""


def command(name: str, *words: object) -> str:
    """The line that calls a management command with these words, quoted for a shell."""
    program = os.environ.get(PROGRAM_VARIABLE)
    start = f"{program} {SHORT.get(name, name)}" if program else f"python manage.py {name}"
    return shlex.join([*shlex.split(start), *map(str, words)])
