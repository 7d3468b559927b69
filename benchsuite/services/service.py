"""What a service that runs tells of itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchsuite.system.process import Process


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A program that the target needs and the run has started."""

    name: str
    version: str
    url: str  #: By which the target reaches it.
    admin_url: str
    """By which the run itself reaches it, also when the target has taken all connections."""
    process: Process
    host: str = ""
    port: int | None = None
    socket: Path | None = None  #: In place of host and port.
    settings: Mapping[str, str] = field(default_factory=dict)
    """What it runs with that changes figures, asked of itself."""

    @property
    def argv(self) -> tuple[str, ...]:
        return self.process.argv
