"""B201 to B206: the run that trips each, and the one just below that doesn't."""

from dataclasses import replace

from benchsuite.core.observations import Cluster, FrontShares
from benchsuite.core.samples import Round, Stall
from tests.unit.findings.clean import found, words

CLUSTER = Cluster(at_s=0.04, percent=90.0)
STALLS = Stall((Round(0.003, 0.044, 0.002),) * 10)
HONEST = Stall((Round(0.043, 0.044, 0.043),) * 4)


IDLE = FrontShares(
    name="nginx",
    front_percent=20.0,
    front_cpus=1,
    target_percent=60.0,
    target_cpus=1,
    answering_percent=80.0,
    cpus=4,
)


def told(**changes):
    return found(front=replace(IDLE, **changes)).get("B211")


def test_values(golden):
    golden.values(words)
