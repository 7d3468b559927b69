"""From what was asked for to the runs, in the order in which they will be made."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import REDIS, RunSpec, WorkloadSpec
from benchsuite.core.suggestions import choices
from benchsuite.runner import environments
from benchsuite.runner.plan import Plan, server_facts
from benchsuite.servers.base import Application
from benchsuite.workloads.base import Workload

START_S = 1.2
"""What one run usually takes besides its load: server and load process up, first answer, down
again.
"""

SESSION_S = 0.8
"""What a command takes before its first run: throw-away database made and migrated."""

TWINS = ("sync", "async")  #: Kinds of views.
ASYNC = "_async"  #: How the name of a workload ends whose views are async, where both are there.

ROWS_PER_S = 250_000  #: How fast rows are seeded, roughly; only the estimate of time uses it.


def blocks(specs: Sequence[RunSpec], repeat: int, seed: int) -> tuple[RunSpec, ...]:
    """Each spec `repeat` times, in shuffled blocks: every block holds each spec once.

    So whatever changes slowly on the machine (heat, other users) falls on all alike.
    """
    if not 1 <= repeat <= 1000:
        raise UsageError(f"--repeat must be between 1 and 1000, and is {repeat}.")
    order = random.Random(seed)
    runs: list[RunSpec] = []
    for repetition in range(1, repeat + 1):
        block = [
            replace(spec, repetition=repetition, seed=order.randrange(2**31)) for spec in specs
        ]
        order.shuffle(block)
        runs += block
    return tuple(runs)


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
    services = set(server.services)
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
    if kind not in TWINS:
        raise UsageError(f"--twin={kind} is not known; {choices(kind, TWINS)}")
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


def estimate_s(plans: Iterable[Plan]) -> float:
    """Seconds that these runs will take, drain not counted."""
    total = SESSION_S
    seeded: set[tuple[str, int]] = set()
    for plan in plans:
        run = plan.spec
        total += START_S + run.load.window_end_s
        rows = (run.workload.workload, run.database.rows)
        if plan.workload.uses_rows and rows not in seeded:
            seeded.add(rows)
            total += run.database.rows / ROWS_PER_S
    return total


def is_usable(name: str) -> bool:
    """Whether the server of that name can run here, as it is."""
    return conf.servers()[name].available().ok
