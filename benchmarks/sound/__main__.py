"""How often sound runs are accused, and by which finding: python -m benchmarks.sound --times 100

Each run asks a page whose times have a known distribution (constant, of two ways, exponential,
Pareto), of one of four servers, by users, evenly spaced or random arrivals, or in stages; arrivals
keep the server busy for up to 95 % of what it answered at most in a run before. With `--record
FILE` the outcomes are kept, and a call that was cut short (`--minutes`) goes on. `--simulated 3000`
makes runs of simulated queues instead, and some that change.
"""

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import django

from benchmarks.machine import command_line, description
from benchmarks.sound.queues import WARM_UP_S, Server, drawn, evidence
from benchmarks.table import markdown
from benchsuite import findings
from benchsuite.core.results import Finding, Level
from benchsuite.system import cpus, lock
from tests.sabotage.runs import Laboratory, laboratory
from tests.sabotage.sick.shapes import SHAPES

SERVERS: Mapping[str, Mapping[str, Any]] = {
    "gunicorn-sync": {"processes": 1},
    "gunicorn-gthread": {"processes": 1, "threads": 4},
    "uvicorn": {"processes": 1},
    "granian-wsgi": {"processes": 1},
}
BUSY = (0.3, 0.6, 0.8, 0.88, 0.95)
MOST_PER_S = 250.0  #: Beyond that the load's CPU is what is measured on a small machine.
NOISY = ("B401", "B402", "B404")
DUE = ("B302", "B304", "B405")
"""Findings that a sound run may have: few samples are few."""

Outcome = dict[str, Any]


def pinned() -> Mapping[str, Any]:
    """CPUs for the server and for the load, as `runbench` gives them."""
    apart = cpus.split(cpus.available(), 1)
    return {} if apart is None else {"on_cpus": apart[0], "cpus": apart[1]}


def real(lab: Laboratory, number: int, seconds: float) -> Outcome:
    draw = random.Random(f"sound {number}")
    server, work = draw.choice(list(SERVERS)), draw.choice(("cpu", "sleep"))
    ms, shape = draw.choice((10, 20, 40)), draw.choice(list(SHAPES))
    model = draw.choice(("users", "constant", "Poisson", "Poisson", "stages"))
    run = {"server": server, **SERVERS[server], **pinned()}
    run |= {"path": f"/serving/?ms={ms}&work={work}&shape={shape.replace(' ', '%20')}"}
    load: dict[str, Any] = {"warmup_s": 1.0, "duration_s": seconds}
    if model == "users":
        load |= {"users": draw.choice((1, 2, 4, 8, 16)), "think_time_s": draw.choice((0, 0, 0.1))}
    elif model == "stages":
        load |= {"users": 8, "stages": (2, 4, 8), "duration_s": seconds / 3}
    else:
        busy = draw.choice(BUSY)
        rate = min(MOST_PER_S, busy * capacity(lab, server, work, ms))
        load |= {"model": "open", "users": 1, "arrival_rate": rate, "max_in_flight": 500}
        load["arrivals"] = model.lower()
        model = f"{model} {100 * busy:.0f} %"
    with lock.alone(lambda pid: None):
        result = lab.run(**run, **load)
    words = f"{server}, {work} {ms} ms {shape}, {model}"
    return {"number": number, "model": model, "words": words} | told(result.findings)


@cache
def capacity(lab: Laboratory, server: str, work: str, ms: int) -> float:
    """Answers a second, at most."""
    path = f"/serving/?ms={ms}&work={work}&shape=constant"
    run = {"server": server, **SERVERS[server], **pinned(), "path": path}
    with lock.alone(lambda pid: None):
        total = lab.run(**run, users=8, duration_s=3.0).total
    assert total is not None
    return total.goodput


def simulated(number: int) -> Outcome:
    draw = random.Random(number)
    server = drawn(draw)
    model = "users"
    if not server.users:
        busy = 100 * server.rate * server.service_s / server.at_once
        model = f"{'Poisson' if server.poisson else 'constant'} {busy:.0f} %"
    return {"number": number, "model": model, "words": server.words} | told(
        findings.assess(evidence(server, draw))
    )


def told(found: Sequence[Finding]) -> Outcome:
    weighing = {one.code[:4]: str(one.level) for one in found if one.level is not Level.INFO}
    return {
        "noisy": any(code in weighing for code in NOISY),
        "codes": {code: level for code, level in weighing.items() if code not in (*NOISY, *DUE)},
        "messages": [f"{one.code} ({one.level}): {one.message}" for one in found],
    }


def table(outcomes: Sequence[Outcome]) -> str:
    """A row for each model, of the runs that nobody disturbed."""
    quiet = [one for one in outcomes if not one["noisy"]]
    codes = sorted({(code, level) for one in quiet for code, level in one["codes"].items()})
    rows = []
    for model in [*sorted({one["model"] for one in quiet}), "all"]:
        of_model = [one for one in quiet if model in (one["model"], "all")]
        counts = Counter(pair for one in of_model for pair in one["codes"].items())
        levels = (str(Level.WEAK), str(Level.INVALID))
        worst = Counter(
            max(one["codes"].values(), default="", key=levels.index) for one in of_model
        )
        cells = [len(of_model), *(worst[one] for one in levels), *(counts[one] for one in codes)]
        rows.append([model, *(str(cell or "") for cell in cells)])
    heads = ["model", "runs", "weak", "invalid", *(f"{code} {level}" for code, level in codes)]
    return f"{markdown(heads, rows)}\n\n{len(outcomes) - len(quiet)} more were disturbed.\n"


def changes(count: int) -> str:
    """How often a step or a drift is told, of so many runs each."""
    loads = {
        "4 users": {"users": 4},
        "constant 20 %": {"rate": 20.0, "poisson": False},
        "Poisson 50 %": {"rate": 50.0},
        "Poisson 80 %": {"rate": 80.0},
    }
    rows = []
    for (words, load), shape in product(loads.items(), ("constant", "exponential")):
        cells = []
        for percent, after in ((10, 5), (20, 5), (20, 3), (50, 5), (50, 3)):
            begin, more = WARM_UP_S + after, percent / 100

            def factor(at: float, begin: float = begin, more: float = more) -> float:
                return 1 + more * (at >= begin)

            server = Server(service_s=0.01, shape=shape, factor=factor, **load)  # type: ignore[arg-type]
            runs = (findings.assess(evidence(server, random.Random(at))) for at in range(count))
            doubts = (one for run in runs for one in run if one.level is not Level.INFO)
            cells.append(f"{100 * sum(one.code[:4] == 'B301' for one in doubts) / count:.0f} %")
        rows.append([f"{words}, {shape}", *cells])
    heads = ["load", "+10 % after 5 s", "+20 % after 5 s", "after 3 s", "+50 % after 5 s", "3 s"]
    return markdown(heads, rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--simulated", type=int, metavar="N", help="simulated runs, and no others")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each window")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no run after these")
    parser.add_argument("--record", type=Path, help="where outcomes are kept")
    given = parser.parse_args()
    if given.simulated:
        print(f"{table([simulated(number) for number in range(given.simulated)])}\n{changes(100)}")
        return 0
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")
    django.setup()
    record = given.record
    lines = record.read_text().splitlines() if record is not None and record.exists() else []
    outcomes = list(map(json.loads, lines))
    latest = monotonic() + 60 * given.minutes
    with laboratory() as lab:
        for number in sorted(set(range(given.times)) - {one["number"] for one in outcomes}):
            if monotonic() > latest:
                break
            outcomes.append(outcome := real(lab, number, given.seconds))
            print(f"{number}: {outcome['words']}", *outcome["messages"], sep="\n  ", flush=True)
            if record:
                with record.open("a") as file:
                    file.write(json.dumps(outcome) + "\n")
    print(f"\n{description()}\n\n`{command_line()}`\n\n{table(outcomes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
