"""Another user for programs that must not be root, or refuse to: PostgreSQL, a front."""

import os
import pwd
import stat
import tempfile
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import StartError, UnavailableError

NOBODY = "nobody"
MAP = Path("/proc/self/uid_map")  #: The users of our user namespace; all are outside of one.
CLOSED = stat.S_IRWXG | stat.S_IRWXO  #: Modes, none of which our closed folders have.


def unprivileged() -> str:
    """ "nobody" if we are root and not that of a user's namespace, else "" for ourselves."""
    if os.geteuid() != 0:
        return ""
    uid = _account(NOBODY).pw_uid
    try:
        ranges = [map(int, line.split()) for line in MAP.read_text().splitlines()]
    except OSError:
        return NOBODY
    return NOBODY if any(first <= uid < first + count for first, _, count in ranges) else ""


def rights_of(user: str) -> dict[str, Any]:
    """Arguments of `subprocess` for a start as this user; none for "". StartError for no user."""
    if not user:
        return {}
    account = _account(user)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def hand_over(folder: Path, user: str) -> None:
    """Makes the user the owner of a run's folder, and opens our own closed folders above it, below
    the temporary one, to the user's group for passing through; does nothing for "". Raises
    UnavailableError when that is not enough.
    """
    if not user:
        return
    account = _account(user)
    os.chown(folder, account.pw_uid, account.pw_gid)
    temporary = Path(tempfile.gettempdir()).resolve()
    for parent in folder.resolve().parents:
        status = parent.stat()
        if _may(status, account, stat.S_IXOTH):
            continue
        is_closed = status.st_uid == os.geteuid() and not status.st_mode & CLOSED
        if not (is_closed and temporary in parent.parents):
            raise UnavailableError(
                f"{user} can't reach {folder}: {parent} is closed to others; set TMPDIR to a "
                "folder open to all (/tmp), or start the run as an ordinary user."
            )
        os.chown(parent, -1, account.pw_gid)
        parent.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXGRP)


def can_read(folder: Path, user: str) -> bool:
    """Whether this user may reach a folder and list it; "" is ourselves."""
    if not user:
        return os.access(folder, os.R_OK | os.X_OK)
    account = _account(user)
    real = folder.resolve()
    passes = all(_may(path.stat(), account, stat.S_IXOTH) for path in (real, *real.parents))
    return passes and _may(real.stat(), account, stat.S_IROTH)


def _account(user: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(user)
    except KeyError as error:
        raise StartError(
            f"Nothing can be started as {user!r}: this machine has no such user."
        ) from error


def _may(status: os.stat_result, account: pwd.struct_passwd, everybody: int) -> bool:
    """Whether that right of everybody's is this user's, who is in one group only."""
    rights = status.st_mode
    if status.st_uid == account.pw_uid:
        rights >>= 6
    elif status.st_gid == account.pw_gid:
        rights >>= 3
    return bool(rights & everybody)
