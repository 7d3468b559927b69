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
    if found is None:
        return
    if level := rule.level(found.strays / max(found.messages, 1) * 100):
        counts = {
            "came twice": found.duplicated,
            "came out of order": found.reordered,
            "came damaged": found.corrupt,
            "came to another connection": found.misdirected,
        }
        words = [f"{format_count(count)} {what}" for what, count in counts.items() if count]
        said = "events" if evidence.unit == EVENT else "messages"
        yield rule.found(
            level,
            f"Of {format_count(found.messages)} {said}, {', '.join(words)}.",
            hint="The server, the channel layer or a proxy between them mixes messages up: the "
            "server's log may say why. A stream of events must begin after its Last-Event-ID.",
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
    codes = ", ".join(f"{format_count(count)} × {code}" for code, count in found.closes.items())
    how = f" ({codes})" if codes else ""
    opening = "had no first event" if evidence.unit == EVENT else "handshakes failed"
    counts = {
        f"were ended by the server{how}": found.closed_early,
        "were ended by the load because the server broke the protocol": found.broken,
        opening: found.handshakes_failed,
        "closing handshakes were not answered": found.closings_failed,
    }
    if level := rule.level(sum(counts.values()) / max(found.handshakes, 1) * 100):
        words = [f"{format_count(count)} {what}" for what, count in counts.items() if count]
        error = "".join(f"; the server's error: {one}" for one in evidence.socket_errors[:1])
        yield rule.found(
            level,
            f"Of {format_count(found.handshakes)} connections, {', '.join(words)}{error}.",
            hint=_advice(evidence, found.silence_s),
        )


def _advice(evidence: Evidence, silence_s: float | None) -> str:
    """What may be behind it; a time-out where connections were cut after just as long a silence."""
    limit_s = evidence.front_timeout_s
    if evidence.unit == EVENT:
        return (
            "A server that gives each stream a thread has room for as many streams as it has "
            "threads; time-outs of workers and proxies end streams, too. See its log."
        )
    if silence_s is None:
        return (
            "1009 is a message that was too big, 1011 an error in the application, 1012 and 1013 a "
            "server that restarts or is overloaded: see its log."
        )
    cut = f"Those without a close frame (1006) had been silent for {format_duration(silence_s)}"
    if limit_s is not None and ABOUT[0] <= silence_s / limit_s <= ABOUT[1]:
        return (
            f"{cut}: the front ends what is silent for {limit_s:g} s. Raise that with "
            "--front-option timeout_s=…, or send messages or pings more often."
        )
    return f"{cut}: a time-out of the server or layer, a crash, or a proxy. See its log."


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
            f"Each of {format_count(closed.steps[-1][0])} closed connections left "
            f"{format_bytes(closed.each_bytes)} behind in the target's memory.",
            hint="A longer window tells a leak, which goes on, from caches that fill up. Look for "
            "what consumers keep after disconnect, and for groups that are never left.",
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
            f"{format_count(found.cut - found.back)} of {format_count(found.cut)} connections that "
            f"were cut never came back; {format_count(found.failed)} handshakes failed.",
            hint="The window was too short, or the server turns connections away: a longer "
            "--duration tells which.",
        )


@finding(
    "B303",
    "unsure-slope",
    of="half the interval of the memory per connection, of it",
    weak=10,
    invalid=50,
    invalid_words=f"or fewer than {FEWEST_STEPS} steps",
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
            f"Memory was read at {len(idle.steps)} numbers of connections; a slope needs at least "
            f"{FEWEST_STEPS}.",
            hint="Use more --stages, or a workload with more steps.",
        )
        return
    half = (idle.high_bytes - idle.low_bytes) / 2
    percent = half / abs(idle.each_bytes) * 100 if idle.each_bytes else 100.0
    if level := rule.level(percent):
        yield rule.found(
            level,
            f"A connection takes between {format_bytes(idle.low_bytes)} and "
            f"{format_bytes(idle.high_bytes)}: {format_percent(percent)} to either side.",
            hint="Use more --connections, so that they weigh more than what the server does by "
            "itself, and a longer --warmup for each step.",
        )
