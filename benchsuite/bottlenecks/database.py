"""The database and connections as the limit: L04 to L06 and L13."""

from collections.abc import Iterator

from benchsuite.bottlenecks.cpu import (
    BUSY,
    FULL,
    awaited_cpus,
    cpus_words,
    processes_words,
    promised,
    users_of_cpus,
)
from benchsuite.bottlenecks.evidence import CPU, DATABASE, QUEUE, RUN_DELAY, SENDING, LimitEvidence
from benchsuite.bottlenecks.evidence import DATABASE_TIME as ITS_TIME
from benchsuite.bottlenecks.registry import bottleneck
from benchsuite.core.results import Reached
from benchsuite.core.units import (
    format_count,
    format_duration,
    format_number,
    format_percent,
)

MOST_OF_IT = 0.5
WAITING = 0.3
QUARTER = 0.25
SEEN = 10  #: Active sessions: of fewer samples no share is told.
MANY = 10.0
LARGE = 0.2
CONNECTING = 0.1
EXPLAINED = (SENDING, QUEUE, CPU, RUN_DELAY, ITS_TIME)

FIXES = {
    "Lock": "Transactions hold rows or tables that others want: make them shorter, and change hot "
    "rows last, or not at all.",
    "IO": "It reads or writes its files: fewer commits (transactions, bulk writes), an index for "
    "what is searched, or more memory for its cache.",
    "LWLock": "Its sessions stand in each other's way: fewer connections (a pool) do more.",
}


@bottleneck(
    "L04",
    "database",
    when="the database is at work for at least half of the time that a request is in the server, "
    "and more is asked than is answered at once",
    explains=EXPLAINED,
    unless=("L01", "L04a", "L04b", "L05"),
)
def mostly_database(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    if _is_large(evidence) and evidence.is_pressed:
        yield {
            "says": "Requests mostly wait for the database.",
            "evidence": _its_time(evidence),
            "fix": f"Fewer and cheaper queries; {_counted(evidence)}.",
            "gain": _without(evidence.database_s, evidence.inside_s),
        }


@bottleneck(
    "L04a",
    "database-cpu",
    when="the database uses at least 90 % of its CPUs, or more than anybody else of CPUs that are "
    "full or waited for, as L01 says",
)
def database_cpu(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    its, cpus = evidence.cpu_percent.get(DATABASE), evidence.cpus
    if its is None or not cpus:
        return
    alone = its >= 100 * FULL * cpus
    if alone or (awaited_cpus(evidence) and next(iter(users_of_cpus(evidence))) == DATABASE):
        own_s = evidence.own_cpu_s
        each_s = its / 100 / evidence.rate if evidence.rate else None
        words = f"a request takes {format_duration(each_s)} of the database's CPU"
        if own_s:
            words += f" and {format_duration(own_s)} of the target's"
        yield {
            "says": "The database has no CPU left."
            if alone
            else "The database uses more of the CPUs than the target does.",
            "evidence": f"{cpus_words(evidence)}; {words}.",
            "fix": "Make the queries cheaper (EXPLAIN, an index, a cache), keep connections "
            "(CONN_MAX_AGE, a pool), or give the database CPUs or a machine of its own.",
            "gain": promised(
                evidence, cpus / own_s if own_s else None, "Without it these CPUs would answer"
            ),
        }


@bottleneck(
    "L04b",
    "database-waits",
    when="at least 30 % of the sessions at work wait for a lock or for files; and the database is "
    "at work for half of the time that a request is in the server, or these waits are a quarter",
    explains=EXPLAINED,
)
def database_waits(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    if evidence.active_samples < SEEN:
        return
    of_kind = dict.fromkeys(FIXES, 0.0)
    for event, share in evidence.waits.items():
        kind = event.partition(":")[0]
        if kind in of_kind:
            of_kind[kind] += share
    total, (kind, _) = sum(of_kind.values()), max(of_kind.items(), key=lambda item: item[1])
    waited = total * (evidence.database_share or 0.0)
    if total >= WAITING and (_is_large(evidence) or waited >= QUARTER):
        worst = max(
            (one for one in evidence.waits if one.startswith(kind)),
            key=lambda item: evidence.waits[item],
        )
        yield {
            "says": f"Queries wait inside the database, mostly for {worst}.",
            "evidence": f"{format_percent(100 * total)} of {format_count(evidence.active_samples)} "
            f"sessions that were seen at work waited, {format_percent(100 * evidence.waits[worst])}"
            f" for {worst}. {_its_time(evidence)}",
            "fix": FIXES[kind],
            "gain": _without(total * (evidence.database_s or 0.0), evidence.inside_s),
        }


@bottleneck(
    "L04c",
    "repeated-queries",
    when="diagnostic run: a request makes at least 10 equal queries from one line, which take at "
    "least 20 % of its time",
    explains=(ITS_TIME,),
)
def repeated(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """N+1: the line is what the project can change."""
    queries = evidence.diagnosis.repeated if evidence.diagnosis else ()
    for query in queries:
        if query.times >= MANY and query.share >= LARGE:
            yield {
                "says": f"{query.place} makes {format_number(query.times)} equal queries a request "
                f"({query.query}).",
                "evidence": f"They take {format_percent(100 * query.share)} of the time of "
                f"{query.page}.",
                "fix": "Fetch them at once: select_related() or prefetch_related(), or one query "
                "before the loop.",
                "gain": f"Up to {format_percent(100 * query.share)} of its time.",
            }


@bottleneck(
    "L04d",
    "connecting",
    when="diagnostic run: opening and closing connections to the database takes at least 10 % of "
    "a request",
    explains=(ITS_TIME,),
)
def connecting(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    diagnosis = evidence.diagnosis
    if diagnosis is None or not diagnosis.request_s:
        return
    share = diagnosis.connecting_s / diagnosis.request_s
    if share >= CONNECTING:
        keep = "CONN_MAX_AGE, or a pool (--pool)."
        if not evidence.reuses_connections:
            keep = (
                "a pool (--pool). CONN_MAX_AGE would leave them open, and none of this server's "
                "threads would use them again."
            )
        yield {
            "says": "Requests connect to the database anew.",
            "evidence": "Opening and closing connections takes "
            f"{format_duration(diagnosis.connecting_s)} of {format_duration(diagnosis.request_s)}, "
            f"{format_percent(100 * share)}.",
            "fix": f"Keep connections: {keep}",
            "gain": f"Up to {format_percent(100 * share)} of its time.",
        }


@bottleneck(
    "L13",
    "sqlite",
    when="the log says that SQLite was locked by another writer",
)
def sqlite_locked(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    if Reached.SQLITE in evidence.reached:
        yield {
            "says": "SQLite lets one writer in at a time, and others gave up.",
            "evidence": evidence.reached_words,
            "fix": 'In OPTIONS of DATABASES: "transaction_mode": "IMMEDIATE", a longer "timeout", '
            'and "init_command": "PRAGMA journal_mode=WAL"; or a database server.',
        }


def _counted(evidence: LimitEvidence) -> str:
    if evidence.diagnosis is None:
        return "--diagnose names those that repeat"
    return f"a request makes {format_number(evidence.diagnosis.queries)}"


def _is_large(evidence: LimitEvidence) -> bool:
    return (evidence.database_share or 0.0) >= MOST_OF_IT


def _its_time(evidence: LimitEvidence) -> str:
    return (
        f"The database is at work for {format_duration(evidence.database_s)} of the "
        f"{format_duration(evidence.inside_s)} that a request is in the server."
    )


def _without(saved_s: float | None, whole_s: float | None) -> str:
    if not saved_s or not whole_s:
        return ""
    return f"Up to {format_percent(100 * min(1.0, saved_s / whole_s))} of the time in the server."


EXECUTING = 0.9  #: Of the connections of all pools.
MORE = 1.5  #: Requests in the server for each of them.


@bottleneck(
    "L05",
    "connections",
    when="connections or database sessions were refused (B204), or the server may need more "
    "database connections than there are",
)
def connections(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
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
def pool(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
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


def _all_taken(evidence: LimitEvidence, connections: int) -> bool:
    """A request keeps its connection from its first query to its end, between queries, too."""
    if (evidence.active or 0.0) >= EXECUTING * connections:
        return True
    computes = (evidence.busy_share or 0.0) >= BUSY or (evidence.busiest or 0.0) >= 100 * BUSY
    are_open = (evidence.connections or 0) >= connections
    return are_open and not computes and (evidence.inside or 0.0) >= MORE * connections


def _count(evidence: LimitEvidence) -> int:
    return evidence.processes or 1
