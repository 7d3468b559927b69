"""Whether the channel layer kept what it was given: B207."""

from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_count
from benchsuite.findings.registry import Rule, also, finding

OF_REDIS = (
    (
        ("MaxConnectionsError",),
        "had no connection to Redis left",
        "Each consumer waits on a connection of its own, and redis-py 8 has at most 100 a "
        'process: set "max_connections": 2**31 in CONFIG["hosts"] (docs/channels.md), or start '
        "more processes.",
    ),
    (
        ("Timeout reading from", "Timeout connecting to", "Timeout writing to"),
        "gave up waiting for Redis",
        "redis-py 8 gives up a read after 5 s, just as long as channels_redis waits for a "
        'message: set "socket_timeout": None in CONFIG["hosts"] (docs/channels.md). Otherwise '
        "Redis was slow or gone.",
    ),
)
"""What redis-py says in errors of consumers, what that means, and what to do."""


@finding(
    "B207",
    "layer",
    of="messages that the channel layer dropped; reads of Redis that it gave up; connections to "
    "Redis that it lacked; processes that a layer in memory can't join",
    unit="",
    weak=0,
    invalid_words="messages lost, or refused before the run",
)
def dropped(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Messages for a full channel are dropped, and nobody but the layer knows."""
    count = evidence.left_out or 0
    yield from rule.weighed(
        count,
        f"The channel layer dropped messages {format_count(count)} time{'s' * (count != 1)} "
        "because channels were over capacity.",
        hint="Consumers take messages more slowly than they are sent: raise capacity in the "
        "layer's CONFIG (100 messages a channel by default), or send less. In channels_redis "
        "the connections of a process share a channel: a slow one costs the others messages.",
    )


@also("B207")
def failed_in_redis(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """A layer in Redis failed, and with it the consumers that waited."""
    for signs, means, hint in OF_REDIS:
        seen = [one for one in evidence.socket_errors if any(sign in one for sign in signs)]
        if seen:
            message = f"The channel layer {means} ({seen[0]})."
            yield rule.found(Level.WEAK, message, hint=hint, value=len(seen))


@also("B207")
def kept_apart(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """A layer in memory behind several processes; invalid where messages were lost with it."""
    if evidence.layers_apart < 2 or evidence.accounts is None:
        return
    lost = evidence.accounts.lost
    and_lost = f", and {format_count(lost)} messages were lost" if lost else ""
    yield rule.found(
        Level.INVALID if lost else Level.INFO,
        f"The project's channel layer is in memory, so it stays within each of the "
        f"{format_count(evidence.layers_apart)} processes{and_lost}.",
        hint="A message to a group reaches only the connections of the sender's process: use "
        "--layer=redis, or one process.",
        value=lost,
    )
