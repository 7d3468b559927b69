"""What no configuration can exceed, by the operational laws (Denning & Buzen 1978)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.core.units import format_number
from benchsuite.tuning.trial import Candidate

HOPELESS = 0.80  #: A candidate whose bound is below this share of the highest bound isn't started.


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What one user and a full load found, of one candidate."""

    response_s: float  #: One user alone.
    cpu_s: float  #: CPU time of a request.
    goodput: float  #: Under full load.
    memory_bytes: float | None  #: Of one process.


@dataclass(frozen=True, slots=True)
class Bound:
    rate: float
    because: str


def bound(candidate: Candidate, probe: Probe, cpus: int, *, gil: bool = True) -> Bound:
    """The lowest of its limits. Utilisation law: a CPU works 1 s each second. One process of a
    Python with a GIL uses one CPU. Little's law: so many slots hold so many requests.
    """
    used = min(candidate.processes, cpus) if gil else cpus
    limits = [
        Bound(
            used / probe.cpu_s,
            f"{counted(used, 'CPU')}, {1000 * probe.cpu_s:.3g} ms of CPU time a request",
        )
    ]
    if candidate.slots is not None:
        limits.append(
            Bound(
                candidate.slots / probe.response_s,
                f"{counted(candidate.slots, 'request')} at a time, "
                f"{1000 * probe.response_s:.3g} ms each",
            )
        )
    return min(limits, key=lambda limit: limit.rate)


def hopeless(
    candidates: Sequence[Candidate],
    probe: Probe,
    cpus: int,
    *,
    gil: bool = True,
    rate: float | None = None,
) -> dict[Candidate, str]:
    """Those that are not worth a start, each with its reason: they can't come near the best, nor
    near `rate`. Another server may cost a little less than the one that was probed.
    """
    bounds = {limit: bound(limit, probe, cpus, gil=gil) for limit in candidates}
    if rate is None:
        rate = max((limit.rate for limit in bounds.values()), default=0.0)
    return {
        candidate: f"{limit.because}: at most {format_number(limit.rate)}/s"
        for candidate, limit in bounds.items()
        if limit.rate < HOPELESS * rate
    }


def threads_needed(probe: Probe, processes: int, cpus: int) -> int:
    """Threads of each process that keep all CPUs busy: the "2n+1" of advice, measured."""
    return max(1, math.ceil(cpus * probe.response_s / (probe.cpu_s * processes)))


def counted(number: int, what: str) -> str:
    """ "1 CPU", "2 CPUs"."""
    return f"{number} {what}{'s' * (number != 1)}"
