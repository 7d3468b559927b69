"""How the time of an answer may be distributed: shares of its mean."""

import random
from collections.abc import Callable, Mapping

PARETO_INDEX, PARETO_MOST = 1.5, 100.0

SHAPES: Mapping[str, Callable[[random.Random], float]] = {
    "constant": lambda draw: draw.gauss(1.0, 0.03),
    "two ways": lambda draw: draw.choice((0.4, 1.6)),
    "exponential": lambda draw: draw.expovariate(1.0),
    "Pareto": lambda draw: min(draw.paretovariate(PARETO_INDEX), PARETO_MOST) / 2.8,
}
