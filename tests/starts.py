"""Stored starts with chosen figures and nothing else: quick to make, for comparisons."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from benchsuite.comparing.cells import Cell
from benchsuite.core.specs import RunSpec
from benchsuite.models import Environment, Finding, Run, Software
from benchsuite.store.interchange import PARTS, attach
from benchsuite.system.fingerprint import digest
from tests.factories import BEGUN, MACHINE, make_spec

BATCH = UUID("ba7c0000-0000-4000-8000-000000000001")
OTHER_BATCH = UUID("ba7c0000-0000-4000-8000-000000000002")

SLOW = (600.0, 606.0, 594.0, 612.0, 588.0)
FAST = (786.0, 774.0, 798.0, 780.0, 768.0)
"""1.302 times as many on average: 781.2 against 600."""


def starts(
    server: str,
    goodputs: Iterable[float],
    *,
    begun: datetime = BEGUN,
    stored: bool = True,
    batch: UUID = BATCH,
    machine: dict[str, Any] | None = None,
    packages: dict[str, str] | None = None,
    label: str = "",
    columns: dict[str, Any] | None = None,
    **spec: Any,
) -> list[Run]:
    """One finished, valid run for each goodput; its times go the other way, memory stays."""
    asked = make_spec(server, label=label, **spec)
    facts = MACHINE if machine is None else machine
    environment = Environment(fingerprint=digest(facts), data=facts)
    if stored:
        environment, _ = Environment.objects.get_or_create(
            fingerprint=environment.fingerprint, defaults={"data": facts}
        )
    software = None
    if packages is not None:
        served = {"python": {"version": "3.11.7"}, "packages": packages}
        software, _ = Software.objects.get_or_create(
            fingerprint=digest(served), defaults={"data": served}
        )
    rows = [
        Run(
            **{
                **_figures(asked, goodput),
                "server": server,
                "label": label,
                "batch": batch,
                "started_at": begun + timedelta(seconds=20 * number),
                "environment": environment if stored else None,
                "software": software,
                **(columns or {}),
            }
        )
        for number, goodput in enumerate(goodputs)
    ]
    if stored:
        return Run.objects.bulk_create(rows)
    return [found_out(row) for row in rows]


def make_rows(count: int, *, servers: Sequence[str], per_batch: int = 4) -> None:
    """Many of these for the list, of all verdicts, in commands of so many."""
    environment = Environment.objects.create(fingerprint="f" * 64, data=MACHINE)
    generator, rows, batches = np.random.default_rng(1), [], [uuid4() for _ in range(count)]
    for number in range(count):
        asked = make_spec(servers[number % len(servers)], label=f"label-{number // 40}")
        columns = {
            "server": asked.server.server,
            "label": asked.label,
            "batch": batches[number // per_batch],
            "started_at": BEGUN + timedelta(seconds=20 * number),
            "environment": environment,
            "key": f"{number % 50:064x}",
            "verdict": ("valid", "valid", "weak", "invalid")[number % 4],
        }
        rows.append(Run(**_figures(asked, float(generator.normal(600, 80))) | columns))
    Run.objects.bulk_create(rows, batch_size=500)


def found_out(run: Run, *codes: str) -> Run:
    """A run that is not stored, with nothing but these findings, which make it invalid."""
    level = "invalid"
    findings = [Finding(code=code, level=level) for code in codes]
    attach(run, {**{name: [] for name in PARTS}, "findings": findings})
    if codes:
        run.verdict = level
    return run


def side(server: str, goodputs: Sequence[float], **given: Any) -> Cell:
    """A cell that is not stored."""
    return Cell(tuple(starts(server, goodputs, stored=False, **given)), server)


def doubt(run: Run, code: str, level: str = "invalid") -> None:
    """Gives a stored run a finding, and the verdict of it."""
    Finding.objects.create(run=run, code=code, level=level, message="It was so.", hint="")
    run.verdict = level
    run.save(update_fields=["verdict"])


def _figures(spec: RunSpec, goodput: float) -> dict[str, Any]:
    return {
        "status": "finished",
        "verdict": "valid",
        "key": spec.key,
        "workload": spec.workload.workload,
        "server_version": "1.0",
        "python_version": "3.11.7",
        "processes": 2,
        "threads": 4,
        "users": spec.load.users,
        "duration_s": 10.0,
        "warmup_s": 3.0,
        "spec": spec.to_json(),
        "requests": 6000,
        "failures": 0,
        "throughput": goodput,
        "goodput": goodput,
        "mean_s": 100 / goodput,
        "p50_s": 90 / goodput,
        "p95_s": 180 / goodput,
        "p99_s": 250 / goodput,
        "cpu_percent": 150.0,
        "memory_bytes": 180 * 2**20,
    }
