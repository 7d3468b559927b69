"""What only WebSockets have, in words: for the terminal, the run page and the compare page."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchsuite.comparing.titles import keeps_alive
from benchsuite.core.answer import Table, Tile
from benchsuite.core.metrics import every
from benchsuite.core.samples import EVENT, FANOUT, HANDSHAKE, UNSOLICITED
from benchsuite.core.units import MISSING, format_bytes, format_count, format_duration, format_rate
from benchsuite.models import Measurement, Run
from benchsuite.stats.messages import HEALTHY, SLOW

NOTHING = 1.001
"""Ratio of the rates without and with connecting below which nobody was connecting."""


def figures(run: Run, *, brief: bool = False) -> list[Tile]:
    """All of them in their order, those that a run has none of left out; none without WebSockets.

    What went astray is one figure when it is to be brief.
    """
    data: Mapping[str, Any] | None = run.websockets
    if not data:
        return []
    accounts = data["accounts"]
    measurements = list(run.measurements.all())
    by_scope = {one.scope: one for one in measurements}
    shake, last = by_scope.get(HANDSHAKE), by_scope.get(FANOUT)
    rate = data["rate_connected"]
    opened, until = ("streams", "first event") if run.unit == EVENT else ("handshakes", "handshake")
    reconnects = bool(rate and run.goodput and rate > run.goodput * NOTHING)
    tiles = [
        Tile("connections", _count(data["connections"]) if keeps_connections(run) else ""),
        Tile("per connection", *_slope(data["idle"], kib=True)),
        Tile("left by each", *_slope(data["closed"])),
        Tile(opened, _count(accounts["handshakes"])),
        Tile(f"{opened}/s", format_rate(shake.goodput) if shake and reconnects else ""),
        *_times(until, shake),
        Tile("without connecting", format_rate(rate) if reconnects else ""),
        *_times("last subscriber", last),
        *_recovery(data["recovery"]),
        *_lagging(data["lagging"], measurements),
    ]
    astray = {
        "twice": accounts["duplicated"],
        "out of order": accounts["reordered"],
        "damaged": accounts["corrupt"],
        "misdirected": accounts["misdirected"],
    }
    counts = {"lost": accounts["lost"]}
    counts |= {"astray": sum(astray.values())} if brief else astray
    if accounts["messages"]:
        tiles += [Tile(title, format_count(count)) for title, count in counts.items()]
    if accounts["unsolicited"]:
        rate = sum(one.goodput for one in measurements if one.scope == UNSOLICITED)
        text = format_count(accounts["unsolicited"])
        tiles.append(Tile("unsolicited", text, f"({format_rate(rate)})" if rate else ""))
    tiles.append(Tile("ended early", format_count(accounts["closed_early"]), _codes(accounts)))
    return [one for one in [*tiles, *_compression(data["compression"])] if one.text]


def _recovery(stored: Mapping[str, Any] | None) -> list[Tile]:
    """How long it took until the connections were back that had been cut."""
    if not stored or not stored["cut"]:
        return []
    half, whole, away_s = stored["half_back_s"], stored["all_back_s"], stored.get("away_s")
    missing = "" if whole is not None else f"{stored['back']} of {stored['cut']}"
    return [
        Tile("half back", format_duration(half)),
        Tile("all back", format_duration(whole), missing),
        Tile("refused meanwhile", format_count(stored["failed"])),
        Tile("server away", format_duration(away_s) if away_s is not None else ""),
        Tile("without close frame", _count(stored.get("unclosed"))),
    ]


def _slope(stored: Mapping[str, Any] | None, *, kib: bool = False) -> tuple[str, str]:
    """120 B and [100, 140], or 28.0 KiB and [27.8, 28.3]; empty if unknown."""
    if not stored or stored["each_bytes"] is None:
        return "", ""
    each, low, high = (
        "—" if one is None else f"{one / 1024:.1f}" if kib else f"{one:.0f}"
        for one in map(stored.get, ("each_bytes", "low_bytes", "high_bytes"))
    )
    return f"{each} {'KiB' if kib else 'B'}", f"[{low}, {high}]"


def _lagging(lagging: Mapping[str, Any] | None, measurements: Sequence[Measurement]) -> list[Tile]:
    """Healthy and slow subscribers apart, and what the messages kept for the slow ones took."""
    if not lagging:
        return []
    of = {
        end: next((one for one in measurements if one.name.endswith(end)), None)
        for end in (HEALTHY, SLOW)
    }
    grown = ", ".join(
        f"{part} +{format_bytes(max(0, size))}" for part, size in lagging["grown_bytes"].items()
    )
    return [
        *_times("healthy", of[HEALTHY]),
        Tile(
            "slow subscribers", format_count(lagging["subscribers"]), f"({grown})" if grown else ""
        ),
        *_times("slow", of[SLOW]),
    ]


def sockets_table(runs: Sequence[Run]) -> Table | None:
    """A row for each run with WebSockets; None when no run has."""
    rows = [(run, {one.title: one.whole for one in figures(run, brief=True)}) for run in runs]
    rows = [(run, texts) for run, texts in rows if texts]
    if not rows:
        return None
    titles: list[str] = []
    for _, texts in rows:  # what only a later run has stands behind what precedes it there
        place = 0
        for title in texts:
            if title not in titles:
                titles.insert(place, title)
            place = titles.index(title) + 1
    return Table(
        ["server", *titles],
        [[run.server, *(texts.get(title, MISSING) for title in titles)] for run, texts in rows],
        figures=titles,
    )


def keeps_connections(run: Run) -> bool:
    """Whether connections outlive a message: else how many are open is a matter of the moment."""
    return run.unit != HANDSHAKE and keeps_alive(run)


def _compression(traffic: Mapping[str, Any] | None) -> list[Tile]:
    """What was negotiated, and what became of what was said; nothing where it wasn't asked for."""
    if traffic is None:
        return []
    tiles = [Tile("compression", ", ".join(one or "declined" for one in traffic["negotiated"]))]
    for way in ("sent", "received"):
        plain, wire = traffic[f"{way}_bytes"], traffic[f"{way}_wire_bytes"]
        if plain:
            note = f"of {format_bytes(plain)}"
            tiles.append(Tile(f"{way} on the wire", f"{100 * wire / plain:.1f} %", note))
    return tiles


def _codes(accounts: Mapping[str, Any]) -> str:
    """(10 × 1011, 2 × 1006); empty without any."""
    codes = ", ".join(f"{format_count(many)} × {code}" for code, many in accounts["closes"].items())
    return f"({codes})" if codes else ""


def idle_sentence(run: Run) -> str:
    """What a run of idle connections found out; empty for other runs."""
    sockets = run.websockets or {}
    idle = sockets.get("idle")
    if not idle:
        return ""
    held = f"{run.server} held {format_count(sockets['connections'])} idle connections"
    each, interval = _slope(idle, kib=True)
    if each:
        before = format_bytes(idle["before_bytes"])
        took = f"each took {each} {interval} of its memory"
        return f"{held}; {took}, which was {before} before the first"
    return f"{held}; what memory each took can’t be told"


def _count(count: int | None) -> str:
    return "" if count is None else format_count(count)


def _times(title: str, measurement: Measurement | None) -> list[Tile]:
    """Median and p99 of one kind of times."""
    figures = [every.figure(name) for name in ("p50_s", "p99_s")] if measurement else []
    tiles = [(one.heading, one.show(one.of_part(measurement))) for one in figures]
    return [Tile(f"{title} {name}", text) for name, text in tiles if text != MISSING]
