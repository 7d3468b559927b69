"""Finds, before the first run, what can't stand around a server as it was asked for."""

from django.core.exceptions import ImproperlyConfigured

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import (
    MEMORY,
    NETEM,
    POSTGRESQL,
    REDIS,
    REDIS_PUBSUB,
    LayerSpec,
    RunSpec,
)
from benchsuite.delay import netem
from benchsuite.delay.choice import choose
from benchsuite.isolation.overrides.layers import in_memory
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import environments
from benchsuite.servers.base import Application, Available, ServerAdapter
from benchsuite.services import postgres, redis

LIBRARIES = {
    "": (),
    MEMORY: ("channels",),
    REDIS: ("channels", "channels-redis"),
    REDIS_PUBSUB: ("channels", "channels-redis"),
}
"""What each layer is made of."""


def check(run: RunSpec) -> None:
    """Raises UsageError for what contradicts itself and UnavailableError for what is missing."""
    _check_front(run)
    _check_layer(run)
    if run.database.use == POSTGRESQL:
        _demand("PostgreSQL", postgres.available())
    if REDIS in wanted_services(run):
        _demand("Redis", redis.available())
    if run.delay.by == NETEM and run.delay:
        choose(NETEM, netem=netem.available(), cut_off=(), may_reach_more=True)


def check_libraries(layer: LayerSpec, python: Interpreter) -> None:
    """Raises UnavailableError when the target's Python lacks what the layer is made of."""
    for name in LIBRARIES[layer.backend]:
        if python.installed(name) is None:
            raise UnavailableError(
                f"--layer={layer.backend} needs {name}, which is not installed for "
                f"{python.executable}: pip install 'django-benchsuite[channels]'"
            )


def wanted_services(run: RunSpec) -> frozenset[str]:
    """Names of the services that a run starts besides its database."""
    wanted = set(conf.server_class(run.server.server).services)
    if run.layer.uses_redis and not run.layer.url:
        wanted.add(REDIS)
    return frozenset(wanted)


def _check_front(run: RunSpec) -> None:
    if not run.server.front:
        return
    front = conf.front_class(run.server.front)
    work = conf.workload_class(run.workload.workload)(**run.workload.options)
    if front.runs_instances and work.restarts:
        raise UsageError(
            f"{run.server.front} runs the instances of the server itself, and a run can't restart "
            "them: take another --front, or leave restart out."
        )
    adapter = front(run.server.front_options)
    _demand(run.server.front, front.available())
    adapter.ensure_possible(run.server.instances)


def _check_layer(run: RunSpec) -> None:
    layer = run.layer
    server = conf.server_class(run.server.server)
    if layer.backend == MEMORY:
        _check_memory("--layer=memory", run)
    work = conf.workload_class(run.workload.workload)(**run.workload.options)
    if work.needs_layer and not layer.backend and server.serves_project:
        _check_own_layer(run)
    if conf.workload_class(run.workload.workload).needs_workers:
        _check_workers(layer, run.workload.workload, server)
    elif layer.workers:
        raise UsageError("--layer-workers answer what --workload=layer sends; add it.")


def _check_own_layer(run: RunSpec) -> None:
    """The project's, where --layer names no other; what can't be read here, the run finds out."""
    try:
        layers = getattr(environments.target_settings(), "CHANNEL_LAYERS", None) or {}
    except (ImportError, ImproperlyConfigured):
        return
    own = layers.get("default")
    if own is None:
        raise UsageError(
            f"The workload {run.workload.workload} sends through a channel layer, and the project "
            "has none in CHANNEL_LAYERS; add --layer=redis, or --layer=memory for one process."
        )
    if "default" in in_memory({"default": own}):
        _check_memory("The project's layer in memory", run)


def _check_memory(layer: str, run: RunSpec) -> None:
    adapter = conf.server_class(run.server.server)(run.server, Application())
    copies = adapter.processes * run.server.instances
    if copies > 1:
        raise UsageError(
            f"{layer} stays within one process: of what is sent to a group the others hear "
            f"nothing, and there would be {copies}; take --layer=redis, or one process."
        )


def _check_workers(layer: LayerSpec, workload: str, server: type[ServerAdapter]) -> None:
    if server.interface != "asgi":
        raise UsageError(
            f"The workload {workload} is answered by an ASGI application, and {server.name} serves "
            "WSGI; take daphne, uvicorn, hypercorn or granian-asgi."
        )
    if not layer.backend or (layer.uses_redis and not layer.workers):
        raise UsageError(
            f"The workload {workload} sends each request through a channel layer to a worker; add "
            "--layer=redis --layer-workers=1, or --layer=memory."
        )
    if layer.backend == REDIS_PUBSUB and layer.workers > 1:
        raise UsageError(
            f"With --layer=redis-pubsub every worker hears every message, so {layer.workers} would "
            "all answer each request; take --layer=redis, or one worker."
        )


def _demand(name: str, found: Available) -> None:
    if not found.ok:
        raise UnavailableError(
            f"{name} can't run here: {found.reason}; {found.command} would help."
        )
