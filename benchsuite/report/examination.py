"""What `checkbench` prints: the machine's checks, and the generator's ceilings."""

from collections.abc import Iterable

from rich import box
from rich.table import Table
from rich.text import Text

from benchsuite.examine import Check, State
from benchsuite.load.ceiling import CONNECTIONS
from benchsuite.results import Ceiling
from benchsuite.stats.ceilings import doubt
from benchsuite.units import format_percent, format_rate

SHAPES = {State.OK: "●", State.DOUBTFUL: "◐", State.BAD: "○"}
COLOURS = {State.OK: "green", State.DOUBTFUL: "yellow", State.BAD: "red"}


def checks_table(checks: Iterable[Check]) -> Table:
    """One row a check, with what to do where something is to be done."""
    table = Table("", "check", "found", "what to do", box=box.SIMPLE_HEAD, pad_edge=False)
    for check in checks:
        shape = Text(f"{SHAPES[check.state]} {check.state}", style=COLOURS[check.state])
        table.add_row(shape, check.name, check.found, check.advice)
    return table


def ceilings_table(ceilings: Iterable[Ceiling]) -> Table:
    """One row for each load that was calibrated."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = ("model", "in flight", "connections", "ceiling", "load CPU", "responder CPU")
    for heading in (*headings, "others", ""):
        words = heading in ("model", "connections", "")
        table.add_column(heading, justify="left" if words else "right")
    for one in ceilings:
        why = doubt(one)
        table.add_row(
            one.model,
            str(one.users),
            CONNECTIONS[one.keep_alive],
            format_rate(one.throughput),
            format_percent(one.load_cpu_percent),
            format_percent(one.responder_cpu_percent),
            format_percent(one.others_percent),
            f"not used: {why}" if why else "",
        )
    return table
