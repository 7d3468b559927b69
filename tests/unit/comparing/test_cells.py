"""Starts of the same cell taken together, and the table made of them."""

from datetime import UTC, datetime, timedelta

from benchsuite.comparing.cells import cells
from benchsuite.core.units import THIN_SPACE
from benchsuite.management.output import Screen
from benchsuite.models import Run
from benchsuite.report import answers
from tests.starts import found_out

START = datetime(2026, 1, 1, tzinfo=UTC)


def run(server="uvicorn", minute=0, *, invalid="", **changes):
    figures = {
        "server": server,
        "key": server,
        "spec": {},
        "started_at": START + timedelta(minutes=minute),
        "status": "finished",
        "verdict": "valid",
        "goodput": 100.0,
        "failures": 0,
        "p50_s": 0.151,
        "p95_s": 0.28,
        "p99_s": 0.41,
        "cpu_percent": 190.0,
        "memory_bytes": 182 * 2**20,
    }
    return found_out(Run(**{**figures, **changes}), *([invalid] if invalid else []))


def unavailable(server="uvicorn", **changes):
    missing = ("goodput", "failures", "p50_s", "p95_s", "p99_s", "cpu_percent", "memory_bytes")
    return run(server, status="failed", verdict="", **dict.fromkeys(missing), **changes)


def shown(*runs):
    """The rows of the table, white space folded."""
    console = Screen(width=200)
    with console.capture() as capture:
        console.table(answers.results_table(cells(runs)))
    lines = capture.get().replace(THIN_SPACE, " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip(" ─")][1:]


def test_values(golden):
    golden.values()
