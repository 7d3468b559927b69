"""How many files a process may have open: each connection is one, at both of its ends."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from benchsuite.core.exceptions import UsageError

MARGIN = 256  #: Besides its connections: libraries, logs, databases, listeners, pipes.

LEAST = 64
"""Of these, what can't be done without: fewer connections run under a hard limit below the margin.
"""


def needed(connections: int, *, ends: int = 1) -> int:
    """Open files of the process that has the most; `ends` is 2 where a front passes them on."""
    return connections * ends + MARGIN


def check(connections: int, *, ends: int = 1) -> None:
    """Raises UsageError when so many open files can't be had, and says how they can."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = needed(connections, ends=ends)
    if hard != resource.RLIM_INFINITY and hard < connections * ends + LEAST:
        raise UsageError(
            f"{connections} connections need up to {count} open files in one process, and this "
            f"session may have {hard} at most; raise its hard limit (ulimit -n {count} as root, "
            "`nofile` in /etc/security/limits.conf, or LimitNOFILE= of its systemd unit), or use "
            "fewer at once (--users, --connections or --max-in-flight)."
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
