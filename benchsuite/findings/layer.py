"""Whether the channel layer kept what it was given: B207."""

from collections.abc import Callable, Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_count
from benchsuite.findings.limits import limit

TIMED_OUT = ("Timeout reading from", "Timeout connecting to", "Timeout writing to")
"""What redis-py says of a Redis that did not answer in time."""


def left_out(evidence: Evidence) -> Iterator[Finding]:
    """Messages for a full channel are dropped, and nobody but the layer knows."""
    rule, count = limit("B207"), evidence.left_out
    level = rule.level(count or 0)
    if level is not None:
        yield Finding(
            code=rule.code,
            level=level,
            message=f"The channel layer left messages out {format_count(count or 0)} times, "
            "because channels were over capacity.",
            hint="Consumers take messages more slowly than they are sent: raise capacity in the "
            "layer's CONFIG (100 messages a channel by default), or send less. In channels_redis "
            "the connections of a process share a channel: a slow one costs the others messages.",
        )


def timed_out(evidence: Evidence) -> Iterator[Finding]:
    """A layer in Redis gave up, and with it the consumers that waited."""
    seen = [one for one in evidence.socket_errors if any(sign in one for sign in TIMED_OUT)]
    if seen:
        yield Finding(
            code=limit("B207").code,
            level=Level.WEAK,
            message=f"The channel layer gave up waiting for Redis ({seen[0]}).",
            hint="redis-py 8 gives up a read after 5 s, just as long as channels_redis waits for a "
            'message: set "socket_timeout": None in CONFIG["hosts"] (docs/channels.md). Otherwise '
            "Redis was slow or gone.",
        )


def kept_apart(evidence: Evidence) -> Iterator[Finding]:
    """A layer in memory behind several processes; invalid where messages were lost with it."""
    if evidence.layers_apart < 2 or evidence.accounts is None:
        return
    lost = evidence.accounts.lost
    and_lost = f", and {format_count(lost)} messages were lost" if lost else ""
    yield Finding(
        code=limit("B207").code,
        level=Level.INVALID if lost else Level.INFO,
        message=f"The project's channel layer is in memory, so it stays within each of the "
        f"{format_count(evidence.layers_apart)} processes{and_lost}.",
        hint="What is sent to a group reaches the connections of the sender's process only: take "
        "--layer=redis, or one process.",
    )


CHECKS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (left_out, timed_out, kept_apart)
