"""Whether WebSockets kept their messages and connections, and memory per connection can be told:
B209, B210, B215, B216 and B303.
"""

from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.samples import EVENT
from benchsuite.core.units import format_bytes, format_count, format_duration, format_percent
from benchsuite.findings.registry import Rule, finding
from benchsuite.stats.slope import FEWEST_STEPS

ABOUT = (0.9, 1.5)  #: A time-out is noticed so much earlier (coarse clocks) or later.


@finding(
    "B209",
    "messages-astray",
    of="WebSocket messages that came twice, out of order, damaged or to another connection",
    weak=0,
    invalid=1,
)
def astray(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Messages that nobody waited for: a server that sends one twice may well have lost others."""
    found = evidence.accounts
    if found is None or not found.strays:
        return
    counts = {
        "came twice": found.duplicated,
        "came out of order": found.reordered,
        "came damaged": found.corrupt,
        "came to another connection": found.misdirected,
    }
    words = ", ".join(f"{format_count(count)} {what}" for what, count in counts.items() if count)
    if level := rule.level(found.strays / max(found.messages, 1) * 100):
        yield rule.found(
            level,
            f"Of {format_count(found.messages)} {_said(evidence)} {words}.",
            hint="The server, the channel layer or a proxy between them mixes messages up: the "
            "server's log may say why. A stream of events begins after its Last-Event-ID.",
        )


@finding(
    "B210",
    "connections-ended",
    of="WebSockets that were not opened, or not ended, as they should be",
    weak=0,
    invalid=5,
)
def ended(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Connections that somebody else ended, or that never were or never ended as they should."""
    found = evidence.accounts
    if found is None:
        return
    wrong = found.closed_early + found.broken + found.handshakes_failed + found.closings_failed
    level = rule.level(wrong / max(found.handshakes, 1) * 100)
    if level is None:
        return
    parts = []
    if found.closed_early:
        codes = ", ".join(f"{format_count(count)} × {code}" for code, count in found.closes.items())
        how = f" ({codes})" if codes else ""
        parts.append(f"{format_count(found.closed_early)} were ended by the server{how}")
    if found.broken:
        parts.append(
            f"{format_count(found.broken)} were ended by the load, as the server broke the protocol"
        )
    if found.handshakes_failed:
        what = "had no first event" if evidence.unit == EVENT else "handshakes failed"
        parts.append(f"{format_count(found.handshakes_failed)} {what}")
    if found.closings_failed:
        parts.append(f"{format_count(found.closings_failed)} closing handshakes were not answered")
    yield rule.found(
        level,
        f"Of {format_count(found.handshakes)} connections {', '.join(parts)}{_cause(evidence)}.",
        hint=_advice(evidence),
    )


def _said(evidence: Evidence) -> str:
    return "events" if evidence.unit == EVENT else "messages"


def _cause(evidence: Evidence) -> str:
    """What consumers raised, if any did."""
    return f"; the server's error: {evidence.socket_errors[0]}" if evidence.socket_errors else ""


def _advice(evidence: Evidence) -> str:
    """What may be behind it; a time-out where connections were cut after just as long a silence."""
    found, limit_s = evidence.accounts, evidence.front_timeout_s
    silence_s = found.silence_s if found else None
    if evidence.unit == EVENT:
        return (
            "A server that gives each stream a thread has room for as many as it has threads; "
            "time-outs of workers and proxies end streams, too. Look at the log."
        )
    if silence_s is None:
        return (
            "1009 is a message that was too big, 1011 an error in the application, 1012 and 1013 a "
            "server that wants to be left alone: look at its log."
        )
    cut = f"Those without a close frame (1006) had been silent for {format_duration(silence_s)}"
    if limit_s is not None and ABOUT[0] <= silence_s / limit_s <= ABOUT[1]:
        return (
            f"{cut}: the front ends what is silent for {limit_s:g} s. Give it more with "
            "--front-option timeout_s=…, or let messages or pings pass more often."
        )
    return f"{cut}: a time-out of the server or layer, a crash, or a proxy. Look at the log."


@finding(
    "B215",
    "memory-kept",
    of="memory that each closed WebSocket leaves behind (the lower end of its interval)",
    unit=" bytes",
    weak=1024,
)
def memory_kept(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """A target that grows with each connection it has closed runs full one day."""
    closed = evidence.closed
    if closed is None or closed.each_bytes is None:
        return
    if level := rule.level(closed.low_bytes):
        yield rule.found(
            level,
            f"Each connection that was closed left {format_bytes(closed.each_bytes)} "
            f"behind in the target's memory, of {format_count(closed.steps[-1][0])} connections.",
            hint="A longer window tells a leak, which goes on, from caches that fill up: look at "
            "what consumers keep after disconnect, and at groups that are never left.",
        )


@finding("B216", "not-back", of="WebSockets that never came back after all were cut", weak=0)
def not_back(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """After a reconnect storm somebody is still outside."""
    found = evidence.recovery
    if found is None:
        return
    if level := rule.level(found.cut - found.back):
        yield rule.found(
            level,
            f"{format_count(found.cut - found.back)} of {format_count(found.cut)} "
            f"connections that were cut never came back; {format_count(found.failed)} handshakes "
            "failed.",
            hint="The window ended before, or the server turns connections away: a longer "
            "--duration tells which.",
        )


@finding(
    "B303",
    "unsure-slope",
    of="half the interval of the memory per connection, of it",
    weak=10,
    invalid=50,
    invalid_words="or fewer than three steps",
)
def unsure_slope(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Memory per connection is a slope: without steps enough, or with steps that lie about, it says
    nothing.
    """
    idle = evidence.idle
    if idle is None:
        return
    if idle.each_bytes is None or idle.low_bytes is None or idle.high_bytes is None:
        yield rule.found(
            Level.INVALID,
            f"Memory was read at {len(idle.steps)} numbers of connections; {FEWEST_STEPS} "
            "are the least that show a slope.",
            hint="Give the load more --stages, or the workload more steps.",
        )
        return
    half = (idle.high_bytes - idle.low_bytes) / 2
    percent = half / abs(idle.each_bytes) * 100 if idle.each_bytes else 100.0
    if level := rule.level(percent):
        yield rule.found(
            level,
            f"A connection takes between {format_bytes(idle.low_bytes)} and "
            f"{format_bytes(idle.high_bytes)}: that is "
            f"{format_percent(percent)} to either side.",
            hint="Use more --connections, so that they weigh more than what the server does by "
            "itself, and give each step more --warmup.",
        )
