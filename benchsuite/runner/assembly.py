"""Starts what a run serves with, in order: delays, instances of the server, the front before them.

    load → (delay) → front → instances → (delay) → database, Redis of the channel layer

Everything that answers runs on the target's CPUs; a delay belongs to the measuring, and runs on
those of the load.
"""

import json
import os
import random
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import REDIS, TCP, UNIX
from benchsuite.delay import address
from benchsuite.delay.address import HOST
from benchsuite.delay.delayer import Delayer, delayer
from benchsuite.isolation.facts import Facts
from benchsuite.isolation.instructions import Instructions
from benchsuite.pythons.interpreter import ASTRAY, import_path
from benchsuite.runner.plan import Plan
from benchsuite.runner.running_system import (
    DELAY,
    LOG_LINES,
    TARGET,
    WORKERS,
    RunningSystem,
    fronted,
    replicas,
)
from benchsuite.servers.base import ServerAdapter
from benchsuite.services.base import Service
from benchsuite.services.redis import Redis
from benchsuite.system import folders, logfile, scratch
from benchsuite.system.guard import guarded, without_shared_memory
from benchsuite.system.network import distinct, ensure_port_free, free_port
from benchsuite.system.process import Patience, Process, any_program, running, wait_until_ready
from benchsuite.telemetry.prober.answer import Probe

SETTINGS = "benchsuite.isolation.settings"
MOST_PADDING = 4096

PROJECT = (
    "DJANGO_SETTINGS_MODULE",
    "BENCHSUITE_INSTRUCTIONS",
)  #: Variables that are about the project.


def process_environment(
    adapter: ServerAdapter,
    *,
    token: str,
    instructions: Path | None,
    seed: int,
    services: Mapping[str, str] = {},
    variables: Mapping[str, str] = {},
    replaced: Mapping[str, str] = {},
) -> dict[str, str]:
    """This process's variables, with what opens the target and what each start must vary.

    The size of the environment shifts the stack, and the hash seed the order of sets; either
    alone can move a result by several percent (Mytkowicz et al., ASPLOS 2009). So every start
    draws both from the run's seed: repeats average over them, and `--again` repeats them.

    A server that brings its own target is told nothing of the project. `services` are those that
    views ask, by name, with the URL of each; `variables` are what the user says, and `replaced`
    those that would name the project's own databases.
    """
    draw = random.Random(seed)
    return {
        **_inherited(adapter),
        **adapter.env(),
        **variables,
        **replaced,
        "BENCHSUITE_RUN": token,
        **about_services(services),
        **(_project(adapter, instructions) if instructions is not None else {}),
        "PYTHONHASHSEED": str(draw.randrange(2**32)),
        "BENCHSUITE_PADDING": "x" * draw.randrange(MOST_PADDING),
    }


def _inherited(adapter: ServerAdapter) -> dict[str, str]:
    python = adapter.python
    if adapter.serves_project and python.is_own:
        return dict(os.environ)
    left_out = ASTRAY if adapter.serves_project else (*ASTRAY, *PROJECT)
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    if not python.is_own:
        programs = str(Path(python.executable).parent)
        kept["PATH"] = os.pathsep.join([programs, kept.get("PATH", os.defpath)])
    return kept


def _project(adapter: ServerAdapter, instructions: Path) -> dict[str, str]:
    path = import_path(adapter.python, adapter.place.folder)
    return {**about_the_project(instructions), "PYTHONPATH": path}


def about_services(services: Mapping[str, str]) -> dict[str, str]:
    """Where services are that views ask, by name: BENCHSUITE_API_URL."""
    return {f"BENCHSUITE_{name.upper()}_URL": url for name, url in services.items()}


def about_the_project(instructions: Path) -> dict[str, str]:
    """The project as this run has it, for whoever sets Django up."""
    return {"BENCHSUITE_INSTRUCTIONS": str(instructions), "DJANGO_SETTINGS_MODULE": SETTINGS}


READY_TIMEOUT_S = 60.0
"""How long each program may take, once it is waited for, unless --start-timeout says it."""

ASKING_LOOK_S = 0.05

LONGEST_LINE = 100  #: Characters of a line of a log that are told.

Address = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """What all programs of one run are started with."""

    plan: Plan
    folder: Path  #: The run's own.
    token: str
    clone: Callable[..., AbstractContextManager[Path | None]]
    """`Keeper.clone` for this run: called with what only now is known, gives what the servers
    are told; None where the server brings its own target."""
    facts: Facts
    headers: Mapping[str, str] = field(default_factory=dict)  #: What a user sends.
    database: Service | None = None  #: The database that was started for the runs of this command.
    timeout_s: float | None = None
    """How long each program may take to answer; None for what is usual."""
    tell: Callable[[str], None] = lambda words: None  #: Is told what takes long.


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands around the servers when they are started."""

    late: Delayer
    instructions: Path | None
    services: Mapping[str, str]  #: Name → URL.
    replaced: Mapping[str, str] = field(default_factory=dict)
    """Variables that would name the project's own databases, with what they name instead."""


@dataclass(slots=True)
class _Copy:
    """One copy of the server."""

    stack: ExitStack  #: Ends it.
    address: Address
    processes: Sequence[Process]  #: The server, and what its adapter wants beside it.

    @property
    def started_at(self) -> float:
        return self.processes[0].started_at


@contextmanager
def serving(found: RunningSystem, start: StartRequest, port: int | None) -> Iterator[None]:
    """Starts everything in order and ends it in reverse; inside the block the target answers.

    `found` is filled while it starts. Raises StartError with the end of the log of what did not
    come up.
    """
    with ExitStack() as stack:
        try:
            if start.database is not None:
                found.serve(start.database)
            services = _services(start, stack, found)
            own = services[REDIS] if REDIS in start.plan.services else ""
            layer = start.plan.spec.layer.url or own
            late = stack.enter_context(_delayer(start, layer))
            if late.layer is not None:
                layer = address.moved_redis_url(layer, late.layer)
            amended = _amended(start, found, late, services, layer)
            instructions = stack.enter_context(start.clone(**amended))
            found.instructions = instructions
            if own:
                services[REDIS] = layer
            replaced = {} if instructions is None else Instructions.read(instructions).environment
            scene = Scene(late, instructions, services, replaced)
            if instructions is not None:
                found.ask = partial(_asked, start, scene, instructions)
            _workers(start, stack, found, scene)
            port = port or free_port(HOST)
            ensure_port_free(HOST, port)
            scheme = _servers(start, stack, found, scene, port)
            host, port = late.clients((HOST, port))
            for process in late.processes().values():
                found.add(DELAY, process)
            found.delay = late.to_json() if start.plan.spec.delay else {}
            found.base_url = f"{scheme}://{host}:{port}"
            _wait(start, found, found.members[-1].process, found.base_url)
            yield
        finally:
            found.log = found.log_tail(LOG_LINES)


def _services(start: StartRequest, stack: ExitStack, found: RunningSystem) -> dict[str, str]:
    """Starts what server or channel layer want; name → URL."""
    urls: dict[str, str] = {}
    wanted = dict(start.plan.services)
    for_layer = REDIS in wanted
    if _caches_in_redis(start):
        wanted.setdefault(REDIS, Redis)
    for name, kind in sorted(wanted.items()):
        folder = start.folder / name
        folder.mkdir()
        by = start.plan.spec.layer.by if for_layer else UNIX
        service = kind(
            folder=folder,
            marker=start.token,
            by=by if name == REDIS else TCP,
            env=any_program(),
            on_cpus=start.plan.spec.load.cpus if kind.ours else start.plan.spec.server.cpus,
            start_timeout_s=start.timeout_s,
            options=start.plan.workload.services.get(name, {}),
        )
        found.serve(stack.enter_context(service))
        urls[name] = service.url
    return urls


def _caches_in_redis(start: StartRequest) -> bool:
    """Whether the project's caches get a Redis; where none can be, they are kept in files."""
    if not start.facts.wants_redis or start.plan.front_runs_instances:
        return False
    return Redis.available().ok


@contextmanager
def _delayer(start: StartRequest, layer: str) -> Iterator[Delayer]:
    """What delays as the spec says; without any delay all addresses are the real ones. `layer` is
    the URL of the channel layer's Redis.
    """
    spec, database = start.plan.spec.delay, start.facts.database_address
    if spec.to_database_s and database is None and start.plan.workload.uses_database:
        raise UsageError(
            "--delay-to-database delays a database that is reached by TCP, and the target's "
            "default one is not; add --database=postgresql."
        )
    with delayer(
        spec,
        database=database,
        layer=address.address_of_redis(layer) if spec.to_layer_s else None,
        folder=start.folder,
        marker=start.token,
        env=any_program(),
        on_cpus=start.plan.spec.load.cpus,
    ) as late:
        yield late


def _amended(
    start: StartRequest,
    found: RunningSystem,
    late: Delayer,
    services: Mapping[str, str],
    layer: str,
) -> dict[str, Any]:
    """Fields of the instructions that are known only when everything around the servers is up."""
    amended: dict[str, Any] = {
        "application": start.plan.spec.server.application,
    }
    if start.database is not None:
        amended["database_url"] = start.database.url
    if late.database is not None and late.database != start.facts.database_address:
        amended["database_host"], amended["database_port"] = late.database
    if _caches_in_redis(start):
        amended["redis_url"] = services[REDIS]
        own = (one.tcp_url for one in found.services if isinstance(one, Redis))
        amended["redis_tcp_url"] = next(own, "")
    if start.plan.spec.layer.backend:
        amended["layer"] = start.plan.spec.layer.path
        amended["layer_url"] = layer
    return amended


def _servers(
    start: StartRequest, stack: ExitStack, found: RunningSystem, scene: Scene, port: int
) -> str:
    """The server on that port, or its instances with a front on it; the scheme clients speak."""
    spec = start.plan.spec.server
    if start.plan.front_runs_instances:
        return _replicas(start, stack, found, scene, port)
    ports = [port]
    if spec.front:
        ports = distinct(partial(free_port, HOST), spec.instances, besides=ports)
    stacks = [stack.enter_context(ExitStack()) for _ in ports]
    copies = [
        _Copy(own, (HOST, one), _server(start, own, found, scene, (HOST, one)))
        for own, one in zip(stacks, ports, strict=True)
    ]
    ready_s = _answering(start, found, copies)
    found.startup_s = copies[-1].started_at - copies[0].started_at + ready_s
    found.restart = partial(_restarted, start, found, scene, copies)
    if not spec.front:
        return "http"
    return fronted(
        stack,
        found,
        plan=start.plan,
        facts=start.facts,
        folder=start.folder / "front",
        token=start.token,
        address=(HOST, port),
        upstreams=[(HOST, one) for one in ports],
    ).scheme


def _answering(start: StartRequest, found: RunningSystem, copies: Sequence[_Copy]) -> float:
    """Waits for all copies of the server; seconds that the last one took."""
    for one in copies:
        host, port = one.address
        ready_s = _wait(start, found, one.processes[0], f"http://{host}:{port}")
    return ready_s


def _restarted(
    start: StartRequest, found: RunningSystem, scene: Scene, copies: Sequence[_Copy]
) -> tuple[float, float]:
    """Ends all copies of the server and starts them again, each at its address; from when on they
    were away, and until when.
    """
    begin = monotonic()
    for one in copies:
        one.stack.close()
        found.retire(one.processes)
    for one in copies:
        one.processes = _server(start, one.stack, found, scene, one.address)
    _answering(start, found, copies)
    return begin, monotonic()


def _replicas(
    start: StartRequest, stack: ExitStack, found: RunningSystem, scene: Scene, port: int
) -> str:
    """A front that runs the instances itself, each in a network and with files of its own."""
    adapter = start.plan.server_at(start.folder, scene.services)
    env = _env(start, scene, adapter)
    instances = replicas(
        adapter,
        facts=start.facts,
        env=env,
        folder=start.folder.parent,
        urls=[*scene.services.values(), *([start.database.url] if start.database else [])],
    )
    made = fronted(
        stack,
        found,
        plan=start.plan,
        facts=start.facts,
        folder=start.folder / "front",
        token=start.token,
        address=(HOST, port),
        upstreams=(),
        instances=instances,
    )
    process = found.members[-1].process
    url = f"{made.scheme}://{HOST}:{port}"
    found.startup_s = _wait(start, found, process, url, timeout_s=made.ready_timeout_s)
    return made.scheme


def _server(
    start: StartRequest,
    stack: ExitStack,
    found: RunningSystem,
    scene: Scene,
    address: Address,
) -> list[Process]:
    """One copy of the server, and what its adapter wants beside it."""
    folder = start.folder / f"server-{found.started}"
    adapter = start.plan.server_at(folder, scene.services)
    if prefix := adapter.shared_memory():
        stack.enter_context(without_shared_memory(start.token, prefix))
    _write(folder, adapter.config_files(*address))
    env = _env(start, scene, adapter)
    programs: list[tuple[str, str, Sequence[str], str | None]] = [
        (TARGET, adapter.name, adapter.argv(*address), adapter.version(adapter.python))
    ]
    programs += [
        (WORKERS, name, argv, None) for name, argv in adapter.companion_processes().items()
    ]
    processes = []
    for part, name, argv, version in programs:
        process = stack.enter_context(
            running(
                argv,
                name=name,
                log=start.folder / f"{part}-{found.started}.log",
                env=env,
                stop_signal=adapter.stop_signal,
                grace_s=adapter.grace_s,
                marker=start.token,
                on_cpus=start.plan.spec.server.cpus,
            )
        )
        found.add(part, process, version)
        processes.append(process)
    return processes


def _env(start: StartRequest, scene: Scene, adapter: ServerAdapter) -> dict[str, str]:
    return process_environment(
        adapter,
        token=start.token,
        instructions=scene.instructions,
        seed=start.plan.spec.seed,
        services={name: scene.services[name] for name in start.plan.workload.services},
        variables=start.plan.spec.target.variables,
        replaced=scene.replaced,
    )


def _asked(
    start: StartRequest, scene: Scene, instructions: Path, path: str, *, debug: bool
) -> Mapping[str, Any] | None:
    """What answers a page, asked in a process of its own, or None: it explains what went wrong, and
    must not fail itself.
    """
    folder = start.folder / f"asking{'-debug' * debug}"
    folder.mkdir(exist_ok=True)
    adapter = start.plan.server_at(folder, scene.services)
    told = replace(Instructions.read(instructions), keeps_debug=debug)
    told.write(folder / "instructions.json")
    request = {"path": path, "headers": dict(start.headers)}
    folders.write_private(folder / "request.json", json.dumps(request))
    env = _env(start, replace(scene, instructions=folder / "instructions.json"), adapter)
    argv = [*adapter.python.module("benchsuite.isolation.asking"), str(folder / "request.json")]
    log = folder / "asking.log"
    deadline = monotonic() + (start.timeout_s or READY_TIMEOUT_S)
    with running(argv, name="asking", log=log, env=env, marker=start.token) as process:
        while process.poll() is None and monotonic() < deadline:
            sleep(ASKING_LOOK_S)
    try:
        found: Mapping[str, Any] = json.loads(logfile.tail(log, 1))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _workers(start: StartRequest, stack: ExitStack, found: RunningSystem, scene: Scene) -> None:
    """What answers at the other end of the channel layer; comes up while the server does.

    It gives no sign of that: the first answer through the layer is one.
    """
    for number in range(1, start.plan.spec.layer.workers + 1):
        adapter = start.plan.server_at(start.folder / f"{WORKERS}-{number}", scene.services)
        name = f"runworker {number}"
        process = stack.enter_context(
            running(
                adapter.python.module("benchsuite.isolation.runworker"),
                name=name,
                log=start.folder / f"{WORKERS}-{number}.log",
                env=_env(start, scene, adapter),
                marker=start.token,
                on_cpus=start.plan.spec.server.cpus,
            )
        )
        found.add(WORKERS, process, adapter.python.installed("channels"))


def _wait(
    start: StartRequest,
    found: RunningSystem,
    process: Process,
    base_url: str,
    *,
    timeout_s: float | None = None,
) -> float:
    """Seconds from the start of a process until this run answers there."""
    timeout_s = start.timeout_s or timeout_s or READY_TIMEOUT_S
    probe = Probe(
        base_url + start.plan.workload.ready_path,
        start.token,
        headers=start.headers,
        timeout_s=timeout_s,
    )

    begin = monotonic()

    def doing() -> str:
        lines = found.start_error() or logfile.tail(process.log, 1)
        return f"{process.name} not answering for {monotonic() - begin:.0f} s" + (
            f" ({lines.strip()[:LONGEST_LINE]})" if lines else ""
        )

    found.doing = doing
    patience = Patience(start.tell, doing, timeout_s)

    def answers() -> bool:
        patience.look()
        ended = found.ended()
        if ended is not None:  # whatever it is, without it there will be no answer
            wait_until_ready(ended.process, lambda: False, timeout_s=0, cause=found.start_error)
        return probe()

    def heard() -> str:
        return f"{probe.heard} (--start-timeout would give it more time)"

    return wait_until_ready(
        process, answers, timeout_s=timeout_s, heard=heard, cause=found.start_error
    )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        folders.write_private(path, content)


@contextmanager
def started(
    plan: Plan, tell: Callable[[str, Path], Path] | None = None
) -> Iterator[tuple[RunningSystem, str]]:
    """The server while it answers, and the token that its answers carry; nothing of it is left.

    `tell` writes what a server of a project is told: from token and folder to the file. Raises
    StartError, with the end of its log, when it does not answer.
    """
    plan.ensure_built()
    found, token = RunningSystem(), secrets.token_hex(16)
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder())
        stack.enter_context(scratch.explained(folder))
        stack.enter_context(guarded(token, folder))
        start = StartRequest(
            plan=plan,
            folder=folder,
            token=token,
            clone=lambda **amended: nullcontext(tell(token, folder) if tell else None),
            facts=Facts(),
        )
        stack.enter_context(serving(found, start, None))
        yield found, token
