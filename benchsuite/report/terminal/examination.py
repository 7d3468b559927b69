"""What `checkbench` prints: the machine's checks, and the generator's ceilings."""

from collections.abc import Iterable

from rich.text import Text

from benchsuite.core.results import Ceiling
from benchsuite.core.units import format_percent, format_rate
from benchsuite.load.parent.ceiling import CONNECTIONS
from benchsuite.report.terminal.grid import Grid
from benchsuite.stats.levels import ceiling_doubt
from benchsuite.telemetry.machine import Check, State

SHAPES = {State.OK: "●", State.DOUBTFUL: "◐", State.BAD: "○"}
COLOURS = {State.OK: "green", State.DOUBTFUL: "yellow", State.BAD: "red"}


def checks_table(checks: Iterable[Check]) -> Grid:
    """One row a check, with what to do where something is to be done."""
    return Grid(
        headings=("", "check", "found", "what to do"),
        rows=[
            [
                Text(f"{SHAPES[check.state]} {check.state}", style=COLOURS[check.state]),
                check.name,
                check.found,
                check.advice,
            ]
            for check in checks
        ],
        words=("check",),
        prose=("found", "what to do"),
    )


def ceilings_table(ceilings: Iterable[Ceiling]) -> Grid:
    """One row for each load that was calibrated."""
    return Grid(
        headings=(
            *("model", "in flight", "connections", "ceiling", "load CPU", "responder CPU"),
            *("others", "doubt"),
        ),
        rows=[
            [
                one.model,
                str(one.users),
                CONNECTIONS[one.keep_alive],
                format_rate(one.throughput),
                format_percent(one.load_cpu_percent),
                format_percent(one.responder_cpu_percent),
                format_percent(one.others_percent),
                f"not used: {why}" if (why := ceiling_doubt(one)) else "",
            ]
            for one in ceilings
        ],
        words=("connections",),
        prose=("doubt",),
        spare=("others", "responder CPU", "load CPU"),
    )
