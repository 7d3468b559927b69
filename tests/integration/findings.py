"""Makes one run and says what was found about it."""

from typing import Any

from benchsuite.core.results import Level, RunResult
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from tests.integration.quiet import Quiet

NOISE = {"B101", "B102", "B103", "B104", "B105", "B106", "B301", "B302", "B404"}
"""What follows when others take the CPUs; a machine that runs tests is seldom quiet."""


def a_run(
    server: str,
    workload: str = "bench_app",
    *,
    options: dict[str, Any] | None = None,
    rows: int = 500,
    settings_module: str = "testproject.settings.target",
    **load: Any,
) -> RunResult:
    """One run of the repository's own project."""
    spec = RunSpec(
        server=ServerSpec(server=server, options=options or {}),
        workload=WorkloadSpec(workload=workload),
        load=LoadProfile(**{"users": 4, "warmup_s": 1.0, "duration_s": 4.0, **load}),
        database=DatabaseSpec(rows=rows),
    )
    with session(settings_module=settings_module) as at_work:
        result = at_work.run(planning.resolve(spec), Quiet())
        left = [path.name for path in at_work.folder.iterdir() if path.name.isdigit()]
    assert left == [], "a run's samples and logs go when it has ended"
    assert result.failure == ""
    return result


def doubts(result: RunResult) -> dict[str, str]:
    """Number and message of each finding that weighs, but for what a noisy machine explains."""
    found = {one.code[:4]: one.message for one in result.findings if one.level is not Level.INFO}
    if "B401" in found:
        found = {number: words for number, words in found.items() if number not in NOISE}
        del found["B401"]
    return found
