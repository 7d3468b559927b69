"""From what was asked for to the runs, in the order in which they will be made."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import REDIS, RunSpec, WorkloadSpec
from benchsuite.core.specs.spec import known
from benchsuite.runner import environments
from benchsuite.runner.plan import Plan, server_facts
from benchsuite.servers.base import Application
from benchsuite.workloads.base import Workload

TWINS = ("sync", "async")  #: Kinds of views.
ASYNC = "_async"  #: How the name of a workload ends whose views are async, where both are there.


@dataclass(frozen=True, slots=True)
class Turn:
    """When one of several is run."""

    place: int  #: Of what is run, among the others.
    repetition: int  #: From 1.
    seed: int  #: Of this start.


def turns(count: int, repeat: int, seed: int) -> tuple[Turn, ...]:
    """Each of so many `repeat` times, in shuffled blocks: every block holds each once.

    So whatever changes slowly on the machine (heat, other users) falls on all alike.
    """
    if not 1 <= repeat <= 1000:
        raise UsageError(f"--repeat must be between 1 and 1000, and is {repeat}.")
    order = random.Random(seed)
    found: list[Turn] = []
    for repetition in range(1, repeat + 1):
        block = [Turn(place, repetition, order.randrange(2**31)) for place in range(count)]
        order.shuffle(block)
        found += block
    return tuple(found)


def blocks(specs: Sequence[RunSpec], repeat: int, seed: int) -> tuple[RunSpec, ...]:
    """Each spec in its turns."""
    return tuple(
        replace(specs[one.place], repetition=one.repetition, seed=one.seed)
        for one in turns(len(specs), repeat, seed)
    )


def resolve(spec: RunSpec) -> Plan:
    """The run with all that its names stand for; nothing is looked up after this.

    Raises UsageError for names that mean nothing and options that can't be, UnavailableError for a
    Python that is not on this machine.
    """
    server = conf.server_class(spec.server.server)(spec.server, Application())
    work = workload(spec.workload)
    spec = replace(spec, load=work.fit(spec.load))
    front = None
    if spec.server.front:
        front = conf.front_class(spec.server.front)(spec.server.front_options)
    services = {*server.services, *work.services}
    if spec.layer.uses_redis and not spec.layer.url:
        services.add(REDIS)
    recipe = environments.recipe(server, spec.server)
    plan = Plan(
        spec=spec,
        server=server,
        front=front,
        workload=work,
        workload_path=conf.workload_paths()[spec.workload.workload],
        services={name: conf.service_class(name) for name in services},
        database=conf.database_class(service) if (service := spec.database.service) else None,
        devices=conf.devices(),
        async_twin=async_twin(spec.workload.workload),
        recipe=recipe,
        python=None,
    )
    python = environments.interpreter(spec.server, recipe)
    return plan if python is None else plan.under(python)


def async_twin(workload: str) -> str | None:
    """Name of the same workload in an asynchronous view; None where there is none."""
    found = f"{workload}{ASYNC}"
    return found if found in conf.workload_paths() else None


def twin(workload: str, kind: str | None) -> str:
    """The workload that does the same in views of that kind, one of `TWINS`; as it is for None."""
    if kind is None:
        return workload
    known("twin", kind, TWINS)
    plain = workload.removesuffix(ASYNC)
    found = async_twin(plain)
    if found is None:
        able = [name for name in conf.workload_paths() if async_twin(name)]
        raise UsageError(
            f"The workload {workload} has no twin, so --twin={kind} can't choose one: leave it "
            f"out, or take one of {', '.join(able)}."
        )
    return plain if kind == "sync" else found


def known_facts(server: str, workload: str) -> dict[str, Any]:
    """Facts of a server, for runs that were stored without; UsageError where it is not known."""
    return server_facts(conf.server_class(server), async_twin(workload))


def workload(spec: WorkloadSpec) -> Workload:
    """The workload of a run; UsageError when its options are wrong."""
    return conf.workload_class(spec.workload)(**spec.options)


def is_usable(name: str) -> bool:
    """Whether the server of that name can run here, as it is."""
    return conf.servers()[name].available().ok
