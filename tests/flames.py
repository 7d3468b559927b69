"""Runs that were profiled, as a page or the terminal shows them."""

from typing import Any

from benchsuite.core.specs import RunSpec
from benchsuite.models import Run
from benchsuite.stats import stacks
from tests.factories import make_run

VIEW = "list_products (shop/views.py:12)"
LONG = "parse_request_line_of_a_long_name (gunicorn/http/message.py:3)"
STACKS = {
    ("run (threading.py:1002)", "inner (django/core/handlers/exception.py:55)", VIEW): 30,
    (
        "run (threading.py:1002)",
        "inner (django/core/handlers/exception.py:55)",
        VIEW,
        "execute (django/db/models/sql/compiler.py:1570)",
    ): 50,
    ("run (threading.py:1002)", "inner (django/core/handlers/exception.py:55)"): 15,
    (
        "run (threading.py:1002)",
        "parse_request_line_of_a_long_name (gunicorn/http/message.py:3)",
    ): 5,
}


def profile(project: tuple[str, ...] = (VIEW,), least: int = 1) -> dict[str, Any]:
    """What is stored of the samples."""
    return {
        "flame": {
            "samples": sum(STACKS.values()),
            "rate_hz": 100,
            "least": least,
            "project": list(project),
            "stacks": stacks.packed(STACKS),
        }
    }


def make_profiled(beside: Run, **given: Any) -> Run:
    """The start of the same cell that was profiled."""
    run = make_run(beside.server, batch=beside.batch)
    spec = RunSpec.from_json(beside.spec).profiled
    run.spec, run.key, run.diagnosis = spec.to_json(), spec.key, profile(**given)
    run.save()
    return run
