"""Finds, before the first run, whatever would go wrong in it."""

import math
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from contextvars import ContextVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.samples import EVENT, REQUEST
from benchsuite.core.specs import FLAME, KEEP, QUERIES, REDIS, THROWAWAY, RunSpec
from benchsuite.core.specs.server import MEMORY, REDIS_PUBSUB
from benchsuite.core.units import listed
from benchsuite.delay import delayer
from benchsuite.isolation.overrides.brokers import in_memory
from benchsuite.load.job import MOST_SAMPLES
from benchsuite.pythons import building
from benchsuite.pythons.interpreter import OWN
from benchsuite.runner import environments, explaining
from benchsuite.runner.planning import Plan
from benchsuite.system import cpus, network

LAYER_URLS = ("redis://", "rediss://", "unix://")

YES_LOAD: ContextVar[Collection[str]] = ContextVar("YES_LOAD", default=())
"""Hosts elsewhere that the user of this command says may be loaded."""


def check(plan: Plan) -> None:
    """Raises UsageError for what contradicts itself and UnavailableError for what is missing."""
    spec = plan.spec
    cpus.check(spec.server.cpus, "The server")
    cpus.check(spec.load.cpus, "The load")
    _check_users(plan)
    _check_sockets(plan)
    network.check_descriptors(*connections(spec))
    if plan.has_too_many_samples and not plan.adds_up:
        raise UsageError(
            f"This load makes more than {MOST_SAMPLES:,} samples, the most that load hosts send, "
            f"and figures of parts of {plan.workload.name} don't add up: use a shorter --duration "
            "or a lower --rate."
        )
    _check_running(plan)
    _check_own_target(plan)
    if plan.front is not None:
        plan.front.available().demand(spec.server.front)
        plan.front.ensure_possible(spec.server.instances)
    _check_layer(plan)
    _check_data(plan)
    for service in plan.services.values():
        service.available().demand(service.title)
    _check_diagnosis(plan)
    if plan.python is not None or not plan.server.serves_project:
        check_installed(plan)


def prepared(plans: Sequence[Plan], say: Callable[[str], None]) -> tuple[Plan, ...]:
    """The same plans, each with its environment's interpreter, built if need be; all is there."""
    root = conf.cache_folder()
    built = tuple(
        plan if plan.recipe is None else plan.under(building.build(plan.recipe, root, say))
        for plan in plans
    )
    for plan in built:
        check_installed(plan)
    return built


def check_installed(plan: Plan) -> None:
    """Finds what is not installed for a run, in the environment that its server runs in."""
    if serves := plan.server.serves_project:
        plan.ensure_built()
        if plan.python != OWN:
            environments.ensure_serving(plan.server.python)
    _check_usable(plan)
    if not serves:
        return
    # What the layer and the target's own consumers are made of, in the Python that serves.
    work, layer, python = plan.workload, plan.spec.layer, plan.server.python
    made_of = ["channels"] * bool(layer.backend) + ["channels-redis"] * layer.uses_redis
    wanted = [(name, f"--layer={layer.backend} needs", "channels", "") for name in made_of]
    wanted += [(name, f"{work.name} needs", extra, "") for name, extra in work.libraries.items()]
    if work.needs_websocket and work.needs_target_app:
        other = "; or name a consumer of your own with --workload-option path=/…/"
        wanted.insert(0, ("channels", f"The consumers of {work.name} need", "channels", other))
    for name, who, extra, other in wanted:
        if python.installed(name) is None:
            raise UnavailableError(
                f"{who} {name}, which is not installed for {python.executable}: "
                f"pip install 'django-benchsuite[{extra}]'{other}."
            )


def connections(spec: RunSpec) -> tuple[int, int]:
    """How many there are at once, and of how many of their ends one process may have."""
    load = spec.load
    return load.in_flight_limit if load.is_open else load.users, 2 if spec.server.front else 1


def _check_usable(plan: Plan) -> None:
    """The server's program, in the environment that it will run in."""
    adapter, spec = plan.server, plan.spec.server
    python = adapter.python if adapter.serves_project else OWN
    usable = adapter.available(python)
    if usable.ok:
        return
    if spec.environment:
        where = f"in the environment {spec.environment_name}"
        help_ = f"name it in its requirements ({usable.command})"
    elif python.is_own:
        where, help_ = "here", f"{usable.command} would help"
    else:
        where, help_ = f"under {python.executable}", f"there, {usable.command} would help"
    raise UnavailableError(f"{spec.server} can't run {where}: {usable.reason}; {help_}.")


def _check_diagnosis(plan: Plan) -> None:
    """Queries are timed by a middleware of Django's; the profiler is a program."""
    by, spec = plan.spec.diagnoses, plan.spec.server
    if not by:
        return
    if by == QUERIES and (not plan.server.serves_project or spec.application):
        raise UsageError(
            f"A diagnostic run (--diagnose) times the queries of Django, and {spec.server} serves "
            f"{spec.application or 'a target of its own'} here."
        )
    if plan.workload.unit != REQUEST:
        option = "--flame" if by == FLAME else "--diagnose"
        raise UsageError(
            f"{option} looks into requests, and {plan.workload.name} measures "
            f"{plan.workload.unit}s; leave it out."
        )
    if by == FLAME:
        explaining.ensure_profiler()


def _check_users(plan: Plan) -> None:
    """A locustfile's users go their own way: what can't be done with them is refused."""
    load, visitor = plan.spec.load, plan.spec.visitor
    if visitor.login and plan.spec.database.use == KEEP:
        raise UsageError(
            "--login makes a session in the database, and --database=keep means your own, which a "
            "run never fills: give the cookie of a session with --cookie."
        )
    rests = load.is_open or not (plan.workload.endless or plan.workload.unit == EVENT)
    if not rests and list(load.levels) != sorted(load.levels):
        raise UsageError(
            f"Users of {plan.workload.name} can't rest, so --stages must rise from level to level."
        )
    if not plan.workload.locustfile:
        return
    if visitor:
        raise UsageError(
            f"A locustfile's users say themselves who they are: they can't be {visitor.words}"
            " from outside; do it in the locustfile."
        )
    if load.is_open:
        raise UsageError(
            "A locustfile's users begin their tasks by themselves, so a --rate can't be kept; use "
            "--users, or write the journey as a workload."
        )


def _check_sockets(plan: Plan) -> None:
    """WebSockets need a server that speaks them; one that speaks nothing else has no pages."""
    work, server = plan.workload, plan.server
    if server.consumers and not (work.needs_websocket and hasattr(work, "path")):
        raise UsageError(
            f"{server.name} speaks WebSocket alone, and {work.name} asks for more: take a workload "
            "ws_…, or another --server."
        )
    if not work.needs_websocket:
        return
    if not server.websocket:
        raise UsageError(
            f"The workload {work.name} speaks WebSocket, and {server.name} does not; there are: "
            f"{', '.join(name for name, one in conf.servers().items() if one.websocket)}."
        )
    path, instances = getattr(work, "path", "").partition("?")[0], plan.spec.server.instances
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


def _check_running(plan: Plan) -> None:
    """Nothing can be made or seen in a target that already runs; one elsewhere is spared."""
    server, work = plan.server, plan.workload
    if server.starts:
        return
    if any((work.needs_target_app, work.has_own_data, work.services, work.reads_memory)):
        raise UsageError(
            f"The workload {work.name} needs pages, data, services or processes of a server that "
            f"the run starts, and {server.name} already runs: take --path=/…, or a journey of its "
            "own pages."
        )
    if plan.most_per_s is None:
        if plan.spec.load.hosts:
            raise UsageError(
                f"{server.name} is another machine on each load host: give --target an address of "
                "this machine that they reach."
            )
        return
    host = urlsplit(server.name).hostname
    if host not in YES_LOAD.get():
        raise UsageError(
            f"{host} is not this machine: say that you mean to load it by --yes-load={host}."
        )
    if work.locustfile or work.unit != REQUEST:
        raise UsageError(
            f"{host} may be asked {plan.most_per_s:g} requests a second, and those of {work.name} "
            "can't be bounded: take --path=/…, or write the journey as a workload of requests."
        )
    check_rate(plan, 1)


def check_rate(plan: Plan, requests_each: int) -> None:
    """Raises UsageError where so many requests a journey are more than the target may be asked."""
    load, most = plan.spec.load, plan.most_per_s
    if most is None or load.most_per_s * requests_each <= most:
        return
    journeys = math.floor(100 * most / requests_each) / 100
    each = f", each of {requests_each} requests" if requests_each > 1 else ""
    excess = f"{load.most_per_s:g} journeys a second{each} are more: "
    if not load.is_open:
        think_s = math.ceil(100 * max(load.levels) * requests_each / most) / 100
        excess = f"{load.words_of()} could ask for more{each}: pause them by "
        excess += f"--think-time={think_s:g}s or more, or "
    raise UsageError(
        f"{plan.server.name} may be asked {most:g} requests a second (BENCHSUITE['TARGETS']), and "
        f"{excess}ask for --rate={journeys:g} at most."
    )


def _check_own_target(plan: Plan) -> None:
    """A server that brings its own target answers what that has, and has no data of the project."""
    spec, server, work = plan.spec, plan.server, plan.workload
    if server.serves_project or not server.starts:
        return
    if work.needs_target_app and server.answers and work.name not in server.answers:
        raise UsageError(
            f"{server.name} serves a small target of its own, which answers "
            f"{', '.join(server.answers)} and --path=/, and not {work.name}."
        )
    given = {
        "--database": spec.database.use != THROWAWAY,
        "--fixture": spec.database.fixtures,
        "--fill": spec.database.fill,
        "--fill-from": spec.database.fill_from,
        "--layer": spec.layer,
        "--delay-to-database": spec.delay.to_database_s and work.uses_database,
        "--login": spec.visitor.login,
        "--static": spec.static,
        "--setting": spec.target.settings,
        "--application": spec.server.application,
    }
    if unfit := [option for option, value in given.items() if value]:
        raise UsageError(
            f"{server.name} serves a small target of its own, with which {listed(unfit)} can't "
            f"be had: leave {'it' if len(unfit) == 1 else 'them'} out."
        )


def _check_data(plan: Plan) -> None:
    service, asked = plan.database, plan.spec.database.max_connections
    if service is None:
        return
    if asked is not None and asked < service.least_connections:
        raise UsageError(
            f"{service.title} gives no fewer than {service.least_connections} connections, and "
            f"--max-connections is {asked}; ask for more."
        )
    service.available().demand(service.title)


def _check_layer(plan: Plan) -> None:
    layer, work, server = plan.spec.layer, plan.workload, plan.server
    if layer.url and not layer.url.startswith(LAYER_URLS):
        raise UsageError(f"--layer-url must start with {', '.join(LAYER_URLS)}.")
    in_process = "--layer=memory" if layer.backend == MEMORY else ""
    if work.needs_layer and not layer.backend and server.serves_project:
        # The project's own layer; what can't be read here, the run finds out.
        with suppress(ImportError, ImproperlyConfigured):
            layers = getattr(environments.target_settings(), "CHANNEL_LAYERS", None) or {}
            if (own := layers.get("default")) is None:
                raise UsageError(
                    f"The workload {work.name} sends through a channel layer, and the project has "
                    "none in CHANNEL_LAYERS; add --layer=redis, or --layer=memory for one process."
                )
            if in_memory({"default": own}):
                in_process = "The project's layer in memory"
    copies = server.processes * plan.spec.server.instances
    if in_process and copies > 1:
        raise UsageError(
            f"{in_process} stays within one process: of what is sent to a group the others hear "
            f"nothing, and there would be {copies}; take --layer=redis, or one process."
        )
    if layer.workers and not work.needs_workers:
        raise UsageError("--layer-workers answer what --workload=layer sends; add it.")
    if plan.spec.delay.to_layer_s:
        if not layer.uses_redis and REDIS not in plan.services:
            raise UsageError(
                "--delay-to-layer delays the Redis of a channel layer, and the run knows none; add "
                "--layer=redis or --layer=redis-pubsub."
            )
        if layer.url:
            delayer.address_of_redis(layer.url)
    if not work.needs_workers:
        return
    if server.interface != "asgi":
        raise UsageError(
            f"The workload {work.name} is answered by an ASGI application, and {server.name} "
            "serves WSGI; take daphne, uvicorn, hypercorn or granian-asgi."
        )
    if not layer.backend or (layer.uses_redis and not layer.workers):
        raise UsageError(
            f"The workload {work.name} sends each request through a channel layer to a worker; add "
            "--layer=redis --layer-workers=1, or --layer=memory."
        )
    if layer.backend == REDIS_PUBSUB and layer.workers > 1:
        raise UsageError(
            f"With --layer=redis-pubsub every worker hears every message, so {layer.workers} would "
            "all answer each request; take --layer=redis, or one worker."
        )
