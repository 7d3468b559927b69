"""Tunes a project of a stranger, or goes on where that was stopped; keeps all that it said."""

import json
import shlex
from pathlib import Path
from typing import Any

from benchmarks.strangers import tuned
from benchmarks.strangers.trying import Failed, Trial
from benchsuite.tuning.notebook import End

BUDGET_S = 900.0
BESIDE_S = 300.0  #: Databases are made before the first run, and the answer is told after the last.

INSTALLED = ("gevent", "cheroot")
EXTRAS = "[servers,postgres]"

ANSWERED = (0, 3)  #: Statuses of `tunebench` with an answer, confirmed or not.
NOTHING_TO_RESUME = 2
ENDED = [one.value for one in End if one not in (End.NOTHING_RAN, End.REFUSED)]

PAGES = """
import sys
import django
django.setup()
from pathlib import Path
from benchsuite.models import Tuning
from benchsuite.report.pages.one_file import one_file
from benchsuite.report.tuning.exports import markdown
from benchsuite.report.tuning.told import told
mine = told(Tuning.objects.get(pk=sys.argv[1]))
Path(sys.argv[2]).write_text(markdown(mine))
title = f"{mine.workload}: {mine.objective}"
Path(sys.argv[3]).write_text("".join(one_file("tuning_file", title, mine.charts, {"told": mine})))
"""
"""The page of a tuning, as Markdown and as one HTML file."""


def tune(trial: Trial, folder: Path, further: str) -> str:
    """What it found, for the docs; raises Failed. `further` is said to `tunebench`, too.

    A tuning that has its answer is only told, one that was stopped goes on.
    """
    name = trial.stranger.name
    log, answer = folder / f"{name}.txt", folder / f"{name}.json"
    words = shlex.split(f"{trial.stranger.tuned} {further}")
    if not _has_ended(answer):
        status = NOTHING_TO_RESUME
        if log.exists():
            status = _tunebench(trial, log, answer, ["--resume"])
        if status == NOTHING_TO_RESUME:
            trial.prepare(INSTALLED, EXTRAS)
            status = _tunebench(trial, log, answer, words)
        if status not in ANSWERED:
            raise Failed(f"tunebench ended with {status}: see {log}")
    data = _read(answer)
    files = [str(folder / f"{name}.{form}") for form in ("md", "html")]
    trial.python(PAGES, data["id"], *files)
    trial.manage("dumpbench", str(folder / f"{name}-runs.json"))
    return tuned.told(f"{name}: {trial.stranger.kind}", words, data)


def _tunebench(trial: Trial, log: Path, answer: Path, words: list[str]) -> int:
    limit_s = BUDGET_S + BESIDE_S
    return trial.manage_into(log, limit_s, "tunebench", *words, f"--json={answer}")


def _has_ended(answer: Path) -> bool:
    return answer.exists() and _read(answer)["answer"]["end"] in ENDED


def _read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())
    return found
