"""Whether WebSockets kept their messages and connections: B209, B210 and B216."""

from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding
from benchsuite.core.samples import EVENT
from benchsuite.core.units import format_count, format_duration
from benchsuite.findings.registry import Rule, finding

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
    percent = found.strays / max(found.messages, 1) * 100
    if level := rule.level(percent):
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
            value=percent,
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
    percent = sum(counts.values()) / max(found.handshakes, 1) * 100
    if level := rule.level(percent):
        words = [f"{format_count(count)} {what}" for what, count in counts.items() if count]
        error = "".join(f"; the server's error: {one}" for one in evidence.socket_errors[:1])
        yield rule.found(
            level,
            f"Of {format_count(found.handshakes)} connections, {', '.join(words)}{error}.",
            hint=_advice(evidence, found.silence_s),
            value=percent,
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
    "B216", "not-back", of="WebSockets that never came back after all were cut", unit="", weak=0
)
def not_back(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """After a reconnect storm somebody is still outside."""
    found = evidence.recovery
    if found is None:
        return
    yield from rule.weighed(
        found.cut - found.back,
        f"{format_count(found.cut - found.back)} of {format_count(found.cut)} connections that "
        f"were cut never came back; {format_count(found.failed)} handshakes failed.",
        hint="The window was too short, or the server turns connections away: a longer "
        "--duration tells which.",
    )
