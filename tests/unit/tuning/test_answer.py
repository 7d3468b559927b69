from benchmarks.tuning.simulated import tune
from benchmarks.tuning.world import World
from benchsuite.core.specs.objective import Objective, parse
from benchsuite.tuning.answer import answer
from benchsuite.tuning.notebook import End, State


def test_a_simulated_tuning_is_answered_with_its_confirmed_rate():
    book = tune(World(name="cpu"), parse("p95 < 200ms"), seed=1)
    said = answer(book)
    assert said.end is End.CONFIRMED
    assert said.pick is not None
    assert said.rate is not None
    assert 60 < said.rate < 100  # 10 ms of one CPU a request
    assert said.pick.name in said.sentences[0]
    picked = next(row for row in said.rows if row.candidate == said.pick)
    assert picked.state is State.RECOMMENDED
    assert picked.rate == said.rate


def test_an_objective_goes_to_json_and_back():
    objective = parse("p95 < 200ms, failures < 0.1%, memory <= 1GiB, connections <= 80")
    assert Objective.from_json(objective.to_json()) == objective
