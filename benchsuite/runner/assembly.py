"""Starts what a run serves with, in order: delays, instances of the server, the front before them.

Everything that answers runs on the target's CPUs; a delay belongs to the measuring, and runs on
those of the load.
"""

import os
import random
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from benchsuite.core.exceptions import StartError, UsageError
from benchsuite.core.specs import REDIS
from benchsuite.core.specs.server import TCP, UNIX
from benchsuite.core.wording import quoted
from benchsuite.delay.delayer import HOST, Delayer, address_of_redis, moved_redis_url
from benchsuite.fronts.base import INSIDE, Address, FrontAdapter, FrontPlace, Instances
from benchsuite.fronts.program import front
from benchsuite.isolation.facts import Facts
from benchsuite.isolation.instructions import Instructions, about_the_project
from benchsuite.pythons.interpreter import ASTRAY, import_path
from benchsuite.runner.planning import Plan
from benchsuite.runner.running_system import DELAY, FRONT, LOG_LINES, TARGET, WORKERS, RunningSystem
from benchsuite.servers.base import ServerAdapter
from benchsuite.services.base import Service
from benchsuite.services.redis import Redis
from benchsuite.system import folders, logfile
from benchsuite.system.guard import guarded, without_shared_memory
from benchsuite.system.network import ensure_port_free, free_port, free_ports
from benchsuite.system.process import Patience, Process, any_program, running, wait_until_ready
from benchsuite.telemetry.prober.answer import ASKED_HEADER, NotAnswered, Probe, ask
from benchsuite.telemetry.prober.program import RUN_HEADER

GRACE_S = 3.0  #: Nobody waits for what a server does at its end: the drain is over.
READY_TIMEOUT_S = 60.0  #: How long each program may take, unless --start-timeout says it.
PROJECT = ("DJANGO_SETTINGS_MODULE", "BENCHSUITE_INSTRUCTIONS")  #: Variables about the project.


def about_services(services: Mapping[str, str]) -> dict[str, str]:
    """Where services are that views ask, by name: BENCHSUITE_API_URL."""
    return {f"BENCHSUITE_{name.upper()}_URL": url for name, url in services.items()}


@dataclass(slots=True, kw_only=True)
class Assembly:
    """Starts everything in order and ends it in reverse; `system` can be read at any moment."""

    plan: Plan
    folder: Path  #: The run's own.
    token: str
    clone: Callable[..., AbstractContextManager[Path | None]]
    """`Keeper.clone`: from what is known now to what servers are told; None for an own target."""
    facts: Facts
    headers: Mapping[str, str] = field(default_factory=dict)  #: What a user sends.
    database: Service | None = None  #: The database that was started for the runs of this command.
    timeout_s: float | None = None  #: How long each program may take; None for what is usual.
    tell: Callable[[str], None] = lambda words: None  #: Is told what takes long.
    system: RunningSystem = field(default_factory=RunningSystem)
    services: dict[str, str] = field(default_factory=dict)  #: Name → URL.
    replaced: Mapping[str, str] = field(default_factory=dict)  #: What would name its databases.
    _stack: ExitStack = field(default_factory=ExitStack)

    @contextmanager
    def serving(self, port: int | None = None, bind: str = HOST) -> Iterator[RunningSystem]:
        """In the block the target answers there; raises StartError with the log of what doesn't."""
        plan, spec, system = self.plan, self.plan.spec, self.system
        system.token = self.token
        if not plan.server.starts:
            system.starts = False
            self._reach()
            yield system
            return
        system.run_header = self.token
        with self._stack:
            try:
                if self.database is not None:
                    system.serve(self.database)
                # The project's caches get a Redis; where none can be, they are kept in files.
                caches = self.facts.wants_redis and not plan.front_runs_instances
                caches = caches and Redis.available().ok
                self._start_services({REDIS: Redis} if caches else {})
                own = self.services[REDIS] if REDIS in plan.services else ""
                layer = spec.layer.url or own
                late = self._stack.enter_context(self._delayer(layer))
                if late.layer is not None:
                    layer = moved_redis_url(layer, late.layer)
                amended = self._amended(late, layer, caches=caches)
                if bind != HOST and not spec.visitor.host:
                    amended["host"] = bind  # which the project must allow
                system.instructions = self._stack.enter_context(self.clone(**amended))
                if own:
                    self.services[REDIS] = layer
                if system.instructions is not None:
                    self.replaced = Instructions.read(system.instructions).environment
                self._start_workers()
                port = port or free_port(bind)
                ensure_port_free(bind, port)
                scheme = self._start_servers((bind, port))
                host, port = late.clients((bind, port))
                for process in late.processes.values():
                    system.add(DELAY, process, None)
                system.delay = late.to_json() if spec.delay else {}
                system.base_url = f"{scheme}://{host}:{port}"
                self._wait(system.members[-1].process, system.base_url)
                yield system
            finally:
                system.log = system.log_tail(LOG_LINES)

    def _reach(self) -> None:
        """Asks what already runs for a page; StartError where nothing answers."""
        system, address = self.system, self.plan.server.name
        system.base_url = address
        url = address + quoted(self.plan.workload.ready_path)
        asking = partial(ask, url, timeout_s=self.plan.spec.load.timeout_s)
        headers = {**self.headers, RUN_HEADER: self.token}
        try:
            answer = asking(headers=headers)
        except NotAnswered as error:
            advice = "see that it runs, and that these are its scheme and port"
            if "certificate" in str(error):
                advice = "name the certificates of an authority of your own in SSL_CERT_FILE"
            raise StartError(f"{address} can't be measured, as {error}; {advice}.") from error
        if answer.run != self.token or self.plan.workload.locustfile:
            return
        system.run_header = self.token

        def seen() -> int | None:
            """Of one host; several each know their own part."""
            counts = {}
            for _ in range(4):  # of several hosts others answer then
                with suppress(NotAnswered):
                    answer = asking(headers={**headers, ASKED_HEADER: "?"})
                    count, _, host = (answer.asked or "").partition(" ")
                    counts[host] = int(count) if count.isdecimal() else None
            return next(iter(counts.values())) if len(counts) == 1 else None

        system.seen = seen

    def _start_services(self, besides: Mapping[str, type[Service]]) -> None:
        """Starts what server or channel layer want, and these."""
        spec = self.plan.spec
        for name, kind in sorted({**besides, **self.plan.services}.items()):
            folder = self.folder / name
            folder.mkdir()
            by = spec.layer.by if REDIS in self.plan.services else UNIX
            service = kind(
                folder=folder,
                marker=self.token,
                by=by if name == REDIS else TCP,
                env=any_program(),
                on_cpus=spec.load.cpus if kind.ours else spec.server.cpus,
                start_timeout_s=self.timeout_s,
                options=self.plan.workload.services.get(name, {}),
            )
            self.system.serve(self._stack.enter_context(service))
            self.services[name] = service.url

    def _delayer(self, layer: str) -> Delayer:
        """What delays as the spec says, if anything; `layer` is the URL of the layer's Redis."""
        spec, database = self.plan.spec.delay, self.facts.database_address
        if spec.to_database_s and database is None and self.plan.workload.uses_database:
            raise UsageError(
                "--delay-to-database delays a database that is reached by TCP at one address, and "
                "the target's default one is not; add --database=postgresql."
            )
        return Delayer(
            spec=spec,
            database=database,
            layer=address_of_redis(layer) if spec.to_layer_s else None,
            folder=self.folder,
            marker=self.token,
            env=any_program(),
            on_cpus=self.plan.spec.load.cpus,
        )

    def _amended(self, late: Delayer, layer: str, *, caches: bool) -> dict[str, Any]:
        """Fields of the instructions that are known when everything around the servers is up."""
        spec = self.plan.spec
        amended: dict[str, Any] = {"application": spec.server.application}
        if self.database is not None:
            amended["database_url"] = self.database.url
        if late.database is not None and late.database != self.facts.database_address:
            amended["database_host"], amended["database_port"] = late.database
        if caches:
            amended["redis_url"] = self.services[REDIS]
            own = (one.tcp_url for one in self.system.services if isinstance(one, Redis))
            amended["redis_tcp_url"] = next(own, "")
        if spec.layer.backend:
            amended |= {"layer": spec.layer.path, "layer_url": layer}
        return amended

    def _start_servers(self, place: Address) -> str:
        """Starts the server there, or a front for its instances; the scheme to speak."""
        spec, system = self.plan.spec.server, self.system
        if self.plan.front_runs_instances:  # each in a network and with files of its own
            by = self._front(place, instances=self.replicas())
            process, url = system.members[-1].process, f"{by.scheme}://{place[0]}:{place[1]}"
            system.startup_s = self._wait(process, url, timeout_s=by.ready_timeout_s)
            return by.scheme
        places = [place]
        if spec.front:
            places = [(HOST, at) for at in free_ports(HOST, spec.instances, besides=[place[1]])]
        servers = [self._server(own) for own in places]
        for server, (host, port) in zip(servers, places, strict=True):
            ready_s = self._wait(server, f"http://{host}:{port}")
        system.startup_s = servers[-1].started_at - servers[0].started_at + ready_s
        return self._front(place, upstreams=places).scheme if spec.front else "http"

    def replicas(self) -> Instances:
        """What the front is told of the instances; UsageError for what can't be inside."""
        spec, adapter = self.plan.spec.server, self.plan.server_at(self.folder, self.services)
        elsewhere = spec.python or spec.environment or not adapter.serves_project
        if elsewhere or adapter.config_files(*INSIDE) or adapter.companion_processes():
            raise UsageError(
                f"{spec.front} runs a server from its image with nothing beside it, and "
                f"{adapter.name} as asked wants files, programs or a Python of this machine; take "
                "another server, or --front=nginx."
            )
        urls = [*self.services.values(), *([self.database.url] if self.database else [])]
        hosts = {urlsplit(url).hostname for url in urls}
        hosts.update((self.facts.database_address or ())[:1])
        if hosts & {"127.0.0.1", "::1", "localhost"}:
            raise UsageError(
                f"An instance of {spec.front} has a network of its own, in which it would not find "
                "a database or Redis of this machine; leave --database=postgresql out, add "
                "--layer-by=unix, or name what is reached over the network."
            )
        argv, env = adapter.argv(*INSIDE), self.environment(adapter)
        own = {name: value for name, value in env.items() if os.environ.get(name) != value}
        own.pop("PYTHONPATH", None)
        # such as our neutral configuration of gunicorn
        files = [Path(word) for word in argv[1:] if word.startswith("/")]
        return Instances(
            count=spec.instances,
            argv=argv,
            env=own,
            folders=[self.folder.parent, *(path.parent for path in files if path.is_file())],
            cpus=spec.cpus or (),
        )

    def _front(
        self,
        address: Address,
        *,
        upstreams: Sequence[Address] = (),
        instances: Instances | None = None,
    ) -> FrontAdapter:
        """Starts the front there; instances that it runs are the target's part."""
        folder = self.folder / "front"
        place = FrontPlace(folder=folder, token=self.token, instances=instances)
        assert self.plan.front is not None
        adapter = type(self.plan.front)(self.plan.spec.server.front_options, place)
        process = self._stack.enter_context(
            front(
                adapter,
                address,
                upstreams,
                log=folder.with_suffix(".log"),
                env=any_program(),
                marker=self.token,
                on_cpus=self.plan.spec.server.cpus,
            )
        )
        self.system.add(TARGET if adapter.runs_instances else FRONT, process, adapter.version())
        return adapter

    def _server(self, address: Address) -> Process:
        """One copy of the server, with what its adapter wants beside it."""
        folder = self.folder / f"server-{len(self.system.members)}"
        adapter = self.plan.server_at(folder, self.services)
        if prefix := adapter.shared_memory():
            self._stack.enter_context(without_shared_memory(self.token, prefix))
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in adapter.config_files(*address).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            folders.write_private(path, content)
        argv, version = adapter.argv(*address), adapter.version(adapter.python)
        server = self._run(adapter, TARGET, adapter.name, argv, version)
        for name, beside in adapter.companion_processes().items():
            self._run(adapter, WORKERS, name, beside, None)
        return server

    def _run(
        self, adapter: ServerAdapter, part: str, name: str, argv: Sequence[str], version: str | None
    ) -> Process:
        """Starts one program of the target or beside it."""
        process = self._stack.enter_context(
            running(
                argv,
                name=name,
                log=self.folder / f"{part}-{len(self.system.members)}.log",
                env=self.environment(adapter),
                stop_signal=adapter.stop_signal,
                grace_s=min(adapter.grace_s, GRACE_S),
                marker=self.token,
                on_cpus=self.plan.spec.server.cpus,
            )
        )
        self.system.add(part, process, version)
        return process

    def environment(self, adapter: ServerAdapter) -> dict[str, str]:
        """This process's variables, with what opens the target and what each start must vary.

        The size of the environment shifts the stack, and the hash seed the order of sets; either
        alone can move a result by several percent (Mytkowicz et al., ASPLOS 2009). So every start
        draws both from the run's seed: repeats average over them, and `--again` repeats them.

        A server that brings its own target is told nothing of the project.
        """
        spec, python, instructions = self.plan.spec, adapter.python, self.system.instructions
        draw, ours = random.Random(spec.seed), os.environ.items()
        inherited = {name: value for name, value in ours if not name.startswith(adapter.foreign)}
        if not (adapter.serves_project and python.is_own):
            astray = ASTRAY if adapter.serves_project else (*ASTRAY, *PROJECT)
            inherited = {name: value for name, value in inherited.items() if name not in astray}
        if not python.is_own:
            programs = str(Path(python.executable).parent)
            inherited["PATH"] = os.pathsep.join([programs, inherited.get("PATH", os.defpath)])
        of_project = {}
        if instructions is not None:
            path = import_path(python, adapter.place.folder)
            of_project = {**about_the_project(instructions), "PYTHONPATH": path}
        return {
            **inherited,
            **adapter.env(),
            **spec.target.variables,
            **self.replaced,
            "BENCHSUITE_RUN": self.token,
            **about_services({name: self.services[name] for name in self.plan.workload.services}),
            **of_project,
            "PYTHONHASHSEED": str(draw.randrange(2**32)),
            "BENCHSUITE_PADDING": "x" * draw.randrange(4096),
        }

    def _start_workers(self) -> None:
        """Starts what answers at the layer's other end; the first answer tells that it is up."""
        for number in range(1, self.plan.spec.layer.workers + 1):
            adapter = self.plan.server_at(self.folder / f"{WORKERS}-{number}", self.services)
            argv = adapter.python.module("benchsuite.isolation.runworker")
            version = adapter.python.installed("channels")
            self._run(adapter, WORKERS, f"runworker {number}", argv, version)

    def _wait(self, process: Process, base_url: str, *, timeout_s: float | None = None) -> float:
        """Seconds from the start of a process until this run answers there."""
        system = self.system
        timeout_s = self.timeout_s or timeout_s or READY_TIMEOUT_S
        url = base_url + self.plan.workload.ready_path
        probe = Probe(url, self.token, headers=self.headers, timeout_s=timeout_s)
        begin = monotonic()

        def doing() -> str:
            line = (system.start_error() or logfile.tail(process.log, 1)).strip()[:100]
            waited = f"{process.name} not answering for {monotonic() - begin:.0f} s"
            return f"{waited} ({line})" if line else waited

        system.doing = doing
        patience = Patience(self.tell, doing, timeout_s)
        wait = partial(wait_until_ready, cause=system.start_error)

        def answers() -> bool:
            patience.look()
            if ended := system.ended():  # whatever it is, without it there will be no answer
                wait(ended, lambda: False, timeout_s=0)
            return probe()

        more = "(--start-timeout would give it more time)"
        return wait(process, answers, timeout_s=timeout_s, heard=lambda: f"{probe.heard} {more}")


@contextmanager
def started(
    plan: Plan, tell: Callable[[str, Path], Path] | None = None
) -> Iterator[tuple[RunningSystem, str]]:
    """The server while it answers, and the token of its answers; nothing of it is left. `tell`
    makes the file that a server of a project is told, in a folder. Raises StartError.
    """
    plan.ensure_built()
    token = secrets.token_hex(16)
    with ExitStack() as stack:
        folder = stack.enter_context(folders.scratch())
        stack.enter_context(folders.explained(folder))
        stack.enter_context(guarded(token, folder))
        assembly = Assembly(
            plan=plan,
            folder=folder,
            token=token,
            clone=lambda **amended: nullcontext(tell(token, folder) if tell else None),
            facts=Facts(),
        )
        yield stack.enter_context(assembly.serving()), token
