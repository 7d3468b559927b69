"""What is still in doubt, of which cells one start more tells most, and when nothing does."""

from dataclasses import replace

import pytest

from benchsuite.studies.claims import answered, doubts_of_claims, doubts_of_questions, judge
from tests.unit.studies import worlds
from tests.unit.studies.worlds import HALVES


def doubts(check, execution, **needs):
    study = worlds.study(worlds.claim(check, **needs))
    return list(doubts_of_claims(judge(study, execution)))


def questions(study, execution):
    return list(doubts_of_questions(answered(study, execution)))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_as_many_starts_more_of_the_same_decide_it(seed):
    noisy = worlds.execution(noise=0.08, seed=seed)
    (doubt,) = doubts(HALVES, noisy)
    assert doubt.more

    def after(more):
        """With further starts that scatter about as those did."""
        cells = []
        for cell in noisy.cells:
            first, second = (one.figures["plateau"] or 0.0 for one in cell.starts)
            middle, apart = (first + second) / 2, abs(first - second) / 2
            further = [middle + apart * (-1) ** number for number in range(2 + more)]
            cells.append(replace(cell, starts=[worlds.start(one) for one in further]))
        return doubts(HALVES, replace(noisy, cells=cells))

    assert after(2 * doubt.more) == []
    assert doubt.more == 1 or after(0) != []


def test_values(golden):
    golden.values()
