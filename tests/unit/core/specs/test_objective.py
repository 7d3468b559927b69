"""How far a level is from its goals."""

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.objective import margin, parse

(MEAN,) = parse("mean < 50ms").goals


def of_mean(mean_s):
    """The margin of a level with that mean, and how its mean is told."""
    met = round(1000 * MEAN.within_s / (MEAN.within_s + mean_s))
    return margin([MEAN], 1000, [met]), MEAN.reached(met / 1000)


def test_what_is_no_objective_gets_one_sentence(golden):
    golden.cases(parse, refuses=UsageError)


def test_values(golden):
    golden.values()
