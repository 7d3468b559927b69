"""Added latency for what the server sends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchsuite.core.specs.spec import Spec, at_least
from benchsuite.core.units import format_duration

MAX_DELAY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DelaySpec(Spec):
    """Delays of what the server sends; the other direction is not delayed."""

    to_clients_s: float = 0.0
    to_database_s: float = 0.0
    to_layer_s: float = 0.0  #: To the Redis of the channel layer.

    def __post_init__(self) -> None:
        at_least("delay-to-clients", self.to_clients_s, 0.0, MAX_DELAY_S)
        at_least("delay-to-database", self.to_database_s, 0.0, MAX_DELAY_S)
        at_least("delay-to-layer", self.to_layer_s, 0.0, MAX_DELAY_S)

    @staticmethod
    def unwrapped(data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Without `by`, which early runs have: what delayed them was a proxy, as today."""
        return {name: value for name, value in data.items() if name != "by"}

    def __bool__(self) -> bool:
        return bool(self.to_clients_s or self.to_database_s or self.to_layer_s)

    @property
    def words(self) -> str:
        """What is delayed: "100 ms to the database, 100 ms to clients"; empty for nothing."""
        delays = {
            "the database": self.to_database_s,
            "the channel layer": self.to_layer_s,
            "clients": self.to_clients_s,
        }
        return ", ".join(f"{format_duration(one)} to {whom}" for whom, one in delays.items() if one)
