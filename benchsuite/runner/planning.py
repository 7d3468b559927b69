"""From what was asked for to the runs: each resolved, their order, and how long they will take."""

import math
import os
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, Self
from urllib.parse import urlsplit

from benchsuite import conf
from benchsuite.core.commands import PROGRAM_VARIABLE
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.results import RunResult
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import REDIS, DatabaseSpec, RunSpec, WorkloadSpec
from benchsuite.core.specs.spec import known, within
from benchsuite.fronts.base import FrontAdapter
from benchsuite.load.job import MOST_SAMPLES
from benchsuite.pythons.building import Recipe
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import environments
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.services.base import DatabaseService, Service
from benchsuite.system import network
from benchsuite.telemetry.base import Device
from benchsuite.workloads.base import Workload

TWINS = ("sync", "async")  #: Kinds of views.
ASYNC = "_async"  #: How the name of a workload ends whose views are async, where both are there.
START_S = 1.2  #: What a run takes beside its load, where nothing is known.
DATA_S = 0.8  #: Making and migrating throw-away databases.
ROWS_PER_S = 250_000  #: How fast rows are seeded, roughly.


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
            **server_facts(type(self.server), self.spec.workload.workload),
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
        return self._server(Place(folder=folder, interpreter=self.server.python, services=services))

    def _server(self, place: Place) -> ServerAdapter:
        return type(self.server)(self.spec.server, self.server.application, place)


def server_facts(server: type[ServerAdapter], workload: str) -> dict[str, Any]:
    """The same of a server and a workload, by its name."""
    return {
        "interface": server.interface,
        "serves_project": server.serves_project,
        "starts": server.starts,
        "reuses_connections": server.reuses_connections(),
        "threads_word": server.threads_word,
        "async_twin": async_twin(workload),
    }


@dataclass(frozen=True, slots=True)
class Turn:
    """When one of several is run."""

    place: int  #: Of what is run, among the others.
    repetition: int  #: From 1.
    seed: int  #: Of this start.


def turns(count: int, repeat: int, seed: int) -> tuple[Turn, ...]:
    """Each `repeat` times, in shuffled blocks: slow changes of the machine fall on all alike."""
    within("repeat", repeat, 1, 1000)
    order = random.Random(seed)
    blocks: list[Turn] = []
    for repetition in range(1, repeat + 1):
        block = [Turn(place, repetition, order.randrange(2**31)) for place in range(count)]
        order.shuffle(block)
        blocks += block
    return tuple(blocks)


def blocks(specs: Sequence[RunSpec], repeat: int, seed: int, made: int = 0) -> tuple[RunSpec, ...]:
    """Each spec in its turns, after those that were `made` before."""
    within("repeat", repeat, 1, 1000)
    return tuple(
        replace(specs[turn.place], repetition=turn.repetition, seed=turn.seed)
        for turn in turns(len(specs), made + repeat, seed)
        if turn.repetition > made
    )


def resolve(spec: RunSpec) -> Plan:
    """The run with all that its names stand for. Raises UsageError for names and options that can't
    be, UnavailableError for a Python that is not on this machine.
    """
    asked = spec.server
    server = conf.server_class(asked.server)(asked, Application())
    work = workload(spec.workload)
    spec = replace(spec, load=work.fit(spec.load))
    front = conf.front_class(asked.front)(asked.front_options) if asked.front else None
    services = {*server.services, *work.services}
    if spec.layer.uses_redis and not spec.layer.url:
        services.add(REDIS)
    recipe = environments.recipe(server, spec.server)
    if python := environments.interpreter(spec.server, recipe):
        server = type(server)(spec.server, server.application, Place(interpreter=python))
    return Plan(
        spec=spec,
        server=server,
        front=front,
        workload=work,
        workload_path=conf.paths("WORKLOADS")[spec.workload.workload],
        services={name: conf.service_class(name) for name in services},
        database=conf.database_class(service) if (service := spec.database.service) else None,
        devices=conf.devices(),
        recipe=recipe,
        python=python,
        most_per_s=_most_per_s(server),
    )


def _most_per_s(server: ServerAdapter) -> float | None:
    """Requests a second that it may be asked where it already runs elsewhere; None for no limit.
    Raises UsageError for a host that TARGETS doesn't name.
    """
    host, targets = urlsplit(server.name).hostname or "", conf.config()["TARGETS"]
    if server.starts or network.is_loopback(host):
        return None
    network.ensure_known(host)
    if host not in targets:
        place = f'BENCHSUITE = {{"TARGETS": {{"{host}": 50}}}} in the settings'
        if os.environ.get(PROGRAM_VARIABLE):
            place = f"BENCHSUITE_TARGETS='{{\"{host}\": 50}}' in the environment"
        raise UsageError(
            f"{host} is not this machine, and a load may harm whoever uses it: if you may load it, "
            f"write {place}, with the most requests a second that it may be asked, and add "
            f"--yes-load={host}."
        )
    return float(targets[host])


def async_twin(workload: str) -> str | None:
    """Name of the same workload in an asynchronous view; None where there is none."""
    name = f"{workload}{ASYNC}"
    return name if name in conf.paths("WORKLOADS") else None


def twin(workload: str, kind: str | None) -> str:
    """The workload that does the same in views of that kind, one of `TWINS`; as it is for None."""
    if kind is None:
        return workload
    known("twin", kind, TWINS)
    plain = workload.removesuffix(ASYNC)
    if (asynchronous := async_twin(plain)) is None:
        able = [name for name in conf.paths("WORKLOADS") if async_twin(name)]
        raise UsageError(
            f"The workload {workload} has no twin, so --twin={kind} can't choose one: leave it "
            f"out, or take one of {', '.join(able)}."
        )
    return plain if kind == "sync" else asynchronous


def workload(spec: WorkloadSpec) -> Workload:
    """The workload of a run; UsageError when its options are wrong."""
    return conf.workload_class(spec.workload)(**spec.options)


class Estimate:
    """Seconds of runs. A cell takes as long again; another its load, and beside it what runs of its
    server took, or of any. A fixed amount of work takes the share of its longest time that others
    took.
    """

    def __init__(self, overheads: Mapping[str, float] | None = None) -> None:
        """Of past runs: seconds beside load and drain, by server."""
        rests = {server: [seconds] for server, seconds in (overheads or {}).items()}
        self._took: dict[str, list[float]] = defaultdict(list)  #: By the key of a cell.
        self._rests = defaultdict[str, list[float]](list, rests)
        self._shares: list[float] = []  #: Of the longest time, that fixed amounts of work took.
        self._made: set[tuple[object, ...]] = set()

    def each_s(self, plans: Iterable[Plan]) -> list[float]:
        """Of these runs in their order; what they share counts where it is first made."""
        made, seconds = set(self._made), []
        for plan in plans:
            seconds.append(self.run_s(plan) + (_data_s(plan) if plan.data_key not in made else 0.0))
            made.add(plan.data_key)
        return seconds

    def run_s(self, plan: Plan) -> float:
        """Of one run whose data is there."""
        if took := self._took.get(plan.spec.key):
            return median(took)
        load = plan.spec.load
        if load.iterations is not None and self._shares:
            return median(self._shares) * load.longest_s
        own = self._rests.get(plan.spec.server.server)
        rests = own or [*chain(*self._rests.values())] or [START_S]
        return load.window_end_s + load.expected_drain_s(None) + median(rests)

    def learn(self, plan: Plan, took_s: float, result: RunResult) -> None:
        """What a run took in all that has ended with a result."""
        if plan.data_key not in self._made:
            took_s = max(0.0, took_s - _data_s(plan))
            self._made.add(plan.data_key)
        self._took[plan.spec.key].append(took_s)  # one that fails will fail as fast again
        load = plan.spec.load
        if load.iterations is not None:
            self._shares.append(took_s / load.longest_s)
        elif result.total is not None:
            drain_s = load.expected_drain_s(result.total.goodput)
            rest_s = max(0.0, took_s - load.window_end_s - drain_s)
            self._rests[plan.spec.server.server].append(rest_s)


def _data_s(plan: Plan) -> float:
    if not plan.server.serves_project:
        return 0.0
    return DATA_S + (plan.data.rows / ROWS_PER_S if plan.workload.uses_rows else 0.0)
