"""Programs that come with the system: where they are, and in which version."""

import os
import re
import shutil
import subprocess
from functools import cache

SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where servers are, and what an ordinary user's path doesn't have on Debian."""

ASK_S = 10.0


def find(name: str) -> str | None:
    """The path of a program, or None."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(SBIN))


def version(name: str, *arguments: str) -> str | None:
    """The first number with dots that the program prints when it is asked so, or None."""
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
