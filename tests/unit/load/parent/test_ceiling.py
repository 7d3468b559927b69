"""Which of several tries is the ceiling."""

from pathlib import Path
from typing import cast

import pytest

from benchsuite.core.results import Ceiling
from benchsuite.core.specs import LoadProfile
from benchsuite.load.parent import ceiling
from benchsuite.load.parent.ceiling import Responder


def of(throughput: float, others_percent: float) -> Ceiling:
    return Ceiling(users=1, keep_alive=True, throughput=throughput, others_percent=others_percent)


@pytest.mark.parametrize(
    ("tries", "best"),
    [
        ([of(100, 0), of(200, 0), of(150, 0)], 200),
        ([of(100, 0), of(200, 50), of(150, 0)], 150),
        ([of(100, 50), of(200, 50)], 200),
    ],
)
def test_the_best_counts_and_one_beyond_doubt_before_others(
    tries: list[Ceiling], best: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter(tries)
    monkeypatch.setattr(ceiling, "TRIES", len(tries))
    monkeypatch.setattr(ceiling, "_measure", lambda *_: next(left))
    found = ceiling._best(cast(Responder, None), LoadProfile(), tmp_path)
    assert found.throughput == best
    assert next(left, None) is None, "each was made"
