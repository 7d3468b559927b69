"""The edges of what rules share: who waits for CPUs, what a fix would bring, what is declared."""

from dataclasses import replace

from benchsuite.bottlenecks import registry
from benchsuite.bottlenecks.evidence import CPU, LimitEvidence
from benchsuite.bottlenecks.registry import bottleneck

IDLE = LimitEvidence(rate=1.0, response_s=3.0, cpus=2.0, cpu_percent={"target": 110.0})
WAITS = replace(IDLE, run_delay_percent=100.0)  # a third of the time


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
