"""Executions of a small study that look like measured ones."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from benchsuite.models import StudyCell, StudyRun
from benchsuite.studies import matrix, reading
from benchsuite.studies.options import arguments
from benchsuite.studies.study import RULES
from tests.factories import BEGUN, MACHINE, make_run

STUDIES = Path(__file__).parent / "fixtures" / "studies"
TEXT = (STUDIES / "shop.toml").read_text()

PUBLISHED = "setup,latency,rps\nsync,0,120\nsync,200,40\nasync,0,150\n"

RATES: Mapping[tuple[str, str], float] = {
    ("sync", "0"): 120,
    ("sync", "100"): 80,
    ("sync", "200"): 40,
    ("async", "0"): 150,
    ("async", "100"): 150,
    ("async", "200"): 150,
}


def write(folder: Path) -> Path:
    """The study's file, with what was published beside it."""
    (folder / "shop.csv").write_text(PUBLISHED)
    file = folder / "shop.toml"
    file.write_text(TEXT)
    return file


def make_study_run(
    rates=RATES,
    *,
    file=None,
    scale=1.0,
    only=None,
    days=0,
    skipped=None,
    ended=True,
    measured=True,
    label="",
    more="",
    change=lambda cell, start: {},
):
    """Two starts of each cell; the file ends with `more`, and `change` gives what else `make_run`
    takes for one of them.
    """
    study = reading.parse(TEXT + more, file or Path("shop.toml"))
    began = BEGUN + timedelta(days=days)
    row = StudyRun.objects.create(
        name=study.name,
        label=label,
        digest=study.digest,
        text=study.text,
        scale=scale,
        only={axis: list(some) for axis, some in (only or {}).items()},
        repeat=2,
        rules=RULES,
        started_at=began,
        ended_at=began + timedelta(minutes=7) if ended else None,
        status="finished" if ended else "interrupted",
    )
    batch = uuid4()
    for order, cell in enumerate(matrix.cells(study, scale, only or {})):
        at = (cell.coordinates["setup"], cell.coordinates["delay"])
        stored = StudyCell.objects.create(
            study_run=row,
            order=order,
            coordinates=dict(cell.coordinates),
            arguments=arguments(cell),
            reason="There is no uvicorn here." if at == skipped else "",
        )
        for start in (1, 2) if measured and at != skipped else ():
            run = make_run(
                "gunicorn-sync" if at[0] == "sync" else "uvicorn",
                **{
                    "rate": rates[at],
                    "seed": 10 * order + start + 1000 * days,
                    "duration_s": 6.0,
                    "warmup_s": 1.0,
                    "batch": batch,
                    "environment": MACHINE,
                    "started_at": began + timedelta(seconds=20 * (2 * order + start)),
                    **change(at, start),
                },
            )
            run.study_cell, run.repetition = stored, start
            run.save()
            row.environment = run.environment
    row.save()
    return row
