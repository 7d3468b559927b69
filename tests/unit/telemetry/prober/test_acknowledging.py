"""How long the target is asked about acknowledgements when it does not answer."""

import pytest

from benchsuite.telemetry.prober import client
from benchsuite.telemetry.prober.client import LOST, RIGHT


class Target:
    """Answers the first requests after so many seconds, by a clock of its own, then no more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, answers: int, each_s: float) -> None:
        self.now = 1000.0
        self.asked = 0
        self._answers, self._each_s = answers, each_s
        monkeypatch.setattr(client, "monotonic", lambda: self.now)
        monkeypatch.setattr(client, "Client", lambda request: self)

    def ask(self, *, prompt: bool) -> str:
        self.asked += 1
        self.now += self._each_s
        return RIGHT if self.asked <= self._answers else LOST

    def close(self) -> None:
        """Nothing was opened."""


@pytest.mark.parametrize(
    ("answers", "each_s", "asked"),
    [(0, client.LIMIT_S, 1), (3, 1.0, 4), (1000, 9.0, 2), (1000, 0.9, 12)],
)
def test_it_is_given_up_at_the_first_failure_and_at_the_limit(
    monkeypatch: pytest.MonkeyPatch, answers: int, each_s: float, asked: int
) -> None:
    target = Target(monkeypatch, answers=answers, each_s=each_s)
    assert len(client.stall({}).rounds) == asked // 12
    assert target.asked == asked


def test_a_page_that_never_waits_is_asked_in_a_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    Target(monkeypatch, answers=1000, each_s=0.01)
    found = client.stall({})
    assert (len(found.rounds), found.is_shown) == (client.FEWEST_ROUNDS, False)
