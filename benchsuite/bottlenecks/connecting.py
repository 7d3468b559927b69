"""Connections as the limit: L05 and L06."""

from collections.abc import Iterator

from benchsuite.bottlenecks.cpu import BUSY, processes_words
from benchsuite.bottlenecks.evidence import Evidence
from benchsuite.bottlenecks.registry import bottleneck
from benchsuite.core.results import Reached
from benchsuite.core.units import format_number

EXECUTING = 0.9  #: Of the connections of all pools.
MORE = 1.5  #: Requests in the server for each of them.


@bottleneck(
    "L05",
    "connections",
    when="connections or database sessions were refused (B204), or the server may need more "
    "database connections than there are",
)
def connections(evidence: Evidence) -> Iterator[dict[str, str]]:
    refused = set(evidence.reached) - {Reached.POOL, Reached.SQLITE}
    limit, could = evidence.connections_limit, evidence.connections_wanted
    if refused:
        queues = refused == {Reached.LISTEN_QUEUE}
        yield {
            "says": "Connections came faster than the server accepted them."
            if queues
            else "A limit of connections was reached.",
            "evidence": evidence.reached_words,
            "fix": "Where bursts overflow it, a longer listen queue helps (the server's backlog, "
            "net.core.somaxconn); where it is always full, only what serves them faster."
            if queues
            else "Raise that limit, or make fewer: fewer threads and processes, or a pool.",
        }
    elif limit and could and evidence.connections and could > limit:
        each = f"{evidence.threads} thread{'s' * (evidence.threads != 1)}"
        if evidence.pool:
            each = f"a pool of {evidence.pool}"
        yield {
            "says": "The server may need more database connections than the database gives.",
            "evidence": f"{processes_words(_count(evidence))} with "
            f"{each} each may hold {could} connections, and the limit is {limit}; "
            f"{evidence.connections} were open at once.",
            "fix": f"Raise max_connections to {could} and more, or use a pool.",
        }


@bottleneck(
    "L06",
    "pool",
    when="a process has more threads than its pool has connections, and all of these are open and "
    "execute queries 90 % of the time, or half as many requests again are in the server while "
    "CPUs are free; or the pool had none left",
)
def pool(evidence: Evidence) -> Iterator[dict[str, str]]:
    size, threads = evidence.pool, evidence.threads or 0
    if Reached.POOL in evidence.reached:
        of_size = f" of {size}" if size else ""
        yield {
            "says": f"Requests waited in vain for a connection of the pool{of_size}.",
            "evidence": evidence.reached_words,
            "fix": f"Make the pool as large as the threads of a process ({threads}).",
        }
    elif size and threads > size and _all_taken(evidence, size * _count(evidence)):
        yield {
            "says": f"{threads} threads share a pool of {size} connections, and all are in use.",
            "evidence": f"{processes_words(_count(evidence))} with {size} connections each have "
            f"{format_number(evidence.inside)} requests and {format_number(evidence.active)} "
            "queries under way.",
            "fix": f"Make the pool as large as the threads (--pool={threads}), or use {size} "
            "threads.",
        }


def _all_taken(evidence: Evidence, connections: int) -> bool:
    """A request keeps its connection from its first query to its end, between queries, too."""
    if (evidence.active or 0.0) >= EXECUTING * connections:
        return True
    computes = (evidence.busy_share or 0.0) >= BUSY or (evidence.busiest or 0.0) >= 100 * BUSY
    are_open = (evidence.connections or 0) >= connections
    return are_open and not computes and (evidence.inside or 0.0) >= MORE * connections


def _count(evidence: Evidence) -> int:
    return evidence.processes or 1
