"""What requests wait for beside CPUs: the database and connections (L04 to L06 and L13), memory,
timers and pauses (L11, L12 and L15); and some answers alone (L16).
"""

from collections.abc import Iterator

from benchsuite.bottlenecks import cpu
from benchsuite.bottlenecks.cpu import BUSY, FULL, format_share
from benchsuite.bottlenecks.evidence import CPU, DATABASE, MEASURED, REST, LimitEvidence
from benchsuite.bottlenecks.evidence import DATABASE_TIME as ITS_TIME
from benchsuite.bottlenecks.registry import bottleneck
from benchsuite.core.results import Common, Reached
from benchsuite.core.units import (
    counted,
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_period,
    listed,
)
from benchsuite.stats.patterns import LONGEST, LOWER

MOST_OF_IT = 0.5
WAITING = 0.3
QUARTER = 0.25
SEEN = 10  #: Active sessions: of fewer samples no share is told.
MANY = 10.0
LARGE = 0.2
CONNECTING = 0.1

FIXES = {
    "Lock": "Transactions hold rows or tables that others want: make them shorter, and change hot "
    "rows last, or not at all.",
    "IO": "It reads or writes its files: fewer commits (transactions, bulk writes), an index for "
    "what is searched, or more memory for its cache.",
    "LWLock": "Its sessions stand in each other's way: fewer connections (a pool) do more.",
}


@bottleneck("L04", "database", explains=MEASURED, unless=("L01", "L04a", "L04b", "L05"))
def mostly_database(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """the database is at work for at least half of the time that a request is in the server, and
    more is asked than is answered at once
    """
    repeats = "--diagnose names those that repeat"
    if evidence.diagnosis is not None:
        repeats = f"a request makes {format_number(evidence.diagnosis.queries)}"
    if (evidence.database_share or 0.0) >= MOST_OF_IT and evidence.is_pressed:
        yield {
            "says": "Requests mostly wait for the database.",
            "evidence": _its_time(evidence),
            "fix": f"Fewer and cheaper queries; {repeats}.",
            "gain": _without(evidence.database_s, evidence.inside_s),
        }


@bottleneck("L04a", "database-cpu")
def database_cpu(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """the database uses at least 90 % of its CPUs, or more than anybody else of CPUs that are full
    or waited for, as L01 says
    """
    its, cpus = evidence.cpu_percent.get(DATABASE), evidence.cpus
    if its is None or not cpus:
        return
    alone = its >= 100 * FULL * cpus
    uses_most = next(iter(cpu.users_of_cpus(evidence))) == DATABASE
    if alone or (uses_most and cpu.awaited_cpus(evidence)):
        own_s = evidence.own_cpu_s
        each_s = its / 100 / evidence.rate if evidence.rate else None
        words = f"a request takes {format_duration(each_s)} of the database's CPU"
        if own_s:
            words += f" and {format_duration(own_s)} of the target's"
        yield {
            "says": "The database has no CPU left."
            if alone
            else "The database uses more of the CPUs than the target does.",
            "evidence": f"{cpu.cpus_words(evidence)}; {words}.",
            "fix": "Make the queries cheaper (EXPLAIN, an index, a cache), keep connections "
            "(CONN_MAX_AGE, a pool), or give the database CPUs or a machine of its own.",
            "gain": cpu.promised(
                evidence, cpus / own_s if own_s else None, "Without it these CPUs would answer"
            ),
        }


@bottleneck("L04b", "database-waits", explains=MEASURED)
def database_waits(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """at least 30 % of the sessions at work wait for a lock or for files; and the database is at
    work for half of the time that a request is in the server, or these waits are a quarter
    """
    if evidence.active_samples < SEEN:
        return
    of_kind = {
        kind: sum(share for event, share in evidence.waits.items() if event.split(":")[0] == kind)
        for kind in FIXES
    }
    total, kind = sum(of_kind.values()), max(of_kind, key=lambda kind: of_kind[kind])
    at_work = evidence.database_share or 0.0
    if total >= WAITING and (at_work >= MOST_OF_IT or total * at_work >= QUARTER):
        events = (event for event in evidence.waits if event.startswith(kind))
        worst = max(events, key=lambda event: evidence.waits[event])
        yield {
            "says": f"Queries wait inside the database, mostly for {worst}.",
            "evidence": f"{format_share(total)} of {format_count(evidence.active_samples)} "
            f"sessions that were seen at work waited, {format_share(evidence.waits[worst])}"
            f" for {worst}. {_its_time(evidence)}",
            "fix": FIXES[kind],
            "gain": _without(total * (evidence.database_s or 0.0), evidence.inside_s),
        }


@bottleneck("L04c", "repeated-queries", explains=(ITS_TIME,))
def repeated(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """diagnostic run: a request makes at least 10 equal queries from one line, which take at least
    20 % of its time
    """
    # N+1: the line is what the project can change.
    pages = evidence.diagnosis.pages if evidence.diagnosis else ()
    for page, query in [(of, query) for of in pages for query in of["shapes"]]:
        share = query["query_s"] / page["request_s"] if page["request_s"] else 0.0
        if query["times"] >= MANY and share >= LARGE:
            many = format_count(query["times"])
            yield {
                "says": f"{query['place']} makes {many} equal queries a request "
                f"({query['query']}).",
                "evidence": f"They take {format_share(share)} of the time of {page['page']}.",
                "fix": "Fetch them at once: select_related() or prefetch_related(), or one query "
                "before the loop.",
                "gain": f"Up to {format_share(share)} of its time.",
            }


@bottleneck("L04d", "connecting", explains=(ITS_TIME,))
def connecting(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """diagnostic run: opening and closing connections to the database takes at least 10 % of a
    request
    """
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
            f"{format_share(share)}.",
            "fix": f"Keep connections: {keep}",
            "gain": f"Up to {format_share(share)} of its time.",
        }


@bottleneck("L13", "sqlite")
def sqlite_locked(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """the log says that SQLite was locked by another writer"""
    if Reached.SQLITE in evidence.reached:
        yield {
            "says": "SQLite lets one writer in at a time, and others gave up.",
            "evidence": evidence.reached_words,
            "fix": 'In OPTIONS of DATABASES: "transaction_mode": "IMMEDIATE", a longer "timeout", '
            'and "init_command": "PRAGMA journal_mode=WAL"; or a database server.',
        }


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
OF: dict[str, str] = {Reached.THREADS: "threads", Reached.LOAD_FILES: "the load's open files"}
"""What a limit is of, where it is not of connections."""


@bottleneck("L05", "connections")
def connections(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """connections or database sessions were refused (B204), or the server may need more database
    connections than there are
    """
    refused = [one for one in evidence.reached if one not in (Reached.POOL, Reached.SQLITE)]
    limit, could = evidence.connections_limit, evidence.connections_wanted
    if refused:
        kinds = list(dict.fromkeys(OF.get(one, "connections") for one in refused))
        yield {
            "says": f"A limit of {listed(kinds)} was reached.",
            "evidence": evidence.reached_words,
            "fix": "Raise that limit (of a listen queue the backlog and net.core.somaxconn), or "
            "make fewer connections: fewer threads and processes, or a pool.",
        }
    elif limit and could and evidence.connections and could > limit:
        count = evidence.processes or 1
        at_once = f"{counted((evidence.slots or 0) // count, 'request')} at once"
        own = counted(evidence.threads or 1, "thread") if evidence.sets_threads else at_once
        each = f"a pool of {evidence.pool}" if evidence.pool else own
        yield {
            "says": "The server may need more database connections than the database gives.",
            "evidence": f"{counted(count, 'process')} with {each} each may hold "
            f"{counted(could, 'connection')}, and the limit is {limit}; "
            f"{evidence.connections} were open at once.",
            "fix": f"Raise max_connections to {could} and more, or use a pool.",
        }


@bottleneck("L06", "pool")
def pool(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """a process has more threads than its pool has connections, and all of these are open and
    execute queries 90 % of the time, or half as many requests again are in the server while CPUs
    are free; or the pool had none left
    """
    size, threads = evidence.pool, evidence.threads or 0
    each = evidence.slots // (evidence.processes or 1) if evidence.slots else threads
    if Reached.POOL in evidence.reached:
        of_size = f" of {size}" if size else ""
        yield {
            "says": f"Requests waited in vain for a connection of the pool{of_size}.",
            "evidence": evidence.reached_words,
            "fix": "Make the pool as large as what a process answers at once"
            f"{f' ({each})' * (each > 1)}.",
        }
    elif size and threads > size:
        # a request keeps its connection from its first query to its end, between queries, too
        connections = size * (evidence.processes or 1)
        computes = (evidence.busy_share or 0.0) >= BUSY or (evidence.busiest or 0.0) >= 100 * BUSY
        are_open = (evidence.connections or 0) >= connections and not computes
        held = are_open and (evidence.inside or 0.0) >= MORE * connections
        if not held and (evidence.active or 0.0) < EXECUTING * connections:
            return
        yield {
            "says": f"{threads} threads share a pool of {size} connections, and all are in use.",
            "evidence": f"{counted(evidence.processes or 1, 'process')} with {size} connections "
            f"each have {format_number(evidence.inside)} requests and "
            f"{format_number(evidence.active)} queries under way.",
            "fix": f"Make the pool as large as the threads (--pool={threads}), or use {size} "
            "threads.",
        }


NEARLY_ALL = 0.9
PRESSURE_PERCENT = 5.0
FAULTS_PER_S = 50.0
GROWN = 0.02  #: Of the memory, over the window.
DAY_S = 86_400.0
COLLECTING = 0.05
LONG = 0.25  #: Of the objective.


@bottleneck("L11", "stall")
def stalls(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """finding B205 says that answers wait for acknowledgements"""
    if evidence.stall:
        yield {
            "says": "Answers wait for a timer of TCP, not for the server.",
            "evidence": evidence.stall,
            "fix": "Take another server, put a proxy in front of it, or set TCP_NODELAY.",
        }


@bottleneck("L12", "memory")
def memory(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """the target has at least 90 % of the memory that it may have; or processes wait for memory at
    least 5 % of the time, or read back at least 50 pages a second
    """
    used, limit = evidence.memory_bytes, evidence.memory_limit_bytes
    waits, faults = evidence.memory_pressure_percent, evidence.major_faults_per_s
    signs = []
    if used and limit and used >= NEARLY_ALL * limit:
        signs.append(f"the target has {format_bytes(used)} of {format_bytes(limit)}")
    if (waits or 0.0) >= PRESSURE_PERCENT:
        signs.append(f"processes wait for memory {format_percent(waits)} of the time")
    if (faults or 0.0) >= FAULTS_PER_S:
        signs.append(f"{format_number(faults)} pages a second are read back from disk")
    if signs:
        text = "; ".join(signs)
        yield {
            "says": "There is too little memory.",
            "evidence": f"{text[:1].upper()}{text[1:]}.",
            "fix": "Use fewer processes with more threads, load the project before the server "
            "forks (preload), or add memory.",
        }


@bottleneck("L12a", "memory-grows", explains=())
def growing(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """the target's memory grows by at least 2 % over the window, in its later half, too, and at
    least 0.7 times as fast
    """
    grows, window_s, used = evidence.memory_grows, evidence.window_s, evidence.memory_bytes
    if not grows or not window_s or not used or not evidence.rate:
        return
    if grows * window_s >= GROWN * used:
        limit = evidence.memory_limit_bytes
        left_s = (limit - used) / grows if limit else DAY_S
        left = f": {format_bytes(limit)} are used up after {format_period(left_s)} more of this"
        yield {
            "says": "The target's memory grows and doesn't stop.",
            "evidence": f"It has {format_bytes(used)} and grows by "
            f"{format_bytes(grows / evidence.rate)} a request, {format_bytes(60 * grows)} a minute"
            f"{left if 0 < left_s < DAY_S else ''}.",
            "fix": "Find what keeps it (tracemalloc), such as a cache without a limit; until then, "
            "replace processes after so many requests, where the server can.",
        }


@bottleneck("L15", "gc", explains=(CPU, REST))
def collecting(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    """diagnostic run: pauses of the garbage collector take at least 5 % of the CPU time, or one
    takes a quarter of the objective
    """
    diagnosis = evidence.diagnosis
    if diagnosis is None:
        return
    much = diagnosis.collecting_share >= COLLECTING
    goal_s = evidence.objective_s
    if much or (goal_s is not None and diagnosis.longest_pause_s >= LONG * goal_s):
        yield {
            "says": "Pauses of the garbage collector hold up requests.",
            "evidence": f"They take {format_share(diagnosis.collecting_share)} of the CPU "
            f"time; the longest took {format_duration(diagnosis.longest_pause_s)}.",
            "fix": "Call gc.freeze() once the project is loaded, and raise gc.set_threshold().",
            "gain": f"Up to {format_share(diagnosis.collecting_share)} of the CPU time."
            if much
            else "",
        }


LOOK = {
    Common.PERIOD: "Look for what runs so often: timers, threads, cron jobs, the garbage collector "
    "(--diagnose times it), autovacuum or checkpoints of the database.",
    Common.PROCESS: "Look at what such a process does beside its answers, and what it lacks: its "
    "log, its CPU, a cache of its own, more connections than the others have.",
    Common.CONNECTION: "Look at what such connections share: the process or thread that serves "
    "them, the server behind a proxy, the data of their users.",
}


@bottleneck(
    "L16",
    "slow-for-some",
    when="slow answers come in equal turns, or from few processes or connections, by more than "
    f"chance (0.1 %), and without them p99 would be at least {100 * (1 - LOWER):.0f} % lower (or "
    "p99.9, p95, the longest answer)",
    explains=(),
    unless=("L11",),
)
def slow_for_some(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    for pattern in evidence.patterns:
        what = "processes" if pattern.common is Common.PROCESS else "connections"
        verb = "is" if pattern.slow == 1 else "are"
        says = f"{pattern.slow} of {pattern.groups} {what} {verb} slower than the others."
        if pattern.common is Common.PERIOD:
            period, length = map(format_duration, (pattern.period_s, pattern.length_s))
            says = f"Every {period}, answers are held up for {length}."
        limited = "the longest" if pattern.percent == LONGEST else f"p{pattern.percent:g}"
        yield {
            "says": says,
            "evidence": f"{format_share(pattern.share)} of the answers: without them, "
            f"{limited} would be {format_duration(pattern.without_s)} instead of "
            f"{format_duration(pattern.at_s)}.",
            "fix": LOOK[pattern.common],
        }
