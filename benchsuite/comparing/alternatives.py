"""A cell against others that did the same work, as the rules about bottlenecks compare them."""

import math
from collections.abc import Sequence
from typing import Any

from benchsuite.bottlenecks.evidence import Other, ratio
from benchsuite.comparing.cells import Cell
from benchsuite.core.specs import CLOSED
from benchsuite.models import Run

Block = tuple[Any, int]  #: One command, and which of its turns.

SIZES = ("processes", "threads")


def others(cell: Cell, cells: Sequence[Cell]) -> list[Other]:
    """Other sizes of its server, and servers of the other interface, that the same users asked for
    the same in the same blocks. With arrivals all answer as many.
    """
    own = cell.first
    if own.model != CLOSED:
        return []
    found = []
    for one in cells:
        other = one.first
        if one is cell or _but(other, "server") != _but(own, "server"):
            continue
        if _server(other) != _server(own) and _interface(other) == _interface(own):
            continue
        rate, cpu = ratio(_rates(cell), _rates(one)), ratio(_cpu(cell), _cpu(one))
        if rate and cpu:
            found.append(
                Other(
                    processes=other.processes or 1,
                    threads=other.threads or 1,
                    interface=_interface(other),
                    rate=rate,
                    cpu=cpu,
                )
            )
    return found


def _but(run: Run, *names: str) -> dict[str, Any]:
    """What was asked of it but these parts, and its place in a series."""
    apart = {*names, "label", "repetition", "seed"}
    return {name: part for name, part in run.spec.items() if name not in apart}


def _server(run: Run) -> dict[str, Any]:
    return {name: one for name, one in run.spec["server"].items() if name not in SIZES}


def _interface(run: Run) -> str:
    return run.server_facts.get("interface") or ""


def _rates(cell: Cell) -> dict[Block, float]:
    """Block → the logarithm of the answers per second."""
    return {
        (run.batch, run.repetition): math.log(run.throughput)
        for run in cell.entering
        if run.throughput
    }


def _cpu(cell: Cell) -> dict[Block, float]:
    """Block → the logarithm of a request's CPU time."""
    return {
        (run.batch, run.repetition): math.log(run.cpu_percent / run.throughput)
        for run in cell.entering
        if run.cpu_percent and run.throughput
    }
