"""One configuration on 1, 2, 3 and 4 CPUs of worlds whose capacities are known: is it followed to
eight where it follows the Universal Scalability Law, and left alone where it hits a wall?
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.table import share
from benchmarks.tuning.ideal import Ideal, driven
from benchmarks.tuning.simulated import candidate
from benchsuite.core.specs.objective import parse
from benchsuite.stats.scalability import Law
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Question

SERVER = "gunicorn-gthread"
COUNTS = (1, 2, 3, 4)
FARTHEST = 8
CONTENTION, COHERENCY = 0.05, 0.002
NOISE = 0.03  #: By so much starts differ.
WALL = 250.0
OBJECTIVE = parse("p95 < 200ms")


def lawful(cpus: int) -> float:
    pairs = cpus * (cpus - 1)
    return 90.0 * cpus / (1 + CONTENTION * (cpus - 1) + COHERENCY * pairs)


def walled(cpus: int) -> float:
    """Its database answers so many and no more."""
    return min(90.0 * cpus, WALL)


def tuned(capacity: Callable[[int], float], seed: int, counts: Sequence[int] = COUNTS) -> Notebook:
    """One tuning of that world from its first trial to its last."""
    generator = random.Random(seed)
    sizes = tuple(replace(candidate(SERVER, cpus, 4), cpus=cpus) for cpus in counts)
    question = Question(
        objective=OBJECTIVE,
        cpus=max(counts),
        unshared=max(counts),
        scaling=sizes,
        budget_s=480.0 * len(counts),
        seed=seed,
    )
    measure = Ideal(
        OBJECTIVE, lambda one: capacity(one.cpus or 1) * generator.lognormvariate(0.0, NOISE)
    )
    return driven(Search(Notebook(question), lambda _: []), measure)


def law(capacity: Callable[[int], float], seed: int) -> Law | None:
    """What a tuning says of that world."""
    found = Outcome(tuned(capacity, seed)).scaling
    return found.law if found else None


def scaled(tunings: int) -> str:
    """How often the curve and its intervals are right, and how often none is drawn to a wall."""
    laws = [found for seed in range(tunings) if (found := law(lawful, seed))]
    farthest = [one.rates[FARTHEST - 1] for one in laws]
    truths = {"contention": CONTENTION, "coherency": COHERENCY}
    held = {
        name: sum(getattr(one, name).low <= true <= getattr(one, name).high for one in laws)
        for name, true in truths.items()
    }
    beyond = sum(one.low <= lawful(FARTHEST) <= one.high for one in farthest)
    width = sorted(one.high / one.low for one in farthest)[len(farthest) // 2]
    walls = sum(law(walled, seed) is None for seed in range(tunings))
    return (
        f"--cpus=1,2,3,4 in a world that follows the Universal Scalability Law: a curve in "
        f"{share(len(laws), tunings)} of {tunings} tunings, whose interval for {FARTHEST} CPUs "
        f"holds the truth in {share(beyond, len(laws))} (its ends are {width:.2f}× apart), that "
        f"of the contention in {share(held['contention'], len(laws))} and that of the coherency "
        f"in {share(held['coherency'], len(laws))}. Where a database answers {WALL:g}/s and no "
        f"more, no curve is drawn in {share(walls, tunings)}."
    )
