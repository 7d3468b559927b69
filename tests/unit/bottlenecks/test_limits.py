"""The edges of what rules share: who waits for CPUs, what a fix would bring, what is declared."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from benchsuite.bottlenecks import registry
from benchsuite.bottlenecks.cpu import awaited_cpus, ceiling, format_share, promised
from benchsuite.bottlenecks.evidence import CPU, LimitEvidence, budget
from benchsuite.bottlenecks.registry import bottleneck, unnamed
from tests.unit.bottlenecks.healthy import HEALTHY

IDLE = LimitEvidence(rate=1.0, response_s=3.0, cpus=2.0, cpu_percent={"target": 110.0})
WAITS = replace(IDLE, run_delay_percent=100.0)  # a third of the time


@pytest.mark.parametrize(
    ("evidence", "awaits"),
    [
        (replace(IDLE, cpu_percent={"target": 180.0}), True),
        (replace(IDLE, cpu_percent={"target": 179.0}), False),
        (replace(IDLE, idle_percent=10.0, in_vain_share=0.02), True),
        (replace(IDLE, idle_percent=10.0, in_vain_share=0.019), False),
        (replace(IDLE, idle_percent=11.0, in_vain_share=0.02), False),
        (replace(WAITS, in_vain_share=0.02), True),
        (WAITS, False),
        (replace(WAITS, idle_percent=10.0), True),
        (replace(WAITS, idle_percent=10.0, run_delay_percent=99.0), False),
        (replace(WAITS, in_vain_share=0.02, cpu_percent={"target": 100.0}), True),
        (replace(WAITS, in_vain_share=0.02, cpu_percent={"target": 99.0}), False),
    ],
)
def test_who_waits_for_cpus(evidence: LimitEvidence, *, awaits: bool) -> None:
    assert awaited_cpus(evidence) is awaits


@pytest.mark.parametrize(
    ("changes", "rate", "shown"),
    [
        ({}, 41.0, "It would answer up to 41.0\u2009/s."),
        ({}, 40.0, ""),
        ({}, None, ""),
        ({"rate": None}, 0.5, "It would answer up to 0.5\u2009/s."),
        ({"highest_rate": 50.0}, 50.0, ""),
        ({"load_percent": 19.0}, 41.0, "It would answer up to 41.0\u2009/s."),
        ({"load_percent": 20.0}, 41.0, ""),
        ({"idle_percent": 40.0}, 41.0, ""),
        ({"cpus": None}, 41.0, ""),
    ],
)
def test_nothing_is_promised_that_others_use_or_have_shown(
    changes: dict[str, Any], rate: float | None, shown: str
) -> None:
    assert promised(replace(HEALTHY, **changes), rate, "It would answer") == shown


def test_what_is_not_known_has_no_ceiling_and_no_share() -> None:
    assert ceiling(HEALTHY) == pytest.approx(2.0 / (0.9 / 40))
    assert ceiling(replace(HEALTHY, cpus=None)) is ceiling(replace(HEALTHY, rate=None)) is None
    assert (format_share(None), format_share(0.25)) == ("—", "25.0\u2009%")


def test_a_budget_is_of_successes_and_says_who_is_busy() -> None:
    known = budget(replace(HEALTHY, failed_share=0.05, busiest_percent=90.0))
    assert known is not None
    assert known.busy
    assert known.share("a part that nobody knows") == 0.0
    assert known.share(CPU) == pytest.approx(0.02 / 0.05)
    assert budget(replace(HEALTHY, failed_share=0.051)) is None


def test_rules_that_explain_seventy_percent_are_enough() -> None:
    pressed = replace(IDLE, in_vain_share=0.02, response_s=1.0, cpu_percent={"target": 70.0})
    assert list(unnamed(pressed, [CPU])) == []
    (limit,) = unnamed(replace(pressed, cpu_percent={"target": 69.0}), [CPU])
    assert limit.says == "The limits above explain only 69.0\u2009% of the response time."


def test_a_rule_is_declared_by_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, fresh in (("RULES", {}), ("CHECKS", [])):
        monkeypatch.setattr(registry, name, fresh)

    @bottleneck("L99", "odd", explains=(CPU,), unless=("L01",))
    def odd(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
        """it is
        odd
        """
        yield {"says": "It is odd."}

    bottleneck("L98", "even", when="it is even")(odd)
    assert registry.rows() == [("L98 even", "it is even"), ("L99 odd", "it is odd")]
    ((rule, look), _) = registry.CHECKS
    assert (rule.explains, rule.unless, look) == ((CPU,), ("L01",), odd)
    assert rule is registry.RULES["L99"]
