"""From what was asked for to the runs, in the order in which they will be made."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import KEEP, THROWAWAY, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.core.units import listed
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.runner import environments, preflight_setup
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.system import cpus, descriptors
from benchsuite.workloads.base import Workload

START_S = 1.2
"""What one run usually takes besides its load: server and load process up, first answer, down
again.
"""

SESSION_S = 0.8
"""What a command takes before its first run: throw-away database made and migrated."""

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


def estimate_s(runs: Iterable[RunSpec]) -> float:
    """Seconds that these runs will take, drain not counted."""
    total = SESSION_S
    seeded: set[tuple[str, int]] = set()
    for run in runs:
        total += START_S + run.load.window_end_s
        rows = (run.workload.workload, run.database.rows)
        if conf.workload_class(run.workload.workload).uses_rows and rows not in seeded:
            seeded.add(rows)
            total += run.database.rows / ROWS_PER_S
    return total


def adapter(spec: RunSpec, place: Place | None = None) -> ServerAdapter:
    """The adapter of a run, in a place; UsageError when it can't do what the spec asks."""
    return conf.server_class(spec.server.server)(spec.server, Application(), place)


def workload(spec: WorkloadSpec) -> Workload:
    """The workload of a run; UsageError when its options are wrong."""
    return conf.workload_class(spec.workload)(**spec.options)


def check(runs: Iterable[RunSpec]) -> None:
    """Finds everything that would go wrong before the first run: names, options, what is not
    installed.
    """
    for run in runs:
        adapter(run)
        cpus.check(run.server.cpus, "The server")
        cpus.check(run.load.cpus, "The load")
        work = workload(run.workload)
        _check_users(work, run.load)
        _check_sockets(work, run)
        descriptors.check(_connections(run.load), ends=_ends(run))
        _check_visitor(work, run)
        _check_own_target(work, run)
        preflight_setup.check(run)
        unbuilt = environments.unbuilt([run])
        if not unbuilt or not conf.server_class(run.server.server).serves_project:
            check_installed(run)


def check_installed(run: RunSpec) -> None:
    """Finds what is not installed for a run, in the environment that its server runs in.

    One that has not been built yet can't be asked.
    """
    check_usable(run.server)
    if conf.server_class(run.server.server).serves_project:
        python = environments.interpreter(run.server)
        _check_channels(workload(run.workload), python)
        preflight_setup.check_libraries(run.layer, python)


def check_usable(server: ServerSpec) -> None:
    """Finds what is not installed for a server, in the environment that it will run in."""
    adapter = conf.server_class(server.server)
    python = environments.interpreter(server) if adapter.serves_project else OWN
    usable = adapter.available(python)
    if usable.ok:
        return
    if server.environment:
        where = f"in the environment {server.environment_name}"
        help_ = f"name it in its requirements ({usable.command})"
    elif python.is_own:
        where, help_ = "here", f"{usable.command} would help"
    else:
        where, help_ = f"under {python.executable}", f"there, {usable.command} would help"
    raise UnavailableError(f"{server.server} can't run {where}: {usable.reason}; {help_}.")


def _check_own_target(work: Workload, run: RunSpec) -> None:
    """A server that brings its own target answers what that has, and has no data of the project."""
    adapter = conf.server_class(run.server.server)
    if adapter.serves_project:
        return
    if work.needs_target_app and adapter.answers and work.name not in adapter.answers:
        raise UsageError(
            f"{adapter.name} serves a small target of its own, which answers "
            f"{', '.join(adapter.answers)} and --path=/, and not {work.name}."
        )
    given = {
        "--database": run.database.use != THROWAWAY,
        "--fixture": run.database.fixtures,
        "--fill": run.database.fill,
        "--layer": run.layer,
        "--delay-to-database": run.delay.to_database_s,
        "--login": run.visitor.login,
        "--static": run.static,
    }
    unfit = [option for option, value in given.items() if value]
    if unfit:
        raise UsageError(
            f"{adapter.name} serves a small target of its own, with which {listed(unfit)} can't "
            f"be had: leave {'it' if len(unfit) == 1 else 'them'} out."
        )


def _check_visitor(work: Workload, run: RunSpec) -> None:
    """Who asks as whom, and can't."""
    if work.locustfile and run.visitor:
        raise UsageError(
            f"A locustfile's users say themselves who they are: they can't be {run.visitor.words}"
            " from outside; do it in the locustfile."
        )
    if run.visitor.login and run.database.use == KEEP:
        raise UsageError(
            "--login makes a session in the database, and --database=keep means your own, which a "
            "run never fills: give the cookie of a session with --cookie."
        )


def _check_users(work: Workload, load: LoadProfile) -> None:
    """A locustfile's users go their own way: what can't be done with them is refused."""
    if not work.locustfile:
        return
    if load.is_open:
        raise UsageError(
            "A locustfile's users begin their tasks by themselves, so a --rate can't be kept; use "
            "--users, or write the journey as a workload."
        )
    if list(load.levels) != sorted(load.levels):
        raise UsageError(
            "Users of a locustfile can't rest, so --stages must rise from level to level."
        )


def open_files(run: RunSpec) -> int:
    """Files that one process of a run may have open at most."""
    return descriptors.needed(_connections(run.load), ends=_ends(run))


def _ends(run: RunSpec) -> int:
    return 2 if run.server.front else 1


def _connections(load: LoadProfile) -> int:
    return load.in_flight_limit if load.is_open else load.users


def _check_sockets(work: Workload, run: RunSpec) -> None:
    """WebSockets need a server that speaks them; one that speaks nothing else has no pages."""
    server = run.server.server
    if conf.server_class(server).consumers and not (work.needs_websocket and hasattr(work, "path")):
        raise UsageError(
            f"{server} speaks WebSocket alone, and {work.name} asks for more: take a workload "
            "ws_…, or another --server."
        )
    if not work.needs_websocket:
        return
    if not conf.server_class(server).websocket:
        able = [name for name in conf.server_paths() if conf.server_class(name).websocket]
        raise UsageError(
            f"The workload {work.name} speaks WebSocket, and {server} does not; there are: "
            f"{', '.join(able)}."
        )
    _check_consumer(work, conf.server_class(server), run.server.instances)
    work.fit(run.load)


def _check_channels(work: Workload, python: Interpreter) -> None:
    """The target's consumers are made of Channels; a server of its own has others."""
    if not (work.needs_websocket and work.needs_target_app):
        return
    if python.installed("channels") is None:
        raise UnavailableError(
            f"The consumers of {work.name} need channels, which is not installed for "
            f"{python.executable}: pip install 'django-benchsuite[channels]'; or name a "
            "consumer of your own with --workload-option path=/…/."
        )


def _check_consumer(work: Workload, server: type[ServerAdapter], instances: int) -> None:
    """A server that brings its own program knows a few paths, and maybe only text."""
    path = getattr(work, "path", "").partition("?")[0]
    if server.consumers and path not in server.consumers:
        raise UsageError(
            f"{server.name} has no {path}; it has {', '.join(server.consumers)}: leave the options "
            f"path, layer and sync of {work.name} out."
        )
    if server.dialect and work.settings.get("binary"):
        raise UsageError(f"{server.name} is spoken to in text: leave binary out.")
    if server.dialect and work.settings.get("subprotocol"):
        raise UsageError(f"{server.name} has a protocol of its own: leave subprotocol out.")
    if server.consumers and path.endswith("/broadcast/") and instances > 1:
        raise UsageError(
            f"{server.name} is one process, and its broadcasts stay within it: of what is "
            f"published the others hear nothing, and there would be {instances}; leave "
            "--instances out."
        )


def is_usable(name: str) -> bool:
    """Whether the server of that name can run here, as it is."""
    return conf.server_class(name).available().ok
