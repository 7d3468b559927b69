"""Which rate fresh starts show, and what is said of it."""

from benchsuite.core.specs.objective import parse
from benchsuite.tuning.confirming import held_by
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Question, Trial

ONE = Candidate(server="uwsgi", processes=2, threads=4)


def confirmed(*shares: tuple[float, ...], window_s: float = 10.0) -> Notebook:
    """Start by start the share in time at 80/s, 90/s and so on."""
    notebook = Notebook(Question(objective=parse("p95 < 200ms"), cpus=2))
    for start in shares:
        rates = [80.0 + 10 * place for place in range(len(start))]
        levels = [
            Level(rate=rate, planned=1000, met=(round(1000 * share),))
            for rate, share in zip(rates, start, strict=True)
        ]
        load = Load(rates=tuple(rates), warmup_s=2, window_s=window_s)
        trial = Trial(candidate=ONE, phase=Phase.CONFIRM, load=load, seed=1, reason="")
        notebook.note(trial, Observation(levels=levels, took_s=30))
    return notebook


def test_what_is_said_is_lower_than_what_short_windows_show() -> None:
    short, long = (
        held_by(confirmed(*[(0.99, 0.98)] * 6, window_s=one), ONE) for one in (10.0, 40.0)
    )
    assert short is not None
    assert long is not None
    assert short.shown == long.shown == 90.0
    assert 0.9 * 90 < short.rate < long.rate < 0.97 * long.shown


def test_one_start_of_six_that_misses_the_goal_keeps_a_rate_from_being_held() -> None:
    found = held_by(confirmed(*[(0.99, 1.0)] * 5, (0.99, 0.92)), ONE)
    assert found is not None
    assert found.shown == 80.0


def test_a_start_that_misses_it_by_chance_does_not() -> None:
    found = held_by(confirmed(*[(0.99, 0.98)] * 5, (0.99, 0.945)), ONE)
    assert found is not None
    assert found.shown == 90.0


def test_too_few_starts_show_nothing() -> None:
    assert held_by(confirmed((1.0,), (1.0,)), ONE) is None
