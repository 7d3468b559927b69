"""Whether WebSockets, their channel layer and the target's memory are sound: B207, B209, B210, B215
to B217 and B303.
"""

from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Accounts, Finding, Level
from benchsuite.core.samples import EVENT
from benchsuite.core.units import (
    counted,
    format_bytes,
    format_count,
    format_duration,
    format_percent,
)
from benchsuite.findings.registry import Rule, also, finding
from benchsuite.stats.steady import FEWEST_STEPS, growth


@finding("B209", "messages-astray", weak=0, invalid=1)
def astray(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """WebSocket messages that came twice, out of order, damaged or to another connection"""
    accounts = evidence.accounts
    if accounts is None:
        return
    counts = {
        "came twice": accounts.duplicated,
        "came out of order": accounts.reordered,
        "came damaged": accounts.corrupt,
        "came to another connection": accounts.misdirected,
    }
    words = [f"{format_count(count)} {what}" for what, count in counts.items() if count]
    unit = "events" if evidence.unit == EVENT else "messages"
    yield from rule.weighed(
        accounts.strays / max(accounts.messages, 1) * 100,
        f"Of {format_count(accounts.messages)} {unit}, {', '.join(words)}.",
        hint="The server, the channel layer or a proxy between them mixes messages up: the "
        "server's log may say why. A stream of events must begin after its Last-Event-ID.",
    )


@finding("B210", "connections-ended", weak=0, invalid=5)
def ended(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """WebSockets that were not opened, or not ended, as they should be"""
    accounts = evidence.accounts
    if accounts is None:
        return
    codes = ", ".join(f"{format_count(count)} × {code}" for code, count in accounts.closes.items())
    how = f" ({codes})" if codes else ""
    opening = "had no first event" if evidence.unit == EVENT else "failed in the handshake"
    examples = [text for part in evidence.handshakes for text in part.failure_examples.values()]
    why = f" ({examples[0].rstrip('.')})" if examples else ""
    counts = {
        f"were ended by the server{how}": accounts.closed_early,
        "were ended by the load because the server broke the protocol": accounts.broken,
        f"{opening}{why}": accounts.handshakes_failed,
        "got no answer to a close frame": accounts.closings_failed,
    }
    words = [f"{format_count(count)} {what}" for what, count in counts.items() if count]
    error = "".join(f"; the server's error: {one}" for one in evidence.socket_errors[:1])
    yield from rule.weighed(
        sum(counts.values()) / max(accounts.handshakes, 1) * 100,
        f"Of {format_count(accounts.handshakes)} connections, {', '.join(words)}{error}.",
        hint=_advice(evidence, accounts),
    )


def _advice(evidence: Evidence, accounts: Accounts) -> str:
    if evidence.unit == EVENT:
        return (
            "A server that gives each stream a thread has room for as many streams as it has "
            "threads; time-outs of workers and proxies end streams, too. See its log."
        )
    if accounts.silence_s is not None:
        silence = format_duration(accounts.silence_s)
        return (
            f"Those without a close frame (1006) had been silent for {silence}: an error in the "
            "application, a crash or, after a long silence, a time-out of the server, its front "
            "(--front-option timeout_s=…) or the layer. See its log."
        )
    if accounts.closes:
        return (
            "1009 is a message that was too big, 1011 an error in the application or its layer "
            "(docs/channels.md), 1012 and 1013 a server that restarts or is overloaded; 4000 and "
            "above are the application's own."
        )
    return "The server's log may say why; consumers that are slow to disconnect close late."


@finding("B216", "not-back", unit="", weak=0)
def not_back(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """WebSockets that never came back after all were cut"""
    recovery = evidence.recovery
    if recovery is None:
        return
    yield from rule.weighed(
        away := recovery.cut - recovery.back,
        f"{format_count(away)} of {format_count(recovery.cut)} connections that were cut never "
        f"came back; {counted(recovery.failed, 'handshake')} failed.",
        hint="The window was too short, or the server turns connections away: a longer "
        "--duration tells which.",
    )


@finding("B207", "layer", unit="", weak=0, invalid_words="messages lost, or refused before the run")
def dropped(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """messages that the channel layer dropped; processes that a layer in memory can't join"""
    count = evidence.left_out or 0
    yield from rule.weighed(
        count,
        f"The channel layer dropped messages {counted(count, 'time')} because channels were over "
        "capacity.",
        hint="Consumers take messages more slowly than they are sent: raise capacity in the "
        "layer's CONFIG (100 messages a channel by default), or send less. In channels_redis "
        "the connections of a process share a channel: a slow one costs the others messages. "
        "Or consumers end without leaving their group, as by an error in send() to a client that "
        "has gone (uvicorn): what is sent to them is never taken; catch it, and leave.",
    )


@also("B207")
def kept_apart(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """A layer in memory behind several processes; invalid where messages were lost with it."""
    if evidence.layers_apart < 2 or evidence.accounts is None:
        return
    lost = evidence.accounts.lost
    and_lost = f", and {counted(lost, 'message')} got lost" if lost else ""
    yield rule.finding(
        Level.INVALID if lost else Level.INFO,
        f"The project's channel layer is in memory, so it stays within each of the "
        f"{format_count(evidence.layers_apart)} processes{and_lost}.",
        hint="A message to a group reaches only the connections of the sender's process: use "
        "--layer=redis, or one process.",
        value=lost,
    )


MINUTE_S = 60.0


@finding("B215", "memory-kept", unit=" bytes", weak=1024)
def memory_kept(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """memory that each closed WebSocket leaves behind (the lower end of its interval)"""
    closed = evidence.closed
    if closed is None or closed.each_bytes is None:
        return
    yield from rule.weighed(
        closed.low_bytes,
        f"Each of {format_count(closed.steps[-1][0])} closed connections left "
        f"{format_bytes(closed.each_bytes)} behind in the target's memory.",
        hint="A longer window tells a leak, which goes on, from caches that fill up. Look for "
        "what consumers keep after disconnect, and for groups that are never left.",
    )


@finding("B217", "memory-grows", weak=25)
def memory_grows(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """what the target's memory grows by in a minute (the lower end of its interval), of what it had
    when the window began
    """
    if (grown := growth(evidence.memory)) is None:
        return
    begin = evidence.memory[0][1]
    yield from rule.weighed(
        grown.low * MINUTE_S / begin * 100,
        f"The target's memory grew by {format_bytes(grown.value)} a second (at least "
        f"{format_bytes(grown.low)}) from {format_bytes(begin)}, and went on growing.",
        hint="The memory of this run is that of a window of this length. A longer --warmup "
        "tells a leak, which goes on, from caches that fill up.",
    )


@finding(
    "B303", "unsure-slope", weak=10, invalid=50, invalid_words=f"or fewer than {FEWEST_STEPS} steps"
)
def unsure_slope(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """half the interval of the memory per connection, of it"""
    idle = evidence.idle
    if idle is None:
        return
    if idle.each_bytes is None or idle.low_bytes is None or idle.high_bytes is None:
        yield rule.finding(
            Level.INVALID,
            f"Memory was read at {len(idle.steps)} numbers of connections; a slope needs at least "
            f"{FEWEST_STEPS}.",
            hint="Use more --stages, or a workload with more steps.",
        )
        return
    half = (idle.high_bytes - idle.low_bytes) / 2
    percent = half / abs(idle.each_bytes) * 100 if idle.each_bytes else 100.0
    yield from rule.weighed(
        percent,
        f"A connection takes between {format_bytes(idle.low_bytes)} and "
        f"{format_bytes(idle.high_bytes)}: {format_percent(percent)} to either side.",
        hint="Use more --connections, so that they weigh more than what the server does by "
        "itself, and a longer --warmup for each step.",
    )
