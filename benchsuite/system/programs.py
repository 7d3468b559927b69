"""Programs of the system and of this package; the revision of a project."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from benchsuite.system.account import rights_of

SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Folders of servers, which are not on an ordinary user's path on Debian."""
ASK_S = 20.0


def find_program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(SBIN))


def program_version(name: str, *arguments: str) -> str | None:
    """The first dotted number in the program's output, or None."""
    path = find_program(name)
    return _version(path, arguments) if path else None


@cache
def _version(path: str, arguments: tuple[str, ...]) -> str | None:
    done = ran(path, *arguments, stderr=subprocess.STDOUT)
    match = re.search(rb"\d+\.\d+[\w.+~-]*", done.stdout) if done else None
    return match.group().decode() if match else None


def asked(
    *command: str,
    stderr: int = subprocess.STDOUT,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    limit_s: float = ASK_S,
    run_as: str = "",
) -> subprocess.CompletedProcess[bytes]:
    """A program that was asked, as that user, and has answered. Raises OSError for one that can't
    be started, subprocess.TimeoutExpired for one that takes longer.
    """
    return subprocess.run(
        [*command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        timeout=limit_s,
        env=env,
        cwd=folder,
        check=False,
        **rights_of(run_as),
    )


def ran(
    *command: str,
    stderr: int = subprocess.DEVNULL,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.CompletedProcess[bytes] | None:
    """The same; None for one that is not there or takes long."""
    try:
        return asked(*command, stderr=stderr, env=env, folder=folder)
    except (OSError, subprocess.TimeoutExpired):
        return None


def isolated_python(module: str, *, packages: bool = False) -> list[str]:
    """The start of a command line that calls the module's `main()`, which nothing in the project's
    environment or folder can prevent. Without site-packages (`packages`) it starts fast.
    """
    root = str(Path(__file__).resolve().parents[2])
    program = f"import sys; sys.path.append({root!r}); from {module} import main; main()"
    return [sys.executable, "-I", *([] if packages else ["-S"]), "-c", program]


SHORT = 8


def revision_of(folder: Path) -> str:
    """The commit in hex, then "+" and a hash of changes to tracked files; empty without git."""
    if not (commit := _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")):
        return ""
    name = commit.decode("ascii", "replace").strip()
    if _git(folder, "status", "--porcelain", "--untracked-files=no") == b"":
        return name
    changes = _git(folder, "diff", "HEAD", "--binary", "--no-ext-diff", "--no-textconv")
    return f"{name}+{hashlib.sha256(changes).hexdigest()[:SHORT]}" if changes else f"{name}+"


CODE = frozenset({".py", ".html", ".toml", ".ini", ".cfg"})
ENVIRONMENT = ".env"  #: A file of settings; hidden ones are else of tools.
OUR_PAGE = b"<p>Written by benchsuite, "  #: In what --html has written, which serves nothing.
MOST_FILES = 20_000  #: That are looked at: a project's folder may be somebody's home.


def untracked_code(folder: Path) -> str:
    """A hash of the code, templates and settings in a folder that git does not track, in hex,
    without virtual environments and hidden folders; empty where it tracks all.
    """
    tracked = {os.fsdecode(one) for one in (_git(folder, "ls-files", "-z") or b"").split(b"\0")}
    digest, count = hashlib.sha256(), 0
    for place, folders, files in os.walk(folder):
        shown = [name for name in sorted(folders) if not name.startswith(".")]
        # exists() of a Path raises where a folder is closed to us
        folders[:] = [name for name in shown if not os.path.exists(f"{place}/{name}/pyvenv.cfg")]
        for path in (Path(place, one) for one in sorted(files)):
            name = str(path.relative_to(folder))
            if name in tracked or not (path.suffix in CODE or path.name == ENVIRONMENT):
                continue
            with suppress(OSError):
                if OUR_PAGE not in (content := path.read_bytes()):
                    count += 1
                    digest.update(f"{name}\0".encode(errors="surrogateescape") + content)
        if count >= MOST_FILES:
            break
    return digest.hexdigest()[:SHORT] if count else ""


def short_revision(revision: str) -> str:
    """As people read it: "4f2c1a9b", "4f2c1a9b with changes 03d1c2aa"."""
    commit, changed, changes = revision.partition("+")
    return f"{commit[:SHORT]} with changes {changes}".strip() if changed else commit[:SHORT]


def _git(folder: Path, *arguments: str) -> bytes | None:
    # A checkout of another user is only read; nothing in it may be executed.
    # Nor is its index written: `git diff` would for a file that was only touched.
    settings = ("safe.directory=*", "core.fsmonitor=false", "diff.autoRefreshIndex=false")
    safely = [word for setting in settings for word in ("-c", setting)]
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    ended = ran("git", *safely, "-C", str(folder), *arguments, env=env)
    return ended.stdout if ended and ended.returncode == 0 else None
