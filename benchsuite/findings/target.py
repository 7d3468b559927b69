"""Whether the target was there, whole, served everyone and kept what it got, and was more than its
front: B201 to B206, B208 and B211 to B214.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import fmean, median

from benchsuite.core.observations import BESIDE_ROWS, Evidence
from benchsuite.core.results import Finding, Interval, Level, Reached, Summary
from benchsuite.core.samples import ABNORMAL, ANSWERED, EVENT, MESSAGE, Kind
from benchsuite.core.units import counted, format_count, format_duration, format_percent, listed
from benchsuite.findings.registry import INFORMATIONAL, Rule, also, finding
from benchsuite.stats import histogram
from benchsuite.stats.levels import FAILED
from benchsuite.stats.signs import IN_VAIN, STARVED_SHARE

CRASHES = 3  #: So many ends, and half as many requests lost: it crashes again and again.
CONNECT_AGAIN_S = 1.0  #: After it a connection left out of a full queue tries again (RFC 6298).
FEWEST_ROUNDS = 4  #: Where none of so many rounds shows a page that waits, it doesn't.
SILENT_S = 3  #: Shorter silences may be chance,
FEWEST_MISSED = 20  #: as may those in which fewer answers were due.
AWAITING = 0.5  #: So many of the users must wait meanwhile.
EDGE_S = 0.01
FEWEST_ANSWERS = 10  #: That a user must get on average before a share can be told,
FEW_ANSWERS = 3  #: and where most get nothing, which is no chance.

EXAMPLE_CHARACTERS = 300  #: How much of a failure's own words a finding repeats.
NO_SESSION = ("too many clients already", "remaining connection slots are reserved")
"""What PostgreSQL logs for each session that it refuses."""

FULL = (
    *((sign, Reached.SESSIONS) for sign in NO_SESSION),
    (r"(FATAL|OperationalError).*too many connections", Reached.SESSIONS),
    (r"(OperationalError|PoolTimeout).*couldn't get a connection after", Reached.POOL),
    (r"OperationalError.*database is locked", Reached.SQLITE),
    (r"(\[Errno 24\]|\(24:|EMFILE|accept).*too many open files", Reached.FILES),
    (r"RuntimeError: can't start new thread", Reached.THREADS),
)
"""What a log says when something is used up, with who says it: a project may use the words."""

HERE = (
    (r"(?m)^(?!status \d).*cannot assign requested address", Reached.PORTS),
    (r"(?m)^(?!status \d).*too many open files", Reached.LOAD_FILES),
)
"""What a failed request says when something is used up before it gets to the target, which would
have answered with a status."""

LIMITS = {
    Reached.LISTEN_QUEUE: "connections found a full listen queue",
    Reached.SESSIONS: "the database had no connection left",
    Reached.POOL: "the database pool had no connection left",
    Reached.SQLITE: "SQLite was locked by another writer",
    Reached.FILES: "the target had no file descriptor left",
    Reached.THREADS: "the target could start no more threads",
    Reached.PORTS: "this machine had no port left to connect from",
    Reached.LOAD_FILES: "the load process had no file descriptor left",
}


def inside(evidence: Evidence) -> list[Interval]:
    """The whole seconds of the window."""
    begin, end = evidence.window or (math.inf, math.inf)
    return [
        interval
        for interval in evidence.intervals
        if interval.second >= begin - EDGE_S and interval.second + 1 <= end + EDGE_S
    ]


@finding("B201", "failures", weak=0.1, invalid=100 * FAILED, by_stage=True, beyond=True)
def failures(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """failed requests"""
    if evidence.total is not None:
        yield from _failed_share(rule, evidence.units, [evidence.total])


@also("B201", by_stage=True)
def waited_in_vain(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Where most requests wait through the whole window, hardly any is left to fail in it."""
    total, waited = evidence.total, evidence.in_vain
    if total is None or waited <= total.requests - total.failures:
        return
    if any(failures(evidence)):
        return
    percent = (waited + total.failures) / (waited + total.requests) * 100
    yield from rule.weighed(
        percent,
        f"{format_count(waited)} {evidence.units} waited through the whole window and were "
        f"never answered; {format_count(total.requests - total.failures)} succeeded in it.",
        hint="See the server's log, and B206.",
    )


@also("B201")
def silence(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Where the target stops answering, few requests are there to fail: users wait, and send none.
    Those who are answered after all have waited through the silence, which their times show.
    """
    total, seconds = evidence.total, inside(evidence)
    gaps = ([*gap] for is_silent, gap in groupby(seconds, lambda at: not at.successes) if is_silent)
    gap = max(gaps, key=len, default=[])
    silent_s, begin = len(gap), evidence.window[0] if evidence.window else 0.0
    if total is None or not SILENT_S <= silent_s < len(seconds):
        return
    missed = total.goodput * len(seconds) / (len(seconds) - silent_s) * silent_s
    later = (at for at in evidence.intervals if at.second > gap[-1].second and at.successes)
    waited_s = longest_s(ended_by) if (ended_by := next(later, None)) else 0.0
    if missed < FEWEST_MISSED or waited_s >= silent_s - 1:
        return
    # users may all pause at once; arrivals pile up
    arrived, awaiting_s = evidence.arrived_per_s, float(sum(at.users or 0 for at in gap))
    if arrived is not None:
        awaiting_s = arrived * silent_s**2 / 2
    under_way, times = evidence.under_way or total.concurrency or 0.0, total.response_time
    in_vain_s = under_way * len(seconds) - (times.mean_s or 0.0) * times.count
    if in_vain_s < AWAITING * awaiting_s:
        return
    wrong = sum(total.failures_by_kind.get(kind.words, 0) for kind in ANSWERED)
    if sum(at.failures for at in gap) > 2 * (total.failures - wrong):
        return  # somebody was answered, if wrongly
    to = " to its end" if gap[-1] is seconds[-1] else ""
    yield from rule.weighed(
        silent_s / len(seconds) * 100,
        f"Nobody was answered for {silent_s} s of the window, from second "
        f"{round(gap[0].second - begin)} on{to}; the {evidence.units} then under way were never "
        "answered.",
        hint="The server may wait for a lock or a restart, or be out of threads or connections.",
    )


def longest_s(interval: Interval) -> float:
    """The longest time of the answers of a second that has some."""
    if not interval.histogram:
        return interval.p50_s or 0.0
    return histogram.values_at(histogram.decode(interval.histogram), [100])[100]


@also("B201")
def failed_journeys(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Journeys that failed though their requests were answered."""
    if not any(any(failures(stage)) for stage in evidence.stages or [evidence]):
        yield from _failed_share(rule, "journeys", evidence.journeys)


def _failed_share(rule: Rule, what: str, summaries: Sequence[Summary]) -> Iterator[Finding]:
    made = sum(summary.requests for summary in summaries)
    failed = sum(summary.failures for summary in summaries)
    percent = failed / made * 100 if made else 0.0
    if rule.level(percent):
        kinds: Counter[str] = Counter()
        for summary in summaries:
            kinds.update(summary.failures_by_kind)
        words = ", ".join(f"{format_count(count)} × {kind}" for kind, count in kinds.most_common())
        most = kinds.most_common(1)[0][0]
        examples = (" ".join(one.failure_examples.get(most, "").split()) for one in summaries)
        first = next(filter(None, (text.rstrip(".") for text in examples)), "")
        example = f", such as: {first[:EXAMPLE_CHARACTERS]}" if first else ""
        hint = "See the server's log; times are those of the successes only."
        if most == Kind.JOURNEY_ERROR.words:
            hint = "Their requests were answered: see the messages of the journeys below."
            if what != "journeys":
                hint = "The locustfile raised it, at the line that the message names."
        elif most in {kind.words for kind in IN_VAIN}:
            hint = (
                "See the server's log. If it says nothing, use less load, or give answers "
                "more time (--timeout, --drain)."
            )
        elif most == Kind.THROTTLED.words:
            hint = (
                "Status 429 says that more is asked than is let through: lift its throttling for "
                "the run, such as by --setting=REST_FRAMEWORK.DEFAULT_THROTTLE_CLASSES=[]."
            )
        message = f"{format_percent(percent)} of the {what} failed ({words}){example}."
        yield from rule.weighed(percent, message, hint=hint)


@finding("B212", "sent-again", weak=0.1, invalid=5, by_stage=True)
def sent_again(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """requests that were sent a second time"""
    total = evidence.total
    if total is None or not total.requests:
        return
    percent = total.resent / total.requests * 100
    yield from rule.weighed(
        percent,
        f"{format_percent(percent)} of the requests ({format_count(total.resent)}) were sent a "
        "second time, because the server closed an idle connection without an answer.",
        hint="With --no-keep-alive dropped requests are failures; without any, the time-out of "
        "idle connections is about as long as users think, and crosses their next request.",
    )


@finding("B202", "wrong-responder", unit="", invalid=0, of_others=True)
def wrong_responder(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """answers without the run's header"""
    count = _failed(evidence, Kind.WRONG_RESPONDER)
    yield from rule.weighed(
        count,
        f"{counted(count, 'answer')} lacked the header that the run's server adds to each.",
        hint="Where the target saw the requests itself (B213), a front or middleware removed the "
        "header; else another server answers on the port (ss -ltnp lists those).",
    )


@finding("B213", "answered-elsewhere", weak=1, invalid=5, of_others=True)
def answered_elsewhere(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """answers to requests that the target never saw"""
    asked = evidence.asked
    if asked is None or asked.seen is None or not asked.answered:
        return
    yield from rule.weighed(
        (asked.answered - asked.seen) / asked.answered * 100,
        f"{format_count(asked.answered)} requests were answered, but the target saw only "
        f"{format_count(asked.seen)}: something else answered the others.",
        hint="Look for a cache before the project: in a front, in middleware around its "
        "application. The answers' Age and Via headers may name it.",
    )


@finding(
    "B203",
    "target-died",
    unit="",
    weak_words="one replaced, and a request lost",
    invalid_words="one not replaced",
)
def died(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """processes of the server that ended"""
    turnover = evidence.turnover
    if evidence.died:
        yield rule.finding(
            Level.INVALID,
            f"{evidence.died} ended while the server was being measured.",
            hint="See the last lines of its log.",
        )
    elif turnover is not None and turnover.gone:
        yield rule.finding(
            Level.INVALID,
            f"{format_count(turnover.gone)} of the server's processes ended in the window and were "
            "not replaced.",
            hint="See the server's log; what was measured is a smaller server.",
            value=turnover.gone,
        )
    elif turnover is not None and turnover.replaced:
        # what found no process, or whose process ended; a front answers 502 for it
        kinds = BEHIND_FRONT if any(one.front for one in (evidence, *evidence.stages)) else LOST
        again = evidence.total.resent if evidence.total else 0
        cut = evidence.accounts.closes.get(ABNORMAL, 0) if evidence.accounts else 0
        failed = sum(_failed(evidence, kind) for kind in kinds)
        many, lost = turnover.replaced, cut or again + failed
        again_and_again = many >= CRASHES and lost >= many / 2
        level = Level.INVALID if again_and_again else Level.WEAK if lost else Level.INFO
        what = "connection" if cut else "request"
        with_them = f", and {counted(lost, what)} got lost" if lost else ""
        hint = {
            Level.INVALID: "See the server's log for why they end again and again.",
            Level.WEAK: "See the server's log for why they ended.",
            Level.INFO: "No request was lost, as where a server recycles its processes; its "
            "figures include that.",
        }
        yield rule.finding(
            level,
            f"{format_count(many)} of the server's processes ended in the window and were "
            f"replaced{with_them}.",
            hint=hint[level],
            value=many,
        )


LOST = (Kind.CONNECT_REFUSED, Kind.RESET, Kind.TRUNCATED, Kind.WEBSOCKET_CLOSED)
"""What a request meets whose process ends."""
BEHIND_FRONT = (*LOST, Kind.HTTP_STATUS)


UNHEARD = (Kind.CONNECT_REFUSED, Kind.CONNECT_TIMEOUT, Kind.RESET, Kind.READ_TIMEOUT)
"""How a connection may fail that a full listen queue left out."""


@finding("B204", "target-limit", unit="", weak=0)
def turned_away(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """limits that were reached"""
    if evidence.died:
        return
    counts: dict[Reached, str] = {}  # or nothing, where a limit was reached who knows how often
    overflows = evidence.host.listen_overflows if evidence.host else None
    if overflows and _connected_late(evidence):
        counts[Reached.LISTEN_QUEUE] = f"{format_count(overflows)} "
    if evidence.sessions_refused:
        counts[Reached.SESSIONS] = f"{format_count(evidence.sessions_refused)} × "
    failing = [*evidence.handshakes, *filter(None, [evidence.total])]
    examples = "\n".join(text for one in failing for text in one.failure_examples.values())
    for text, signs in ((evidence.log, FULL), (examples, HERE)):
        for sign, limit in signs:
            if re.search(sign, text, re.IGNORECASE):
                counts.setdefault(limit, "")
    words = "; ".join(f"{count}{LIMITS[limit]}" for limit, count in counts.items())
    yield from rule.weighed(
        len(counts),
        f"A limit was reached: {words}.",
        hint="Raise that limit, or use less load."
        + " Ports last longer when connections are kept." * (Reached.PORTS in counts),
        causes=tuple(counts),
    )


@finding("B205", "stall", weak=10)
def stall(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """answers 40 ms or 200 ms longer than the fastest, by a target that waits for acknowledgements

    A server that sends head and body apart waits with the second until the first is acknowledged
    (Nagle, RFC 896), which the client delays for 40 ms on Linux, 200 ms elsewhere (RFC 1122). A
    target that answers at once to who acknowledges at once is no page that works as long.
    """
    cluster, asked = evidence.cluster, evidence.stall
    if cluster is None or not (level := rule.level(cluster.percent)):
        return
    longer = (
        f"{format_percent(cluster.percent)} of the answers took just over "
        f"{format_duration(cluster.at_s)} longer than the fastest."
    )
    if asked is not None and len(asked.rounds) >= FEWEST_ROUNDS and asked.is_shown:
        times = asked.medians
        yield rule.finding(
            level,
            f"{longer} Asked again, the page took {format_duration(times.kept_s)} on a kept "
            f"connection, {format_duration(times.fresh_s)} on a new one, and "
            f"{format_duration(times.prompt_s)} when each piece was acknowledged at once.",
            hint="The server writes an answer in pieces and waits for an acknowledgement (Nagle's "
            "algorithm and delayed ACK): use another server, put a proxy in front of it, or set "
            "TCP_NODELAY.",
            value=cluster.percent,
        )


@finding("B206", "starvation", weak=0, invalid=50, by_stage=True, beyond=True)
def starvation(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """users with less than a tenth of their share (closed model)"""
    # Some users are served all the time, and others never: their waiting is in no percentile.
    counts = evidence.answers_by_user
    # a user's share is the median or, where most get nothing, the mean
    share = max(median(counts), fmean(counts)) if len(counts) > 1 else 0
    starved = sum(count < STARVED_SHARE * share for count in counts)
    if share < (FEW_ANSWERS if 2 * starved > len(counts) else FEWEST_ANSWERS):
        return
    yield from rule.weighed(
        starved / len(counts) * 100,
        f"{format_count(starved)} of {format_count(len(counts))} {evidence.who} got less than a "
        f"tenth of the {format_count(share)} answers that were their share.",
        hint="A server that gives its slots to connections, not to requests, serves all alike with "
        "--no-keep-alive, with as many threads as connections, or behind a proxy. Else see what "
        "those pages wait for, such as a lock.",
    )


def starves(evidence: Evidence) -> bool:
    """Whether most wait in vain: figures of those served then don't account for all."""
    return any(found.level is Level.INVALID for found in starvation(evidence))


def _connected_late(evidence: Evidence) -> bool:
    """Whether one of our own connections may have been left out of a full queue: the kernel counts
    for the whole machine, but who is left out asks again after a second or more.
    """
    connecting = evidence.handshakes if evidence.unit in (MESSAGE, EVENT) else [evidence.total]
    return any(
        any(one.failures_by_kind.get(kind.words) for kind in UNHEARD)
        or (one.service_time.max_s or 0.0) >= CONNECT_AGAIN_S
        for one in connecting
        if one is not None
    )


@finding(
    "B208",
    "not-stored",
    unit="",
    weak_words="where some rehearsed completions left no row",
    invalid=0,
)
def not_stored(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """completions that the database has too few, or too many"""
    if evidence.unheld:
        yield rule.finding(
            Level.INFO,
            evidence.unheld,
            hint="The load's completions are not held to rows. Pages that only search, or change "
            "rows that exist, leave none; a journey that counts what it leaves by count() is held "
            "to that.",
        )
    stored = evidence.stored
    if stored is None or stored.agrees:
        return
    where = f"{stored.table} gained {{}} rows" if stored.table else "{} are stored"
    if stored.table in BESIDE_ROWS:
        where = f"{{}} {stored.table}"
    words = f"{format_count(stored.completions or stored.claimed)} completions were seen, but "
    words += f"{where.format(format_count(stored.stored))}."
    if stored.table:
        left = [*map(str, stored.left)] if len({*stored.left}) > 1 else [f"{stored.left[0]} each"]
        words += f" Those rehearsed left {listed(left)}."
    if stored.excuse:
        words += f" {stored.excuse}"
    level = Level.INFO if stored.excuse else Level.INVALID if all(stored.left) else Level.WEAK
    hint = "More was stored than was confirmed: do the view, or a proxy that sends requests again, "
    hint += "act twice?"
    if stored.excuse:
        hint = "Let the journey count what it leaves, by count(), to have a loss told."
    elif stored.stored < stored.claimed:
        hint = "What was confirmed is not there: the log may say why."
    yield rule.finding(level, words, hint=hint, value=abs(stored.stored - stored.claimed))


@finding("B214", "not-checked", weak_words=INFORMATIONAL)
def not_checked(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """what answers say that nobody checked"""
    if evidence.unchecked:
        yield rule.finding(
            Level.INFO,
            evidence.unchecked,
            hint="Require what only the right answer holds: texts by --expect with --path, or an "
            'AnswerError in the journey. A journey that checks everything has unchecked = "".',
        )


def _failed(evidence: Evidence, kind: Kind) -> int:
    return evidence.total.failures_by_kind.get(kind.words, 0) if evidence.total else 0


USED_UP_PERCENT = 90.0  #: CPUs of which more is used have no time left worth mentioning.


@finding("B211", "front-limit", weak=70, weak_words="or more than all others", by_stage=True)
def front_limit(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """CPU share of the front, of what it can use; or its part of CPUs that are used up

    Servers behind a front that is at its limit come out equal, however different they are.
    """
    seen = evidence.front
    if seen is None:
        return
    front_cpus, target_cpus = (min(one, seen.cpus) for one in (seen.front_cpus, seen.target_cpus))
    front, target = seen.front_percent / front_cpus, seen.target_percent / target_cpus
    rest = seen.answering_percent - seen.front_percent
    if rule.level(front) and not rule.level(target):
        percent = front
        message = (
            f"{seen.name} used {format_percent(front)} of {counted(front_cpus, 'CPU')}, which is "
            "all that it can use, and the target "
            f"{format_percent(target)} of {counted(target_cpus, 'CPU')}."
        )
    elif seen.answering_percent > USED_UP_PERCENT * seen.cpus and seen.front_percent > rest:
        percent = seen.front_percent / seen.answering_percent * 100
        message = (
            f"Front, target and services together used up {counted(seen.cpus, 'CPU')}, and "
            f"{seen.name} took {format_percent(percent)} of that."
        )
    else:
        return
    yield rule.finding(
        Level.WEAK,
        message,
        hint="Another server behind it would come out much the same: give the front more processes "
        "or threads, with CPUs for them, or less to do (TLS, new connections), or measure without "
        "it.",
        value=percent,
    )
