"""What is said about candidates against a baseline."""

from benchsuite.comparing.contrasts import Contrast, contrasts, metric, standing
from tests.starts import FAST, SLOW, found_out, side


def of(first, second, name):
    (found,) = contrasts([(first, second)], [metric(name)])
    return found


def one(first, second, name="goodput"):
    return of(side("gunicorn", first), side("granian", second), name)


def excluded(title, goodputs):
    noisy = side(title, goodputs)
    for run in noisy.runs:
        found_out(run, "B401 noisy-host")
    return noisy


def slope(title, low_bytes, high_bytes):
    """Of one run: what a connection takes."""
    ends = {"idle": {"low_bytes": low_bytes, "high_bytes": high_bytes}}
    columns = {"unit": "message", "websockets": ends, "connection_bytes": high_bytes}
    return side(title, SLOW[:1], columns=columns)


def words(value):
    if isinstance(value, Contrast):
        return f"{value.sentence} Better: {value.is_better}"
    return "\n".join(map(words, value)) if isinstance(value, list) else value


def test_values(golden):
    golden.values(words)


def test_the_best_is_held_against_each_other_nearest_first():
    middle = [value * 1.1 for value in SLOW]
    sides = [side(*each) for each in (("low", SLOW), ("high", FAST), ("middle", middle))]
    for name in ("goodput", "p95"):
        ranks = standing(sides, metric(name))
        assert ranks.best.title == "high"
        assert [one.candidate.title for one in ranks.behind] == ["middle", "low"]
        assert [one.effect.compared for one in ranks.behind] == [2, 2]
        assert ranks.rivals == []
        assert ranks.nearest.candidate.title == "middle"
    assert standing(sides[:1], metric("goodput")) is None
