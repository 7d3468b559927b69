"""The revision of a project's repository."""

import hashlib
import os
import subprocess
from pathlib import Path

TIMEOUT_S = 10.0
SHORT = 8


def revision_of(folder: Path) -> str:
    """The checked-out commit in hex; empty without a repository or git.

    With changes to tracked files it ends with "+" and a hash of the changes. Untracked files don't
    count: many checkouts contain results, caches and uploads.
    """
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    if not commit:
        return ""
    name = commit.decode("ascii", "replace").strip()
    if _git(folder, "status", "--porcelain", "--untracked-files=no") == b"":
        return name
    changes = _git(folder, "diff", "HEAD", "--binary", "--no-ext-diff", "--no-textconv")
    return f"{name}+{hashlib.sha256(changes).hexdigest()[:SHORT]}" if changes else f"{name}+"


def short(revision: str) -> str:
    """As people read it: "4f2c1a9b", "4f2c1a9b with changes 03d1c2aa"."""
    commit, changed, changes = revision.partition("+")
    return f"{commit[:SHORT]} with changes {changes}".strip() if changed else commit[:SHORT]


def _git(folder: Path, *arguments: str) -> bytes | None:
    """The output of git; None when it fails."""
    command = [
        "git",
        # A checkout of another user is only read; nothing in it may be executed.
        *("-c", "safe.directory=*", "-c", "core.fsmonitor=false"),
        *("-C", str(folder)),
        *arguments,
    ]
    try:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode == 0 else None
