"""Programs of the system: their paths and versions."""

import os
import re
import shutil
import subprocess
from functools import cache

SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Folders of servers, which are not on an ordinary user's path on Debian."""

ASK_S = 10.0


def find(name: str) -> str | None:
    """The path of a program, or None."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(SBIN))


def version(name: str, *arguments: str) -> str | None:
    """The first dotted number in the program's output, or None."""
    path = find(name)
    return _version(path, arguments) if path else None


@cache
def _version(path: str, arguments: tuple[str, ...]) -> str | None:
    try:
        done = subprocess.run(
            [path, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=ASK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(rb"\d+\.\d+[\w.+~-]*", done.stdout)
    return found.group().decode() if found else None
