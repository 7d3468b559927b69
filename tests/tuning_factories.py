"""Tunings that look like measured ones: the search is the real one, in a simulated world."""

from collections import deque
from copy import deepcopy
from datetime import timedelta
from functools import cache

from benchmarks.tuning.ideal import Ideal, driven, going
from benchmarks.tuning.simulated import Measured, asked, search
from benchmarks.tuning.world import World
from benchsuite.core.plain import plain
from benchsuite.core.specs.objective import parse
from benchsuite.models import Tuning, TuningTrial
from benchsuite.store.purposes import decisions
from benchsuite.tuning.notebook import COUNTED, Notebook
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Level, Load, Observation, Phase, Question, Trial
from tests.factories import BEGUN, MACHINE, make_run, make_spec

WORLD = World(
    name="waits",
    cpus=2,
    cpu_s=0.010,
    wait_s=0.020,
    servers={"gunicorn-gthread": 1.0, "uwsgi": 1.0, "gunicorn-sync": 1.0},
)
ASKED = "p95 < 200ms, failures < 0.1%, memory <= 1GiB"
BUSY = {**MACHINE, "cpu_usable": 2}


@cache
def _searched(starts: int | None, rate: float | None) -> Notebook:
    made = search(WORLD, asked(WORLD, ASKED, seed=1, rate=rate))
    trials = going(made, Measured(WORLD, made.question.objective, seed=1))
    if starts is None:
        deque(trials, maxlen=0)
    else:
        while len(made.notebook.entries) < starts:
            next(trials)
    return made.notebook


def searched(starts: int | None = None, rate: float | None = None) -> Notebook:
    """What a search of that world knows at its end, or after so many starts."""
    return deepcopy(_searched(starts, rate))


def make_tuning(notebook=None, *, status="finished", label="", days=0, made_by=""):
    """As the command stores it; only the first trial and the last that counts still have runs."""
    notebook = notebook or searched()
    began = BEGUN + timedelta(days=days)
    counted = [order for order, one in enumerate(notebook.entries) if one.trial.phase in COUNTED]
    runs = {
        order: make_run(
            notebook.entries[order].trial.candidate.server, environment=BUSY, cpu_percent=190.0
        )
        for order in sorted({*counted[:1], *counted[-1:]})
    }
    spec = make_spec("gunicorn-gthread", workload="url", options={"path": "/shop/"})
    row = Tuning.objects.create(
        label=label,
        question=plain(notebook.question),
        spec=spec.to_json(),
        servers=list(WORLD.servers),
        environment=runs[0].environment if runs else None,
        started_at=began,
        ended_at=began + timedelta(minutes=12) if status == "finished" else None,
        status=status,
        owner=made_by,
        answer=decisions(notebook),
    )
    TuningTrial.objects.bulk_create(
        TuningTrial(
            tuning=row,
            order=order,
            trial=plain(one.trial),
            observation=plain(one.seen),
            run=runs.get(order),
        )
        for order, one in enumerate(notebook.entries)
    )
    return row


def ideal(held, objective="p95 < 200ms", **more):
    """The starts of sizes that hold that each, or what `held` says of one."""
    return Ideal(parse(objective), held if callable(held) else lambda _: held, **more)


def falling(share):
    """Whose fresh starts hold so much less than the 90/s of those before."""
    less = ideal(90.0 * share)
    return ideal(
        90.0, spoil=lambda trial, seen: less(trial) if trial.phase is Phase.CONFIRM else seen
    )


def notebook_of(measure, sizes, *, most=10_000, variants=lambda *_: (), cpus=1, **more):
    """The notebook of a search among these sizes, at its end or after so many trials."""
    question = Question(objective=measure.objective, cpus=cpus, **more)
    return driven(Search(Notebook(question), lambda _: sizes, variants=variants), measure, most)


def note(notebook, size, phase, rates, met, *, planned=1000, window_s=10.0, seed=1, **seen):
    """One start more, of whose planned arrivals so many are in time at each rate."""
    levels = [
        Level(rate=rate, planned=planned, met=(count,))
        for rate, count in zip(rates, met, strict=True)
    ]
    load = Load(rates=tuple(rates), warmup_s=1, window_s=window_s)
    trial = Trial(candidate=size, phase=phase, load=load, seed=seed, reason="")
    notebook.note(trial, Observation(levels=levels, took_s=30, **seen))
