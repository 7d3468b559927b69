"""Every page of the console, of stored data that has a bit of everything."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchsuite.core.results import Finding, Level
from benchsuite.models import Run
from tests.factories import BEGUN, INVALID, MACHINE, WEAK, make_failed_run, make_run
from tests.flames import make_profiled
from tests.socket_factories import make_echo_run, make_idle_run
from tests.study_factories import make_study_run, write
from tests.tuning_factories import make_tuning, searched
from tests.web.conftest import BY_TOKEN

NOISY = Finding(code="B401 noisy-host", level=Level.INVALID, message="Others used the CPUs.")
CHANGING = re.compile(r"csrfmiddlewaretoken[^>]*|Written by benchsuite[^<]*")
"""What differs from one answer to the next."""
ODD = {
    "cpu_isolated": None,
    "psi": True,
    "python_jit": False,
    "mitigations": ["spectre_v1", "srso"],
    "limits": {"nofile": 1024, "nproc": None},
    "load_1m": [0.5, 1],
}
"""Values of an environment that are no text."""


def compare(runs: list[Run]) -> str:
    return f"/results/compare/?runs={','.join(str(run.pk) for run in runs)}"


def addresses(settings: Any, folder: Path) -> list[str]:
    settings.BENCHSUITE = {"ACCESS": BY_TOKEN, "STUDIES": [write(folder)]}
    batch, environment = uuid4(), {**MACHINE, **ODD}
    alike: dict[str, Any] = {"batch": batch, "environment": environment}
    runs = [
        make_run("uwsgi", rate=600, memory_mib=96, **alike),
        make_run("uwsgi", rate=590, started_at=BEGUN + timedelta(seconds=9), seed=1, **alike),
        make_run("uvicorn", rate=300, findings=(WEAK, INVALID), failed_share=0.1, **alike),
        make_run("granian-wsgi", options={"path": "/x/", "redirects": False, "also": None}, seed=3),
        make_failed_run("daphne", started_at=BEGUN + timedelta(hours=1)),
        make_echo_run("daphne", lost=12, closes={1011: 10}),
        make_idle_run("uvicorn"),
    ]
    Run.objects.filter(pk=runs[5].pk).update(sent=0, seen=0)
    earlier = make_study_run(label="first")
    later = make_study_run(
        days=1, change=lambda at, start: {"findings": (NOISY,)} if start == 1 else {}
    )
    tuned, stopped = make_tuning(), make_tuning(searched(12), status="interrupted", days=-1)
    return [
        "/results/",
        *(run.get_absolute_url() for run in runs[:1] + runs[2:]),
        make_profiled(runs[4]).get_absolute_url(),
        "/results/configurations/",
        f"/results/configurations/{runs[0].key}/",
        f"/results/note/?run={runs[0].pk}",
        "/results/ask/",
        compare(runs[:3]),
        compare([runs[0], runs[5]]),
        compare(runs[:2]),
        compare([]),
        f"/results/delete/?runs={runs[0].pk}",
        "/results/studies/",
        f"/results/studies/shop/?execution={later.pk}&with={earlier.pk}",
        "/results/tune/",
        f"/results/tune/{tuned.pk}/",
        f"/results/tune/{stopped.pk}/",
    ]


def files(pages: list[str]) -> list[str]:
    """Those of them that can be had as one file."""
    parts = ("/tune/", "/studies/shop", "/compare/?runs=", "/configurations/")
    kept = [one for one in pages if any(part in one for part in parts) or one.count("-") == 4]
    others = ("/tune/", "/configurations/", "runs=")
    kept = [one for one in kept if not one.endswith(others) and not re.search("delete|note", one)]
    return [f"{one}{'&' if '?' in one else '?'}forced=1&format=html" for one in kept]
