"""The parts of a run: levels, kinds of users, and what only WebSockets have."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchsuite.comparing.cells import per_journey
from benchsuite.comparing.titles import keeps_alive, units_of, workload_title
from benchsuite.core import units
from benchsuite.core.answer import Table, Tile
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place
from benchsuite.core.samples import EVENT, FANOUT, HANDSHAKE, POPULATION, UNSOLICITED
from benchsuite.models import Measurement, Run
from benchsuite.report.writers import spare
from benchsuite.stats.levels import HELD, Level, climb, level_of

Names = Mapping[Any, str]  #: What tells a run apart from others of its server, by its id.


def stages_of(measurements: Iterable[Measurement]) -> list[Measurement]:
    """The levels among these measurements, in their order; none where there was only one."""
    levels = [one for one in measurements if one.scope == "stage"]
    return sorted(levels, key=lambda level: level.order)


def stages_table(runs: Sequence[Run], names: Names) -> Table | None:
    asked = [run for run in runs if run.requests]
    rows = [(run, stage) for run in asked for stage in stages_of(run.measurements.all())]
    shown = [one for one in every.in_place(Place.STAGE) if any(one.only(run) for run, _ in rows)]
    return _table("load", rows, shown, names)


def populations_table(runs: Sequence[Run], names: Names) -> Table | None:
    rows = [(run, part) for run in runs for part in populations(run)]
    return _table("users", rows, every.in_place(Place.PART), names)


def _table(
    what: str, rows: Sequence[tuple[Run, Measurement]], metrics: Sequence[Metric], names: Names
) -> Table | None:
    headings, entries = [metric.heading for metric in metrics], []
    for run, part in rows:
        figures = (metric.show(metric.of_part(part)) for metric in metrics)
        entries.append([names[run.pk], part.name, *figures])
    heads = ["server", what, *headings]
    return Table(heads, entries, figures=headings, spare=spare(metrics)) if rows else None


def climb_words(run: Run) -> str:
    """Which level was held, where it levels off or breaks; empty for a run without stages."""
    stages = stages_of(run.measurements.all())
    each = per_journey(run) if stages else 1.0
    levels = [level_of(one, _due(one, run.duration_s, each)) for one in stages]
    if run.level is None or not levels:
        return ""
    climbed, what = climb(levels), workload_title(run)
    headline = levels[climbed.headline]
    broken = levels[climbed.breaks] if climbed.breaks is not None else None
    if headline.offered_rate is not None:
        if not climbed.is_shown:
            return f"{run.server} held no level, and kept up with {_kept(run, headline, each)}"
        beyond = f", and not {broken.name}" if broken else ", the highest level"
        return f"{run.server} held {headline.name} of {what}{beyond}"
    rate = f"{units.format_number(headline.goodput)} {units_of(run)}/s of {what}"
    if headline.fails:
        return f"{run.server} failed at every level of {what}"
    if not climbed.is_shown:
        return f"{run.server} answered {rate} at {headline.name}, the highest level, still rising"
    beyond = f", and breaks at {broken.name}" if broken else ""
    return f"{run.server} levels off at {headline.name} with {rate}{beyond}"


CUT = 0.9  #: A stage with less of the requests that were planned was ended early.


def _due(stage: Measurement, duration_s: float, each: float) -> float:
    """Requests a second that were meant to start; the window of what was ended early is shorter."""
    seen, planned = stage.requests / duration_s, each * (stage.offered_rate or 0.0)
    return planned if seen < CUT * planned else seen


def overload_words(run: Run) -> str:
    """That an open run offered more than was taken; empty where it kept up, and in a closed run."""
    total = every.whole(run)
    if total is None or total.offered_rate is None:
        return ""
    each = per_journey(run)
    level = level_of(total, each * total.offered_rate)
    all_answered = not level.dropped and level.throughput >= HELD * level.requested_rate
    if level.is_held or (level.fails and all_answered):  # right or wrong
        return ""
    return f"{run.server} kept up with {_kept(run, level, each)}"


def _kept(run: Run, level: Level, each: float) -> str:
    """Arrivals answered right, of those planned; a journey may ask several times."""
    offered, dropped = level.offered_rate or 0.0, level.dropped or 0
    answered = level.goodput / each
    never = f"; {units.format_count(dropped)} never sent" if dropped else ""
    rates = f"{units.format_number(answered)} of {units.format_number(offered)} arrivals/s"
    return f"{rates} of {workload_title(run)}{never}"


def populations(run: Run) -> list[Measurement]:
    """The figures of each of them; none where all users do the same."""
    return [one for one in run.measurements.all() if one.scope == POPULATION]


WRONG = {
    "lost": "lost",
    "twice": "duplicated",
    "out of order": "reordered",
    "damaged": "corrupt",
    "misdirected": "misdirected",
}
"""What became of messages: how it is called, and in the accounts of a run."""


def socket_tiles(run: Run) -> list[Tile]:
    """All that the run has, in order."""
    data: Mapping[str, Any] | None = run.websockets
    if not data:
        return []
    accounts = data["accounts"]
    measurements = list(run.measurements.all())
    by_scope = {one.scope: one for one in measurements}
    shake, last = by_scope.get(HANDSHAKE), by_scope.get(FANOUT)
    rate = data["rate_connected"]
    opened, until = ("streams", "first event") if run.unit == EVENT else ("handshakes", "handshake")
    # of the whole window, as the goodput of a run with levels is not; nor of rounding alone
    reconnects = bool(rate and run.goodput and run.level is None and rate > run.goodput * 1.001)
    # Where connections don't outlive a message, how many are open is a matter of the moment.
    outlive = run.unit != HANDSHAKE and keeps_alive(run)
    tiles = [
        Tile("connections", _count(data["connections"]) if outlive else ""),
        Tile("per connection", *_slope(data["idle"], kib=True)),
        Tile("left by each", *_slope(data["closed"])),
        Tile(opened, _count(accounts["handshakes"])),
        Tile(f"{opened}/s", units.format_rate(shake.goodput) if shake and reconnects else ""),
        *_times(until, shake),
        Tile("without connecting", units.format_rate(rate) if reconnects else ""),
        *_times("last subscriber", last),
    ]
    recovery = data["recovery"]
    if recovery and recovery["cut"]:  # how long it took until these connections were back
        whole, away_s = recovery["all_back_s"], recovery.get("away_s")
        lacking = "" if whole is not None else f"{recovery['back']} of {recovery['cut']}"
        tiles += [
            Tile("half back", units.format_duration(recovery["half_back_s"])),
            Tile("all back", units.format_duration(whole), lacking),
            Tile("refused meanwhile", units.format_count(recovery["failed"])),
            Tile("server away", units.format_duration(away_s) if away_s is not None else ""),
            Tile("without close frame", _count(recovery.get("unclosed"))),
        ]
    if accounts["messages"]:
        tiles += [Tile(title, units.format_count(accounts[name])) for title, name in WRONG.items()]
    if accounts["unsolicited"]:
        rate = sum(one.goodput for one in measurements if one.scope == UNSOLICITED)
        text = units.format_count(accounts["unsolicited"])
        tiles.append(Tile("unsolicited", text, f"({units.format_rate(rate)})" if rate else ""))
    closes = accounts["closes"].items()
    codes = ", ".join(f"{units.format_count(many)} × {code}" for code, many in closes)
    early = units.format_count(accounts["closed_early"])
    tiles.append(Tile("ended early", early, f"({codes})" if codes else ""))
    if traffic := data["compression"]:  # what was negotiated, and what became of what was said
        negotiated = ", ".join(one or "declined" for one in traffic["negotiated"])
        tiles.append(Tile("compression", negotiated))
        for way in ("sent", "received"):
            plain, wire = traffic[f"{way}_bytes"], traffic[f"{way}_wire_bytes"]
            if plain:
                note = f"of {units.format_bytes(plain)}"
                tiles.append(Tile(f"{way} on the wire", f"{100 * wire / plain:.1f} %", note))
    return [tile for tile in tiles if tile.text]


def _slope(stored: Mapping[str, Any] | None, *, kib: bool = False) -> tuple[str, str]:
    """120 B and [100, 140], or 28.0 KiB and [27.8, 28.3]; empty if unknown."""
    if not stored or stored["each_bytes"] is None:
        return "", ""
    each, low, high = (
        "—" if one is None else f"{one / 1024:.1f}" if kib else f"{one:.0f}"
        for one in map(stored.get, ("each_bytes", "low_bytes", "high_bytes"))
    )
    return f"{each} {'KiB' if kib else 'B'}", f"[{low}, {high}]"


def sockets_table(runs: Sequence[Run], names: Names) -> Table | None:
    rows = [(run, {tile.title: tile.whole for tile in socket_tiles(run)}) for run in runs]
    titles = list(dict.fromkeys(title for _, texts in rows for title in texts))
    entries = [
        [names[run.pk], *(texts.get(title, units.MISSING) for title in titles)]
        for run, texts in rows
        if texts
    ]
    return Table(["server", *titles], entries, figures=titles) if entries else None


def idle_sentence(run: Run) -> str:
    """What a run of idle connections found out; empty for other runs."""
    sockets = run.websockets or {}
    if not (idle := sockets.get("idle")):
        return ""
    held = f"{run.server} held {units.format_count(sockets['connections'])} idle connections"
    each, interval = _slope(idle, kib=True)
    if each:
        before = units.format_bytes(idle["before_bytes"])
        took = f"each took {each} {interval} of its memory"
        return f"{held}; {took}, which was {before} before the first"
    return f"{held}; what memory each took can’t be told"


def _count(count: int | None) -> str:
    return "" if count is None else units.format_count(count)


def _times(title: str, measurement: Measurement | None) -> list[Tile]:
    """Median and p99 of one kind of times."""
    figures = [every.figure(name) for name in ("p50_s", "p99_s")] if measurement else []
    tiles = [(one.heading, one.show(one.of_part(measurement))) for one in figures]
    return [Tile(f"{title} {name}", text) for name, text in tiles if text != units.MISSING]
