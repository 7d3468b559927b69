"""Configurations of a race against each other, as the rules about bottlenecks compare them."""

from dataclasses import replace

import pytest

from benchmarks.tuning.ideal import Ideal, driven
from benchmarks.tuning.simulated import candidate
from benchsuite.core.specs.objective import parse
from benchsuite.tuning.beside import others
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.question import Question
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Observation, Phase, Trial

FEW, MANY = candidate("gthread", 1, 4), candidate("gthread", 1, 8)


def test_more_threads_that_cost_more_cpu_are_compared_block_by_block() -> None:
    def costly(trial: Trial, seen: Observation) -> Observation:
        drift = 1 + trial.seed % 7 / 10  # of the whole block: it is in none of the ratios
        return replace(seen, cpu_s=0.01 * drift * (1.2 if trial.candidate == MANY else 1.0))

    objective = parse("p95 < 200ms")
    measure = Ideal(objective, lambda one: 87.0 if one == MANY else 90.0, spoil=costly)
    question = Question(objective=objective, cpus=1)
    book = driven(Search(Notebook(question), lambda _: [FEW, MANY], FEW), measure)
    assert book.of(MANY, Phase.RACE), "both were in the race"
    (other,) = others(book, MANY)
    assert (other.processes, other.threads, other.interface) == (1, 4, FEW.interface)
    assert other.cpu.value == pytest.approx(1.2)
    assert other.cpu.low == pytest.approx(other.cpu.high), "nothing but the block differs"
    assert other.rate.value == pytest.approx(87 / 90, rel=0.02)
    assert others(Notebook(question), MANY) == []
