"""A run, resolved: its spec with all that its names stand for. It asks the settings nothing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import DatabaseSpec, RunSpec
from benchsuite.fronts.base import FrontAdapter
from benchsuite.load.job import MOST_SAMPLES
from benchsuite.pythons.building import Recipe
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.servers.base import Place, ServerAdapter
from benchsuite.services.base import DatabaseService, Service
from benchsuite.telemetry.base import Device
from benchsuite.workloads.base import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run as it will be made; `planning.resolve()` makes it of a spec."""

    spec: RunSpec
    server: ServerAdapter  #: In no place yet: its facts, size and command line, checked.
    front: FrontAdapter | None
    workload: Workload  #: Fitted to the load.
    workload_path: str  #: Dotted, for the processes that make one of their own.
    services: Mapping[str, type[Service]]  #: What must run beside the server, by name.
    database: type[DatabaseService] | None  #: None where the run starts none.
    devices: tuple[type[Device], ...]  #: Of telemetry, besides the built-in ones.
    async_twin: str | None  #: Name of the same workload in an asynchronous view.
    recipe: Recipe | None  #: Of the environment; None where an interpreter serves as it is.
    python: Interpreter | None  #: The one that serves; None while its environment isn't built.
    most_per_s: float | None = None  #: Requests a second that it may be asked; None for no limit.

    @property
    def data(self) -> DatabaseSpec:
        """What the databases hold; not how a run reaches them."""
        asked = self.spec.database
        rows = asked.rows if self.workload.has_own_data else 0
        return replace(asked, rows=rows, max_connections=None, conn_max_age_s=None, pool=None)

    @property
    def data_key(self) -> tuple[object, ...]:
        """Equal for runs whose databases may be copies of the same ones."""
        spec, work = self.spec, self.workload
        rows = type(work).shared_data or (self.workload_path, repr(spec.workload.options))
        return (
            rows if work.has_own_data else "",
            repr(self.data),
            (spec.visitor.login, spec.visitor.host),
            (work.needs_target_app, spec.static, repr(spec.target)),
            self.server.python.executable,
        )

    @property
    def adds_up(self) -> bool:
        """Whether figures of the load's parts add up to its own: not where messages of one host
        are received by another, nor those of users of several kinds.
        """
        return self.workload.unit == REQUEST and not self.workload.populations(self.spec.load)

    @property
    def has_too_many_samples(self) -> bool:
        """Whether load hosts will have more samples than they send."""
        load = self.spec.load
        arrivals = (load.arrival_rate or 0.0) * load.window_end_s
        return load.hosts > 0 and 2 * arrivals > MOST_SAMPLES  # each is a journey and its request

    @property
    def at_once(self) -> int | None:
        """Requests that the target answers at the same time; None where nothing limits them."""
        each = self.server.at_once()
        return each * self.spec.server.instances if each else None

    def slots_held(self, users: float) -> int | None:
        """All of these, where kept connections of so many users leave nobody one; else None."""
        load, slots = self.spec.load, self.at_once
        keeps = load.keep_alive and not load.is_open and self.server.holds_slots
        stays = load.think_time_s < self.server.settings.get("keep_alive_s", math.inf)
        return slots if slots and keeps and stays and not self.front and users >= slots else None

    @property
    def front_runs_instances(self) -> bool:
        return self.front is not None and self.front.runs_instances

    @property
    def server_facts(self) -> dict[str, Any]:
        """What sentences about a stored run need to know of its server."""
        connections = self.server.connections(self.spec.database)
        return {
            **server_facts(type(self.server), self.async_twin),
            "at_once": self.at_once,
            "connections": connections and connections * self.spec.server.instances,
        }

    def under(self, python: Interpreter) -> Self:
        """The same plan with the interpreter that serves."""
        return replace(self, python=python, server=self._server(Place(interpreter=python)))

    def ensure_built(self) -> None:
        """Raises UnavailableError while the environment of the server is missing."""
        if self.python is None and self.recipe is not None:
            raise UnavailableError(
                f"The environment {self.recipe.name} has not been built; runbench builds it before "
                "its first run."
            )

    def server_at(self, folder: Path, services: Mapping[str, str]) -> ServerAdapter:
        """The adapter in a place of the run's, under the interpreter that serves."""
        python = self.server.python
        return self._server(Place(folder=folder, interpreter=python, services=services))

    def _server(self, place: Place) -> ServerAdapter:
        return type(self.server)(self.spec.server, self.server.application, place)


def server_facts(server: type[ServerAdapter], async_twin: str | None) -> dict[str, Any]:
    """The same of a server and a workload's twin."""
    return {
        "interface": server.interface,
        "serves_project": server.serves_project,
        "starts": server.starts,
        "reuses_connections": server.reuses_connections(),
        "threads_word": server.threads_word,
        "async_twin": async_twin,
    }
