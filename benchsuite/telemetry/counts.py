"""How many processes and threads a tree has."""

from typing import ClassVar

from benchsuite.telemetry.base import Device, Figures, Snapshot


class Counts(Device):
    """Processes and threads; both 0 when the part has no living process."""

    cost: ClassVar[str] = "nothing of its own: reads what the sampler has read anyway"

    def sample(self, snapshot: Snapshot) -> Figures:
        threads = sum(stat.threads for stat in snapshot.stats)
        return {"processes": len(snapshot.stats), "threads": threads}
