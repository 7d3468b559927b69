"""How many files a process may have open: each connection is one, at both of its ends."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from benchsuite.exceptions import UsageError

MARGIN = 256
"""Besides its connections: libraries, logs, databases, listeners, pipes."""


def needed(connections: int, *, ends: int = 1) -> int:
    """Open files of the process that has the most; `ends` is 2 where a front passes them on."""
    return connections * ends + MARGIN


def check(count: int, connections: int) -> None:
    """Raises UsageError when so many open files can't be had, and says how they can."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise UsageError(
            f"{connections} connections need up to {count} open files in one process, and this "
            f"session may have {hard} at most; raise its hard limit (ulimit -Hn {count} as root, "
            "`nofile` in /etc/security/limits.conf, or LimitNOFILE= of its systemd unit), or use "
            "fewer --connections."
        )


@contextmanager
def raised(count: int) -> Iterator[str]:
    """What is started meanwhile may have so many files open, if we may; what was changed, in words,
    empty for nothing.
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
