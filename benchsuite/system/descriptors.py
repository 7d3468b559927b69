"""How many files a process may have open: each connection is one, at both ends."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from benchsuite.core.exceptions import UsageError

MARGIN = 256  #: Besides its connections: libraries, logs, databases, listeners, pipes.

LEAST = 64
"""The essential part of these: a hard limit below the margin still allows few connections."""


def needed(connections: int, *, ends: int = 1) -> int:
    """Open files of the process with the most; `ends` is 2 for a front, which forwards them."""
    return connections * ends + MARGIN


def check(connections: int, *, ends: int = 1) -> None:
    """Raises UsageError when the limit is too low, and says how to raise it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = needed(connections, ends=ends)
    if hard != resource.RLIM_INFINITY and hard < connections * ends + LEAST:
        raise UsageError(
            f"{connections} connections need up to {count} open files in one process, and this "
            f"session is limited to {hard}; raise its hard limit (ulimit -n {count} as root, "
            "`nofile` in /etc/security/limits.conf, or LimitNOFILE= of its systemd unit), or use "
            "fewer at once (--users, --connections or --max-in-flight)."
        )


@contextmanager
def raised(count: int) -> Iterator[str]:
    """Raises the limit for programs started in the block, if allowed; yields the change in words,
    empty for none.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= count:
        yield ""
        return
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield f"{wanted} open files a process instead of {soft}"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
