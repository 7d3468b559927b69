"""A tuning says where the machine was not equally fast all the time."""

from dataclasses import replace

import pytest

from benchmarks.tuning.ideal import Ideal, Spoil, driven
from benchmarks.tuning.simulated import candidate
from benchsuite.core.specs.objective import parse
from benchsuite.core.units import format_duration
from benchsuite.tuning.answer import outcome
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Observation, Phase, Question, Trial

ONE = candidate("gthread", 2, 8)
SAYS = (
    "The machine was not equally fast all the time: a request took {} of CPU in one run of "
    "gthread 2×8 and {} in another. Tune again where nothing else uses it."
)


def searched(spoil: Spoil, cpu_s: float = 0.01) -> Notebook:
    question = Question(objective=parse("p95 < 200ms"), cpus=1, only=ONE)
    measure = Ideal(question.objective, lambda _: 60.0, cpu_s=cpu_s, spoil=spoil)
    return driven(Search(Notebook(question), lambda _: [ONE], ONE), measure)


@pytest.mark.parametrize(
    ("phases", "slower", "says"),
    [
        ((), 1.0, None),
        ((Phase.CONFIRM,), 1.3, None),
        ((Phase.CONFIRM,), 1.5, SAYS.format(format_duration(0.010), format_duration(0.015))),
        ((Phase.PROBE,), 1.5, None),
    ],
)
def test_a_machine_that_is_slower_at_times_is_told(phases, slower, says) -> None:
    """By the CPU time of a request, of starts whose rates are lower, if they differ."""

    def spoil(trial: Trial, seen: Observation) -> Observation:
        is_slow = trial.phase in phases
        return replace(seen, cpu_s=slower * 0.010) if is_slow else seen

    notebook = searched(spoil)
    told = [one for one in outcome(notebook).cautions if "equally fast" in one]
    assert told == ([says] if says else [])


def test_a_request_that_takes_more_at_higher_rates_says_nothing() -> None:
    def spoil(trial: Trial, seen: Observation) -> Observation:
        return replace(seen, cpu_s=0.015 if max(trial.load.rates, default=0.0) > 58.0 else 0.010)

    notebook = searched(spoil)
    assert {one.seen.cpu_s for one in notebook.of(ONE, Phase.BISECT, Phase.CONFIRM)} == {
        0.01,
        0.015,
    }
    assert not any("equally fast" in one for one in outcome(notebook).cautions)


def test_so_little_work_that_telemetry_does_not_tell_its_time_says_nothing() -> None:
    turns = iter(range(1000))

    def spoil(trial: Trial, seen: Observation) -> Observation:
        return replace(seen, cpu_s=0.0001 * (1 + next(turns) % 2))

    notebook = searched(spoil, cpu_s=0.0001)
    assert not any("equally fast" in one for one in outcome(notebook).cautions)
