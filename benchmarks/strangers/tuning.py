"""Tunes a project of a stranger, or goes on where that was stopped; keeps all that it printed."""

import json
import shlex
from pathlib import Path

from benchmarks.strangers.trying import Failed, Trial
from benchsuite.tuning.notebook import End

BUDGET_S = 900.0
BESIDE_S = 300.0  #: Databases are made before the first run, and the answer comes after the last.
INSTALLED = ("gevent", "cheroot")
EXTRAS = "[servers,postgres]"
ANSWERED = (0, 3)  #: Statuses of `tunebench` with an answer, confirmed or not.
NOTHING_TO_RESUME = 2
ENDED = [end.value for end in End if end not in (End.NOTHING_RAN, End.REFUSED)]

PAGES = """
import os
import sys
import django
django.setup()
from pathlib import Path
from django.test import Client, override_settings
from django.urls import reverse
os.environ["BENCHSUITE_TOKEN"] = "x"
with override_settings(BENCHSUITE={"ACCESS": "benchsuite.views.access.token"}):
    browser = Client(SERVER_NAME="localhost")
    browser.get("/results/?token=x", follow=True)
    page = reverse("benchsuite:tuning", args=[sys.argv[1]])
    for name in sys.argv[2:]:
        answer = browser.get(f"{page}?format={Path(name).suffix[1:]}", follow=True)
        assert answer.status_code == 200, answer.status_code
        Path(name).write_bytes(answer.getvalue())
"""
"""The page of a tuning, as Markdown and as one HTML file."""


def tune(trial: Trial, folder: Path, further: str) -> str:
    """What it found as Markdown; raises Failed. `further` is given to `tunebench`, too.

    A tuning that has its answer is only shown, one that was stopped goes on.
    """
    name = trial.stranger.name
    log, answer = folder / f"{name}.txt", folder / f"{name}.json"

    def tunebench(*words: str) -> int:
        limit_s = BUDGET_S + BESIDE_S
        return trial.manage_into(log, limit_s, "tunebench", *words, f"--json={answer}")

    if not (answer.exists() and json.loads(answer.read_text())["answer"]["end"] in ENDED):
        status = tunebench("--resume") if log.exists() else NOTHING_TO_RESUME
        if status == NOTHING_TO_RESUME:
            trial.prepare(INSTALLED, EXTRAS)
            words = shlex.split(f"{trial.stranger.tuned} {further}")
            status = tunebench(*words)
        if status not in ANSWERED:
            raise Failed(f"tunebench ended with {status}: see {log}")
    page = folder / f"{name}.md"
    trial.python(
        PAGES, json.loads(answer.read_text())["id"], str(page), str(folder / f"{name}.html")
    )
    trial.manage("dumpbench", str(folder / f"{name}-runs.json"))
    return page.read_text()
