"""The edges of what rules share: who waits for CPUs, what a fix would bring, what is declared."""

from dataclasses import replace

import pytest

from benchsuite.bottlenecks import registry
from benchsuite.bottlenecks.cpu import ceiling, format_share
from benchsuite.bottlenecks.evidence import CPU, LimitEvidence
from benchsuite.bottlenecks.registry import bottleneck
from tests.unit.bottlenecks.healthy import HEALTHY

IDLE = LimitEvidence(rate=1.0, response_s=3.0, cpus=2.0, cpu_percent={"target": 110.0})
WAITS = replace(IDLE, run_delay_percent=100.0)  # a third of the time


def test_what_is_not_known_has_no_ceiling_and_no_share():
    assert ceiling(HEALTHY) == pytest.approx(2.0 / (0.9 / 40))
    assert ceiling(replace(HEALTHY, cpus=None)) is ceiling(replace(HEALTHY, rate=None)) is None
    assert (format_share(None), format_share(0.25)) == ("—", "25.0\u2009%")


def test_a_rule_is_declared_by_its_function(monkeypatch):
    for name, fresh in (("RULES", {}), ("CHECKS", [])):
        monkeypatch.setattr(registry, name, fresh)

    @bottleneck("L99", "odd", explains=(CPU,), unless=("L01",))
    def odd(evidence):
        """it is
        odd
        """
        yield {"says": "It is odd."}

    bottleneck("L98", "even", when="it is even")(odd)
    declared = [(rule.code, rule.when) for rule in registry.RULES.values()]
    assert declared == [("L99 odd", "it is odd"), ("L98 even", "it is even")]
    (first, _), rule = registry.CHECKS, registry.RULES["L99"]
    assert (rule.explains, rule.unless, first) == ((CPU,), ("L01",), (rule, odd))


def test_values(golden):
    golden.values()
