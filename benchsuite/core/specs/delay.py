"""Added latency for what the server sends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchsuite.core.specs.spec import Spec, option
from benchsuite.core.units import format_duration

MAX_DELAY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DelaySpec(Spec):
    """Delays of what the server sends; the other direction is not delayed."""

    group = "Added latency"

    to_clients_s: float = option(
        0.0,
        "--delay-to-clients TIME[,TIME…]",
        "how much later answers reach the load, such as 100ms",
        within=(0.0, MAX_DELAY_S),
    )
    to_database_s: float = option(
        0.0,
        "--delay-to-database TIME[,TIME…]",
        "how much later queries reach the database, whose answers are not delayed",
        within=(0.0, MAX_DELAY_S),
    )
    to_layer_s: float = option(
        0.0,
        "--delay-to-layer TIME[,TIME…]",
        "how much later commands reach the Redis of --layer, whose answers are not delayed",
        within=(0.0, MAX_DELAY_S),
    )

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
